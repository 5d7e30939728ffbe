# Builds the wheel and installs it with the extra `web` into an empty environment, as a user has it; prints the path of
# its Python. The argument is an empty folder for both.
. "$(dirname "$0")/env.sh"

place=${1:?wheel.sh FOLDER}
need_uv
use_pip_indexes
.boot/bin/uv build --quiet --wheel --build-constraints requirements/build.txt --out-dir "$place" .
.boot/bin/uv venv --quiet --python .boot/bin/python "$place/venv"
# The locked versions, of what the extra asks for and nothing else.
.boot/bin/uv pip install --quiet --python "$place/venv/bin/python" --constraints requirements/runtime.txt \
    "goatherd[web] @ file://$(ls "$place"/goatherd-*.whl)"
printf '%s\n' "$place/venv/bin/python"
