# Pins every set with hashes. `make lock` keeps the versions that still fit; ARGS=--upgrade takes the newest.
. "$(dirname "$0")/env.sh"

need_uv
use_pip_index

pin() { # pin NAME SOURCE...: later sets are held to the versions of the earlier ones
    name=$1
    shift
    printf 'locking %s\n' "$name" >&2
    # shellcheck disable=SC2086  # lists of words on purpose
    .boot/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
        --no-annotate --no-emit-index-url --no-emit-find-links --custom-compile-command 'make lock' \
        $extra $held --output-file "requirements/$name.txt" "$@"
    if grep -n '://' "requirements/$name.txt"; then
        die "requirements/$name.txt names an address; a lock must not"
    fi
}

extra=$*
held=""
pin boot --group boot
pin build --group build
pin runtime --extra all pyproject.toml
held="--constraints requirements/runtime.txt"
for group in examples dubbing test firebase deploy lint docs bench; do
    pin "$group" --group "$group"
    held="$held --constraints requirements/$group.txt"
done
# It is never installed beside the others.
held=""
pin old-taskiq --group old-taskiq
