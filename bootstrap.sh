#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds svmc on Debian 12 from nothing: installs what is missing from Debian packages, configures, builds, and then
# runs the example (demo) or all tests (test).
set -euo pipefail
cd "$(dirname "$0")"

readonly build=build

# What must be there, and the Debian package that brings it. A path, a command, or pkg:NAME for a pkg-config module.
readonly needs='
/usr/lib/llvm-22/bin/clang                     clang-22
/usr/lib/llvm-22/include/llvm-c/Core.h         llvm-22-dev
/usr/lib/llvm-22/include/clang-c/Index.h       libclang-22-dev
/usr/lib/llvm-22/bin/ld.lld                    lld-22
/usr/lib/llvm-22/bin/FileCheck                 llvm-22-tools
/usr/lib/llvm-22/lib/clang/22/lib/linux/libclang_rt.asan-x86_64.a  libclang-rt-22-dev
/usr/lib/llvm-22/lib/clang/22/lib/wasi/libclang_rt.builtins-wasm32.a  libclang-rt-22-dev-wasm32
/usr/lib/wasm32-wasi/libc.a                    wasi-libc
gcc                                            gcc
c++                                            g++
make                                           make
/usr/include/stdio.h                           libc6-dev
cmake                                          cmake
ninja                                          ninja-build
ccache                                         ccache
flex                                           flex
bison                                          bison
python3                                        python3
pkg-config                                     pkg-config
dot                                            graphviz
pkg:libfyaml                                   libfyaml-dev
pkg:sndfile                                    libsndfile1-dev
pkg:hwloc                                      libhwloc-dev
pkg:libxxhash                                  libxxhash-dev
pkg:fftw3f                                     libfftw3-dev
gdb                                            gdb
tcc                                            tcc
/usr/include/coin/Cbc_C_Interface.h            coinor-libcbc-dev
'

usage()
{
    cat <<'TEXT'
usage: ./bootstrap.sh demo|test|build|help

  build   install what is missing (Debian packages), configure and build into build/
  demo    build, then run the FM receiver example
  test    build, then run all tests; the last line is "N passed, N failed". Skipped tests are named, and
          count as failed where CI=true

Environment: JOBS (parallel jobs, all processors unless set), CMAKE_ARGS (further arguments of cmake).
TEXT
}

say() { printf '%s\n' "bootstrap: $*"; }
fail() { printf '%s\n' "bootstrap: error: $*" >&2; exit 1; }

is_there()
{
    case $1 in
    pkg:*) command -v pkg-config >/dev/null && pkg-config --exists "${1#pkg:}" ;;
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null ;;
    esac
}

missing_packages()
{
    local machine what package
    machine=$(uname -m)
    while read -r what package; do
        [ -n "$what" ] || continue
        is_there "${what//x86_64/$machine}" || echo "$package"
    done <<<"$needs"
}

as_root()
{
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        fail "cannot install packages: not root, and there is no sudo; have this run as root, and then run this again:

    apt-get update && apt-get install -y --no-install-recommends ${wanted[*]}
"
    fi
}

# apt-get knows all the packages named.
are_known()
{
    local package
    for package in "$@"; do
        apt-cache show "$package" >/dev/null 2>&1 || return 1
    done
}

unknown_packages()
{
    local package
    for package in "$@"; do
        are_known "$package" || printf '%s ' "$package"
    done
}

install_missing()
{
    local packages
    mapfile -t packages < <(missing_packages)
    wanted=("${packages[@]}")
    if [ ${#packages[@]} -eq 0 ]; then
        say "all needed packages are there"
        return
    fi
    command -v apt-get >/dev/null ||
        fail "these Debian packages (or what corresponds to them here) are missing: ${packages[*]}"
    say "installing Debian packages: ${packages[*]}"
    if ! are_known "${packages[@]}"; then
        say "bringing the package lists up to date (apt-get update)"
        # apt-get calls it a success when it has reached no server.
        as_root apt-get update -q || true
        are_known "${packages[@]}" ||
            fail "apt-get does not know these packages: $(unknown_packages "${packages[@]}"); is there a network, and are" \
                "bookworm and bookworm-security in /etc/apt/sources.list? (LLVM 22 for Debian 12 is in bookworm-security)"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -q --no-install-recommends "${packages[@]}" </dev/null ||
        fail "apt-get could not install them: its own messages say why (no network? no room?)"
    mapfile -t packages < <(missing_packages)
    [ ${#packages[@]} -eq 0 ] || fail "still missing after the installation: ${packages[*]}"
}

build()
{
    install_missing
    local launcher=()
    if command -v ccache >/dev/null; then
        # What was compiled in another clone of the same text need not be compiled again: paths count from this folder.
        launcher=("-DCMAKE_C_COMPILER_LAUNCHER=env;CCACHE_BASEDIR=$PWD;CCACHE_NOHASHDIR=1;ccache")
    fi
    say "configuring into $build/"
    # shellcheck disable=SC2086  # CMAKE_ARGS is a list of arguments
    cmake --preset release "${launcher[@]}" ${CMAKE_ARGS:-}
    say "building"
    cmake --build $build --parallel "${JOBS:-$(nproc)}"
    ln -sfn $build/compile_commands.json compile_commands.json
}

demo()
{
    build
    say "running the FM receiver: examples/fm-receiver/run"
    PATH="$PWD/$build/bin:$PATH" exec examples/fm-receiver/run
}

# The tests' scripts take the path as it is: with a blank in it they would act on other files than their own.
# test/lit.cfg.py says the same to those who start the tests otherwise.
splits() { printf '%s' "$1" | LC_ALL=C grep -q '[^A-Za-z0-9_./+,@:=-]'; }

# So in a folder with such a path they run in a copy, which goes when they are done; their results stay here.
run_tests_elsewhere()
{
    local copy status=0
    copy=$(mktemp -d "${TMPDIR:-/tmp}/svmc-test.XXXXXX")
    if splits "$copy"; then
        rmdir "$copy"
        fail "the tests cannot run in '$PWD' nor in '${copy%/*}': a path with blanks or special characters is split by" \
            "their scripts; set TMPDIR to a folder whose path has letters, digits and _ . / + , @ : = - alone" \
            "(build and demo work in any folder)"
    fi
    trap "rm -rf '$copy'" EXIT # its characters are safe ones
    say "a path with blanks or special characters is split by the tests' scripts: they run in a copy, $copy"
    tar --exclude="./$build" -cf - . | tar -xf - -C "$copy"
    "$copy/bootstrap.sh" test || status=$?
    mkdir -p $build/test
    cp "$copy/$build/test/results.xml" $build/test/ 2>/dev/null || true
    return $status
}

run_tests()
{
    if splits "$PWD"; then
        run_tests_elsewhere
        return
    fi
    build
    say "building once more, with clang and sanitizers, for the fuzz targets and sanitizer runs"
    cmake --build $build --target sanitized
    local report=$build/test/results.xml status=0
    rm -f "$report"
    say "running the tests"
    $build/bin/lit -sv --xunit-xml-output "$report" ${JOBS:+-j "$JOBS"} $build/test || status=$?
    [ -f "$report" ] || fail "lit gave no results (exit code $status)"
    # lit's exit code is 0 when all passed; the counts must agree with it. In CI no test may be skipped.
    python3 test/count.py "$report" $([ "${CI:-}" != true ] || echo --all) || status=1
    return $status
}

case ${1:-help} in
build) build ;;
demo) demo ;;
test) run_tests ;;
help | -h | --help) usage ;;
*)
    usage >&2
    exit 2
    ;;
esac
