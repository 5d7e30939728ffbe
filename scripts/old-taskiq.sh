# Makes an environment with an old TaskIQ, for the tests about brokers that it set up; prints the path of its Python.
. "$(dirname "$0")/env.sh"

# Not in .cache, which is emptied whenever the pages are built.
place=.tools/old-taskiq
if ! current "$place/.stamp" requirements/old-taskiq.txt || [ ! -x "$place/bin/python" ]; then
    need_uv
    use_pip_indexes
    .boot/bin/uv venv --quiet --clear --python .boot/bin/python "$place"
    .boot/bin/uv pip install --quiet --python "$place/bin/python" --require-hashes -r requirements/old-taskiq.txt
    fingerprint requirements/old-taskiq.txt >"$place/.stamp"
fi
printf '%s\n' "$PWD/$place/bin/python"
