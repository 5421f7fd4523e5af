# The program on variants of the machine: own-machine.sh SVMC INPUTS FOLDER
cd "$3" || exit 1
try() {
    sed "s/MACHINE/variant/; s/WIDTH/$2/; s/MEMORY/$1/g" "$INPUTS/own-machine.yaml" > variant.yaml
    for options in "" "--transfer=stream" "--mapping=time" "--processors=1"; do
        rm -f out program
        $SVMC -w --machine=variant.yaml --target=sim $options "$INPUTS/own-machine.str" -o program &&
            ./program --in=in --out=out && cmp out expected && echo "$1 $2 $options: the same" || echo "$1 $2 $options: differs"
    done
}
SVMC=$1 INPUTS=$2
for name in memory queue slot self; do
    try "$name" "8 B"
done
for width in "24 B" "100 B"; do
    try DRAM "$width"
done
