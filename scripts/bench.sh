# Ratios against peers, measured in one run.
. "$(dirname "$0")/env.sh"
use runtime bench
exec python -m benchmarks "$@"
