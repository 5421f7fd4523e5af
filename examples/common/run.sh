# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the examples' run scripts share; they source it with `here` set to their own folder, and `root` to the source tree if
# that is not two folders up.
#
#   run [FOLDER]     the results go to FOLDER: build/examples/NAME unless told, and where the examples are
#                    installed, NAME in the current folder
#
# $SVMC is the compiler: unless set, the one in build/bin, that of the installation, or the one on PATH. $CC compiles
# the C helpers.
set -eu

name=$(basename "$here")
root=${root:-$(cd "$here/../.." && pwd)}

fail()
{
    echo "$name: error: $*" >&2
    exit 1
}

if [ -z "${SVMC:-}" ]; then
    SVMC=$root/build/bin/svmc
    [ -x "$SVMC" ] || SVMC=$root/../../../bin/svmc
    [ -x "$SVMC" ] || SVMC=$(command -v svmc) || fail "no svmc in build/bin or on PATH; run ./bootstrap.sh build, or set SVMC"
fi

PYTHONDONTWRITEBYTECODE=1 # the examples' folder stays as it is
export PYTHONDONTWRITEBYTECODE

results=$root/build/examples/$name
[ -e "$root/CMakeLists.txt" ] || results=$name
results=${1:-$results}
mkdir -p "$results"
results=$(cd "$results" && pwd)

# say WORD TEXT...: one line of what happens.
say()
{
    word=$1
    shift
    printf '  %-9s %s\n' "$word" "$*"
}

# compile SOURCE PROGRAM
compile()
{
    say compile "svmc -O3 $1 -o $2"
    "$SVMC" -O3 "$here/$1" -o "$results/$2"
}

# execute PROGRAM OPTION...: in the folder of the results.
execute()
{
    program=$1
    shift
    say run "./$program $*"
    (cd "$results" && "./$program" "$@")
}

# verify ARGUMENT...: check.py's words, indented.
verify()
{
    status=0
    python3 "$here/check.py" "$@" >"$results/check.log" 2>&1 || status=$?
    while IFS= read -r line; do
        say check "$line"
    done <"$results/check.log"
    [ $status -eq 0 ] || fail "the check failed"
}

# What most examples do: make the input, compile, run, check.
#   example SOURCE PROGRAM [INPUT OUTPUT]
example()
{
    input=${3:-input.raw}
    output=${4:-output.raw}
    echo "$name: results in $results"
    python3 "$here/check.py" input "$results/$input"
    say input "$input ($(wc -c <"$results/$input") bytes)"
    compile "$1" "$2"
    execute "$2" "--in=$input" "--out=$output"
    verify check "$results/$input" "$results/$output"
}
