#!/usr/bin/env bash
# Builds pid.c for a Cortex-M4F and for this machine, runs both, and compares what they propose, bit by bit.
# Needs Debian or a system like it: what is missing is installed if that is allowed, else named.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.."
readonly target=${CARGO_TARGET_DIR:-$PWD/target}
readonly out=$target/firmware
readonly bare=thumbv7em-none-eabihf
readonly library=(--profile freestanding -p infill-ffi --no-default-features --features)
readonly c=(-std=c99 -O2 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -I ffi/include -I "$here")

# rust PROGRAM: the path of one of Debian's Rust programs. Those with -web come from browsers' security updates,
# hence are recent in every release; their source builds `core` for a machine they have no library for.
rust() { dpkg -L "$1-web" 2>/dev/null | grep -m1 "/bin/$1\$"; }

# What is not there yet: names of packages.
missing() {
    local least have
    least=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' Cargo.toml)
    have=$(dpkg-query -W -f '${Version}' rustc-web 2>/dev/null) || have=0
    if ! dpkg -s rustc-web cargo-web rust-web-src >/dev/null 2>&1 || ! printf '%s\n' "$least" "$have" | sort -V -C; then
        echo rustc-web cargo-web rust-web-src
    fi
    command -v cc >/dev/null || echo gcc libc6-dev
    command -v arm-none-eabi-gcc >/dev/null || echo gcc-arm-none-eabi
    command -v qemu-system-arm >/dev/null || echo qemu-system-arm
}

install() {
    local packages
    packages=$(missing)
    [ -n "$packages" ] || return 0
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
        echo "installing" $packages
        apt-get -o DPkg::Lock::Timeout=400 update -qq
        apt-get -o DPkg::Lock::Timeout=400 install -y -qq --no-install-recommends $packages >/dev/null
        packages=$(missing)
    fi
    [ -z "$packages" ] || { echo "missing or too old:" $packages >&2; return 1; }
}

build() {
    mkdir -p "$out"
    # Its own directory: another compiler than that of the rest of the project. RUSTC_BOOTSTRAP permits -Z.
    RUSTC=$(rust rustc) RUSTC_BOOTSTRAP=1 "$(rust cargo)" build "${library[@]}" f32 \
        -Zbuild-std=core --target "$bare" --target-dir "$out"
    arm-none-eabi-gcc "${c[@]}" -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 \
        -ffreestanding -ffunction-sections -nostdlib -T "$here/link.ld" -Wl,--gc-sections,-z,noexecstack \
        "$here"/{pid,startup,memory}.c "$out/$bare/freestanding/libinfill.a" -lgcc -o "$out/pid.elf"

    local cargo=cargo
    command -v cargo >/dev/null || cargo=$(rust cargo)
    "$cargo" build "${library[@]}" f32,f64 --target-dir "$target"
    cc "${c[@]}" "$here"/{pid,host}.c "$target/freestanding/libinfill.a" -o "$out/pid"
}

run() {
    "$out/pid" >"$out/host.txt"
    timeout 300 qemu-system-arm -cpu cortex-m4 -machine mps2-an386 -nographic \
        -semihosting-config enable=on,target=native -kernel "$out/pid.elf" </dev/null >"$out/board.txt" 2>&1 ||
        { cat "$out/board.txt"; echo "the firmware failed" >&2; return 1; }
}

# Everything but the use of memory is the same, and something is there to compare.
compare() {
    grep -v '^memory' "$out/board.txt"
    [ "$(grep -c '^ask' "$out/board.txt")" = 32 ] || { echo "not 32 proposals" >&2; return 1; }
    diff <(grep -v '^memory' "$out/host.txt") <(grep -v '^memory' "$out/board.txt") >&2 ||
        { echo "the board (>) proposes other points than this machine (<)" >&2; return 1; }
    echo "32 proposals and values: the same bits on the board and here"
}

# bytes SECTION...: the sum of their sizes in the firmware.
bytes() {
    local section sum=0 size
    for section in "$@"; do
        size=$(arm-none-eabi-size -A "$out/pid.elf" | awk -v section="$section" '$1 == section { print $2 }')
        sum=$((sum + ${size:-0}))
    done
    echo "$sum"
}

memory() { sed -n "s/^memory $1 //p" "$out/board.txt"; }

table() {
    printf '\n| Cortex-M4F, f32, 4 parameters, 32 trials | bytes |\n| --- | ---: |\n'
    printf '| flash | %s |\n' "$(bytes .text .ARM.exidx .data)"
    printf '| static RAM | %s |\n' "$(memory static)"
    printf '| of which the block | %s |\n' "$(memory block)"
    printf '| stack, at most | %s |\n' "$(memory stack)"
    printf '| stack of `infill_init` | %s |\n' "$(memory init)"
}

install
build
run
compare
table
