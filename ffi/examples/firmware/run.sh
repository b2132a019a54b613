#!/usr/bin/env bash
# Builds pid.c and transfer.c for a Cortex-M4F and for this machine, runs both, and compares what they propose, bit by bit.
# Needs Debian or a system like it: what is missing is installed if that is allowed, else named.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
cd "$here/../../.."
readonly target=${CARGO_TARGET_DIR:-$PWD/target}
readonly out=$target/firmware
readonly bare=thumbv7em-none-eabihf
readonly freestanding=(--profile freestanding -p infill-ffi --no-default-features --features)
readonly c=(-std=c99 -O2 -Wall -Wextra -Wpedantic -Werror -ffp-contract=off -I ffi/include -I "$here" -I "$out")

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

# library NAME FEATURES: that of the board, in a file of its own.
library() {
    # Its own directory: another compiler than that of the rest of the project. RUSTC_BOOTSTRAP permits -Z.
    RUSTC=$(rust rustc) RUSTC_BOOTSTRAP=1 "$(rust cargo)" build "${freestanding[@]}" "$2" \
        -Zbuild-std=core --target "$bare" --target-dir "$out"
    cp "$out/$bare/freestanding/libinfill.a" "$out/$1.a"
}

# firmware NAME [LINKER OPTION...]: a program, with its library.
firmware() {
    arm-none-eabi-gcc "${c[@]}" -mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 \
        -ffreestanding -ffunction-sections -nostdlib -T "$here/link.ld" -Wl,--gc-sections,-z,noexecstack \
        "${@:2}" "$here"/{"$1",startup,memory}.c "$out/$1.a" -lgcc -o "$out/$1.elf"
}

# program NAME FILE...: the same here.
program() { cc "${c[@]}" "${@:2}" "$target/freestanding/libinfill.a" -o "$out/$1"; }

build() {
    local cargo=cargo name
    command -v cargo >/dev/null || cargo=$(rust cargo)
    mkdir -p "$out"
    # Here beside every model: a feature adds, and changes no proposal.
    "$cargo" build "${freestanding[@]}" f32,f64,models,transfer --target-dir "$target"
    program sources "$here/sources.c"
    "$out/sources" >"$out/sources.h"
    library pid f32
    library transfer f32,transfer
    for name in pid transfer; do
        program "$name" "$here"/{"$name",host}.c
    done
    firmware pid
    # A part with twice the memory.
    firmware transfer -Wl,--defsym=flash_size=512K,--defsym=ram_size=128K
}

# run NAME
run() {
    "$out/$1" >"$out/$1-host.txt" || { cat "$out/$1-host.txt"; echo "$1 failed here" >&2; return 1; }
    timeout 300 qemu-system-arm -cpu cortex-m4 -machine mps2-an386 -nographic \
        -semihosting-config enable=on,target=native -kernel "$out/$1.elf" </dev/null >"$out/$1-board.txt" 2>&1 ||
        { cat "$out/$1-board.txt"; echo "the firmware failed" >&2; return 1; }
}

# compare NAME COUNT: everything but the use of memory is the same, and so many proposals are there to compare.
compare() {
    grep -v '^memory' "$out/$1-board.txt"
    [ "$(grep -c '^ask' "$out/$1-board.txt")" = "$2" ] || { echo "not $2 proposals" >&2; return 1; }
    diff <(grep -v '^memory' "$out/$1-host.txt") <(grep -v '^memory' "$out/$1-board.txt") >&2 ||
        { echo "the board (>) proposes other points than this machine (<)" >&2; return 1; }
    echo "$2 proposals and values: the same bits on the board and here"
}

# asked NAME: the first 32 proposals.
asked() { grep '^ask' "$out/$1-board.txt" | head -n 32; }

# Without sources a build that has them proposes what one without does; with them it needs fewer trials.
judge() {
    diff <(asked pid) <(asked transfer) >&2 || { echo "feature transfer changes what is proposed without sources" >&2; return 1; }
    [ "$(trials with)" -lt "$(trials without)" ] || { echo "the sources save no trial" >&2; return 1; }
}

# bytes NAME SECTION...: the sum of their sizes in a firmware.
bytes() {
    local section sum=0 size
    for section in "${@:2}"; do
        size=$(arm-none-eabi-size -A "$out/$1.elf" | awk -v section="$section" '$1 == section { print $2 }')
        sum=$((sum + ${size:-0}))
    done
    echo "$sum"
}

# memory NAME WHAT
memory() { sed -n "s/^memory $2 //p" "$out/$1-board.txt"; }

# trials with|without: as many as it took to the least cost without sources.
trials() { sed -n "s/^trials $1 \([0-9]*\) .*/\1/p" "$out/transfer-board.txt"; }

# row TEXT VALUE VALUE
row() { printf '| %s | %s | %s |\n' "$@"; }

table() {
    echo
    row 'Cortex-M4F, f32, 4 parameters, 32 trials: bytes' alone 'with eight sources'
    row --- ---: ---:
    row flash "$(bytes pid .text .ARM.exidx .data)" "$(bytes transfer .text .ARM.exidx .data)"
    row 'of which the sources' 0 "$(memory transfer sources)"
    row 'static RAM' "$(memory pid static)" "$(memory transfer static)"
    row 'of which the block' "$(memory pid block)" "$(memory transfer block)"
    row 'stack, at most' "$(memory pid stack)" "$(memory transfer stack)"
    row 'stack of `infill_init`' "$(memory pid init)" "$(memory transfer init)"
    row 'trials to the same cost' "$(trials without)" "$(trials with)"
}

install
build
run pid
compare pid 32
run transfer
compare transfer 64
judge
table
