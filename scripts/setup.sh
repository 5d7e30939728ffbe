# Everything a contributor needs, in .venv.
. "$(dirname "$0")/env.sh"
use runtime examples dubbing test firebase deploy lint docs bench
printf 'Ready: .venv/bin/goatherd, or any target of `make help`.\n'
