# The program on variants of the machine: own-machine.sh SVMC INPUTS FOLDER
cd "$3" || exit 1
try() {
    sed "s/MACHINE/variant/; s/WIDTH/$2/; s/MEMORY/$1/g; s/Help/$3/g" "$INPUTS/own-machine.yaml" > variant.yaml
    for options in "" "--transfer=stream" "--mapping=time" "--processors=1"; do
        rm -f out program
        $SVMC -w --machine=variant.yaml --target=sim $options "$INPUTS/own-machine.str" -o program &&
            ./program --in=in --out=out && cmp out expected && echo "$1 $2 $options: the same" || echo "$1 $2 $options: differs"
    done
}
SVMC=$1 INPUTS=$2
for name in memory queue slot self; do
    try "$name" "8 B" Help
done
for width in "24 B" "100 B"; do
    try DRAM "$width" Help
done
# Dynamic rates, whose kernels the processor with a small name runs.
sed "s/MACHINE/variant/; s/WIDTH/8 B/; s/MEMORY/DRAM/g; s/Help/self/g" "$INPUTS/own-machine.yaml" > variant.yaml
$SVMC -w --interpret "$INPUTS/own-dynamic.str" --in=in --out=expected
$SVMC -w --machine=variant.yaml --target=sim "$INPUTS/own-dynamic.str" -o program && ./program --in=in --out=out &&
    cmp out expected && echo "a processor self: the same" || echo "a processor self: differs"
