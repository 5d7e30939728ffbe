# uv does not read pip's settings. This hands it the ones of this machine (a mirror, a certificate, a proxy);
# on a machine without such settings it does nothing, and UV_* variables that are already set win.

pip_setting() { # pip_setting NAME: the environment before the install section before the global one
    for section in :env: install global; do
        value=$(printf '%s\n' "$pip_settings" | sed -n "s/^$section\.$1='\(.*\)'\$/\1/p" | sed 's/\\n/ /g; s/^ *//')
        [ -z "$value" ] || break
    done
    printf '%s' "$value"
}

adopt() { # adopt VARIABLE SETTING [SEPARATOR]
    eval "[ -z \"\${$1:-}\" ]" || return 0
    value=$(pip_setting "$2" | tr -s ' ' "${3:- }")
    [ -z "$value" ] || export "$1=$value"
}

use_pip_index() { # the main index only: what a lock is made from
    pip_settings=$(.boot/bin/python -m pip config list 2>/dev/null || true)
    [ -n "${UV_INDEX_URL:-}" ] || adopt UV_DEFAULT_INDEX index-url
    adopt SSL_CERT_FILE cert
    adopt ALL_PROXY proxy
    adopt UV_INSECURE_HOST trusted-host
}

use_pip_indexes() { # all of them: what is installed is checked against the hashes of the lock
    use_pip_index
    [ -n "${UV_EXTRA_INDEX_URL:-}" ] || adopt UV_INDEX extra-index-url
    adopt UV_FIND_LINKS find-links ,
    adopt UV_NO_INDEX no-index
    [ -z "${UV_INDEX:-}" ] || adopt_strategy
}

adopt_strategy() { # pip takes a file from whichever index has it
    export UV_INDEX_STRATEGY="${UV_INDEX_STRATEGY:-unsafe-best-match}"
}
