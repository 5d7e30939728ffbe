# The long fault runs; they end by themselves, so there is no time limit for a test.
. "$(dirname "$0")/env.sh"
use runtime examples dubbing test
# They write much, and on a real disk.
export TMPDIR="${TMPDIR:-/tmp}"
exec python -m scripts.scratch python -m scripts.servers rabbitmq redis postgres chromium node media taskiq spin -- \
    python -m pytest tests/conformance tests/faults tests/acceptance tests/docs tests/unit -m chaos --timeout=0 "$@"
