# Repairs what can be repaired by machine.
. "$(dirname "$0")/env.sh"
use runtime lint
ruff check --fix --exit-zero --quiet .
exec ruff format .
