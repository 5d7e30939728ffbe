# Every check runs; the command fails if one of them did.
. "$(dirname "$0")/env.sh"
use runtime test deploy lint

failed=""
check() {
    printf '== %s\n' "$*"
    "$@" || failed="$failed '$*'"
}

typed=src
[ ! -d tests/typing ] || typed="$typed tests/typing"

check ruff check .
check ruff format --check .
# shellcheck disable=SC2086  # a list of words on purpose
check mypy $typed
check lint-imports --no-logo
[ -z "$failed" ] || die "failed:$failed"
