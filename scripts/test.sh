# All tests, against real servers. The type checkers are part of it: tests/typing runs them.
. "$(dirname "$0")/env.sh"
use runtime test lint
exec python -m pytest -n 2 --dist loadgroup "$@"
