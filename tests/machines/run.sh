#!/usr/bin/env bash
# Builds replay.c for machines of other kinds and for this one, runs all, and compares what they print, bit by bit.
# run.sh [MACHINE...]: these alone. Needs Debian or a system like it: what is missing is installed if that is allowed,
# else named; nothing is left out in silence.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../.."
readonly target=${CARGO_TARGET_DIR:-$PWD/target}
readonly out=$target/machines
readonly library=(--profile freestanding -p infill-ffi --no-default-features --features models,f32,f64)
readonly c=(-std=c99 -O1 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -I ffi/include "$here/replay.c")
readonly ALL=(aarch64 i686 s390x riscv64 wasm32)
machines=("$@")
[ $# -gt 0 ] || machines=("${ALL[@]}")

# rust PROGRAM: the path of one of Debian's Rust programs, which have the sources of `core` for every machine.
rust() { dpkg -L "$1-web" 2>/dev/null | grep -m1 "/bin/$1\$"; }

# What is not there yet: names of packages.
missing() {
    local least have machine
    least=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    have=$(dpkg-query -W -f '${Version}' rustc-web 2>/dev/null) || have=0
    if ! dpkg -s rustc-web cargo-web rust-web-src >/dev/null 2>&1 || ! printf '%s\n' "$least" "$have" | sort -V -C; then
        echo rustc-web cargo-web rust-web-src
    fi
    command -v cc >/dev/null || echo gcc libc6-dev
    for machine in "${machines[@]}"; do
        case $machine in
            aarch64 | i686 | s390x | riscv64)
                command -v "$machine-linux-gnu-gcc" >/dev/null || echo "gcc-$machine-linux-gnu" "$(libc "$machine")"
                command -v "$(emulator "$machine")" >/dev/null || echo qemu-user-static
                ;;
            wasm32)
                command -v clang >/dev/null || echo clang
                command -v wasm-ld-19 >/dev/null || echo lld-19
                command -v node >/dev/null || echo nodejs
                ;;
            *)
                echo "no such machine: $machine, but ${ALL[*]}" >&2
                return 2
                ;;
        esac
    done
}

# The C library of a machine, by Debian's name of it.
libc() {
    case $1 in
        aarch64) echo libc6-dev-arm64-cross ;;
        i686) echo libc6-dev-i386-cross ;;
        *) echo "libc6-dev-$1-cross" ;;
    esac
}

emulator() { [ "$1" = i686 ] && echo qemu-i386-static || echo "qemu-$1-static"; }

install() {
    local packages
    packages=$(missing | tr ' ' '\n' | sort -u)
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "installing" $packages
        apt-get -o DPkg::Lock::Timeout=400 update -qq
        DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=400 install -y -qq --no-install-recommends $packages >/dev/null
        packages=$(missing)
    fi
    [ -z "$packages" ] || { echo "missing or too old:" $packages >&2; return 1; }
}

# archive TARGET: builds the library. Its own directory: another compiler than that of the rest of the project.
# Little is optimised, in several units: that is quick, and no bit may depend on it. RUSTC_BOOTSTRAP permits -Z.
archive() {
    CARGO_PROFILE_FREESTANDING_OPT_LEVEL=1 CARGO_PROFILE_FREESTANDING_DEBUG=false CARGO_PROFILE_FREESTANDING_LTO=off \
        CARGO_PROFILE_FREESTANDING_CODEGEN_UNITS=16 RUSTC=$(rust rustc) RUSTC_BOOTSTRAP=1 \
        "$(rust cargo)" rustc -q "${library[@]}" -Zbuild-std=core --target "$1" --target-dir "$out" --crate-type staticlib
}

# This machine, by the compiler of the project and as the profile says.
here() {
    local cargo=cargo
    command -v cargo >/dev/null || cargo=$(rust cargo)
    "$cargo" rustc -q "${library[@]}" --target-dir "$out" --crate-type staticlib
    cc "${c[@]}" "$out/freestanding/libinfill.a" -o "$out/replay"
    "$out/replay" >"$out/here.txt"
}

there() {
    local machine=$1 triple
    case $machine in
        wasm32)
            triple=wasm32-unknown-unknown
            archive "$triple"
            clang --target=wasm32 -ffreestanding -nostdlibinc -c "${c[@]}" -o "$out/replay.o"
            wasm-ld-19 --no-entry --export=main --allow-undefined-file="$here/imports" -z stack-size=1048576 \
                "$out/replay.o" "$out/$triple/freestanding/libinfill.a" -o "$out/replay.wasm"
            node "$here/replay.mjs" "$out/replay.wasm" >"$out/$machine.txt"
            ;;
        *)
            triple=$machine-unknown-linux-gnu
            [ "$machine" != riscv64 ] || triple=riscv64gc-unknown-linux-gnu
            archive "$triple"
            local flags=()
            # Registers of 80 bits would round twice.
            [ "$machine" != i686 ] || flags=(-msse2 -mfpmath=sse)
            "$machine-linux-gnu-gcc" -static "${flags[@]}" "${c[@]}" "$out/$triple/freestanding/libinfill.a" -o "$out/replay-$machine"
            "$(emulator "$machine")" "$out/replay-$machine" >"$out/$machine.txt"
            ;;
    esac
}

install
mkdir -p "$out"
here
lines=$(wc -l <"$out/here.txt")
# Something is there to compare: every setting of both scalars, and the end.
[ "$lines" -gt 500 ] && [ "$(tail -n 1 "$out/here.txt")" = end ] || { echo "the program printed $lines lines here" >&2; exit 1; }
bad=0
for machine in "${machines[@]}"; do
    there "$machine"
    if cmp -s "$out/here.txt" "$out/$machine.txt"; then
        echo "$machine: $lines lines, the same bits as here"
    else
        diff "$out/here.txt" "$out/$machine.txt" | head -n 20 >&2 || true
        echo "$machine (>) differs from this machine (<): target/machines" >&2
        bad=1
    fi
done
exit "$bad"
