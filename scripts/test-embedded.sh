# The tests that need no server, on purpose.
. "$(dirname "$0")/env.sh"
use runtime examples test firebase deploy lint
exec python -m scripts.scratch python -m pytest -n 2 --dist loadgroup -m "not servers and not chaos" "$@"
