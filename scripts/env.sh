# Sourced by the other scripts. `use runtime test` makes .venv hold these locked sets and puts it first on PATH.
#
#   .boot   a small environment that holds only uv (an exact install never removes its own installer)
#   .venv   the project's environment; .venv/.sets/<name> remembers which lock each set was installed from

set -eu
cd "$(dirname "$0")/.."
. scripts/index.sh

die() {
    printf 'goatherd: %s\n' "$*" >&2
    exit 1
}

# The first Python on PATH that is new enough; PYTHON=... overrides.
find_python() {
    for candidate in ${PYTHON:-python3 python3.14 python3.13 python3.12 python3.11}; do
        if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
            command -v "$candidate"
            return
        fi
    done
    die "needs Python 3.11 or newer. Install it, or name one: make ... PYTHON=/path/to/python3"
}

# Debian and Ubuntu ship python3 without the part that makes environments.
need_venv() {
    "$1" -c 'import ensurepip, venv' 2>/dev/null && return
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        printf 'goatherd: installing python3-venv\n' >&2
        apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends python3-venv >&2 || true
    fi
    "$1" -c 'import ensurepip, venv' 2>/dev/null ||
        die "$1 cannot make virtual environments. On Debian or Ubuntu: sudo apt-get install python3-venv"
}

# A lock file's fingerprint; the folder is part of it because environments cannot be moved.
fingerprint() {
    printf '%s %s\n' "$(cksum <"$1")" "$PWD"
}

current() { # current STAMP FILE
    [ -f "$1" ] && [ "$(cat "$1")" = "$(fingerprint "$2")" ]
}

need_uv() {
    current .boot/.stamp requirements/boot.txt && [ -x .boot/bin/python ] && return
    system_python=$(find_python)
    need_venv "$system_python"
    rm -rf .boot
    "$system_python" -m venv .boot
    .boot/bin/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/boot.txt
    fingerprint requirements/boot.txt >.boot/.stamp
}

need_environment() {
    [ -x .venv/bin/python ] && [ "$(cat .venv/.place 2>/dev/null)" = "$PWD" ] && return
    .boot/bin/uv venv --quiet --clear --python .boot/bin/python .venv
    mkdir .venv/.sets
    printf '%s\n' "$PWD" >.venv/.place
}

install_sets() {
    set_files=""
    for set_name in "$@"; do
        set_files="$set_files -r requirements/$set_name.txt"
    done
    # shellcheck disable=SC2086  # a list of words on purpose
    .boot/bin/uv pip install --quiet --python .venv/bin/python --require-hashes $set_files
    for set_name in "$@"; do
        fingerprint "requirements/$set_name.txt" >".venv/.sets/$set_name"
    done
}

install_project() {
    .boot/bin/uv pip install --quiet --python .venv/bin/python --no-deps \
        --build-constraints requirements/build.txt --editable .
    fingerprint pyproject.toml >.venv/.sets/project
}

use() {
    missing=""
    for set_name in "$@"; do
        [ -f "requirements/$set_name.txt" ] || die "requirements/$set_name.txt is missing: run make lock"
        current ".venv/.sets/$set_name" "requirements/$set_name.txt" || missing="$missing $set_name"
    done
    current .venv/.sets/project pyproject.toml || missing="$missing project"
    if [ -n "$missing" ] || [ ! -x .venv/bin/python ]; then
        printf 'goatherd: setting up%s\n' "$missing" >&2
        need_uv
        use_pip_indexes
        need_environment
        install_sets "$@"
        install_project
    fi
    VIRTUAL_ENV=$PWD/.venv
    PATH=$VIRTUAL_ENV/bin:$PATH
    export VIRTUAL_ENV PATH
}
