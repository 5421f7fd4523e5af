# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compiles a program of a file with -Ofast, and compares it with the interpreter:   linear.sh FILE FOLDER TOP f|d [COUNT]
set -e
mkdir -p "$2"
close=$(cd "$(dirname "$0")" && pwd)/close.py
cd "$2"
python3 "$close" --make "$4" in.bin "${5:-3001}"
svmc --interpret --top="$3" "$1"
mv out.bin expected.bin
svmc -Ofast --verify-each --remarks --top="$3" "$1" -o program
./program
python3 "$close" "$4" expected.bin out.bin
