#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# A compiler with a defect, for testing the reducer: $SVMC, but that at -O3 the C that it writes, to its last argument, has | for ^.
"$SVMC" "$@" || exit $?
case "$*" in
--emit=svm-c*-O3*)
    for last; do :; done
    sed -i 's/ ^ / | /' "$last"
    ;;
esac
