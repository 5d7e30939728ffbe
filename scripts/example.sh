# example.sh NAME [ARGS]: runs examples/NAME.py or the package examples/NAME.
. "$(dirname "$0")/env.sh"

names() {
    for path in examples/*.py examples/*/__main__.py; do
        path=${path%/__main__.py}
        path=$(basename "$path" .py)
        case $path in '*' | _*) ;; *) printf '%s ' "$path" ;; esac
    done
}

name=${1:-}
[ -n "$name" ] || die "which example? make example NAME=...  There are: $(names)"
shift
if [ -f "examples/$name/__main__.py" ]; then
    own=""
    [ ! -f "requirements/$name.txt" ] || own=$name
    # shellcheck disable=SC2086  # no word, or one
    use runtime examples $own
    exec python -m "examples.$name" "$@"
elif [ -f "examples/$name.py" ]; then
    use runtime
    exec python "examples/$name.py" "$@"
fi
die "no example is called '$name'. There are: $(names)"
