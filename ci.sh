#!/usr/bin/env bash
# Everything that is checked, at home as in CI, and everything that is measured. `./ci.sh help` lists the verbs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

# The default path leaves out the benches: they bring faer, minutes of compiling.
readonly QUICK=(-p infill -p infill-tests)
# libinfill with an operating system, without the minutes that faer takes.
readonly HOSTED=(--no-default-features --features std,f32,f64)
# What a user of `infill` without features may find in the dependency tree: our four and what heapless brings.
readonly ALLOWED=" infill libm rand_core bytemuck heapless hash32 byteorder stable_deref_trait "

say() { printf '\n== %s\n' "$*"; }
skip() { printf '   skipped: %s\n' "$*"; }
has() { command -v "$1" >/dev/null 2>&1; }

#: setup        looks for the tools; installs what one command of the system's package manager brings
setup() {
    say "setup"
    cargo --version
    # The command that is looked for, and the package that brings it.
    need cc gcc libc6-dev
    need g++ g++
    need clang clang
    need valgrind valgrind libc6-dbg
    need pkg-config pkg-config
    need cmake cmake
    need make make
    need python3 python3
    need doxygen doxygen
    need nm binutils
    install-needed
    NEEDED=()
    if ! has cc && ! has gcc; then
        echo "no C compiler: Rust cannot link. Install gcc or clang." >&2
        return 1
    fi
    # The sanitizers of clang have a package of their own, named by its version.
    if has clang && ! ls /usr/lib/llvm-*/lib/clang/*/lib/linux/libclang_rt.asan-*.a >/dev/null 2>&1; then
        NEEDED=("libclang-rt-$(clang -dumpversion | cut -d. -f1)-dev")
        install-needed
    fi
    has cargo-nextest || skip "cargo-nextest is not installed; cargo test runs the same tests"
    cargo fmt --version >/dev/null 2>&1 || skip "rustfmt is not installed; ./ci.sh fmt will fail"
    cargo clippy --version >/dev/null 2>&1 || skip "clippy is not installed; ./ci.sh lint will fail"
}

NEEDED=()

# need COMMAND PACKAGE...: notes the packages unless the command is there.
need() {
    has "$1" || NEEDED+=("${@:2}")
}

install-needed() {
    [ ${#NEEDED[@]} -gt 0 ] || return 0
    if [ "$(id -u)" = 0 ] && has apt-get; then
        apt-get -o DPkg::Lock::Timeout=400 update -qq
        DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=400 install -y -qq --no-install-recommends "${NEEDED[@]}"
    else
        skip "not installed, and neither root nor apt-get to do it: ${NEEDED[*]}; the tests that need them say so"
    fi
}

#: fmt          every file is formatted
fmt() {
    say "fmt"
    cargo fmt --all -- --check
}

#: lint         clippy without warnings, with and without std
lint() {
    say "lint"
    cargo clippy "${QUICK[@]}" --all-targets -- -D warnings
    cargo clippy -p infill --features std --all-targets -- -D warnings
    cargo clippy -p infill-ffi "${HOSTED[@]}" --all-targets -- -D warnings
    cargo clippy -p infill-gpu --all-targets -- -D warnings
    cargo clippy -p infill-ffi --no-default-features --features f32 --profile freestanding -- -D warnings
}

#: quick        after an edit: fmt, clippy and unit tests of what changed, layers, thirty rows of tests/replay
quick() {
    local changed modules
    changed=$({ git diff --name-only HEAD && git ls-files --others --exclude-standard; } | sort -u)
    # The modules of core that have a file among them.
    modules=$(sed -n 's:^core/src/\([a-z_]*\)[./].*:\1:p' <<<"$changed" | grep -vx lib | sort -u | paste -sd'|' || true)
    fmt
    say "quick: clippy"
    # With the features that the tests of core are built with.
    cargo clippy -p infill --features std --lib --tests -- -D warnings
    if grep -q '^tests/' <<<"$changed"; then
        cargo clippy -p infill-tests --all-targets -- -D warnings
    fi
    if grep -q '^ffi/src/' <<<"$changed"; then
        cargo clippy -p infill-ffi "${HOSTED[@]}" --all-targets -- -D warnings
    fi
    if grep -q '^gpu/' <<<"$changed"; then
        cargo clippy -p infill-gpu --all-targets -- -D warnings
    fi
    say "quick: layers, replay${modules:+, unit tests of ${modules//|/, }}"
    export INFILL_REPLAY_ROWS=30
    if [ -z "$modules" ]; then
        cargo test -q -p infill-tests --test layers
        cargo test -q -p infill-tests --test replay recorded
    elif has cargo-nextest; then
        cargo nextest run "${QUICK[@]}" --lib --test layers --test replay --no-fail-fast --status-level slow \
            -E "package(infill) & test(/^($modules)::/) | binary(layers) | binary(replay) & test(recorded)"
    else
        # One name fits what it is a part of, too: more is run, never less.
        cargo test -q "${QUICK[@]}" --lib --test layers --test replay -- ${modules//|/ } core_ no_source recorded
    fi
    skip "the other tests: ./ci.sh test"
}

#: test         unit, integration and doc tests, in Rust, C, C++ and Python; the examples of core
test() {
    say "test"
    # The profile is optimised: the promises are about real sizes. Examples are built below, where they are run.
    if has cargo-nextest; then
        cargo nextest run "${QUICK[@]}" --lib --tests --no-fail-fast
    else
        cargo test "${QUICK[@]}" --lib --tests --no-fail-fast
    fi
    cargo test "${QUICK[@]}" --doc
    cargo test -p infill-ffi "${HOSTED[@]}"
    examples
    skip "valgrind, sanitizers, packaging, a library for no system: ./ci.sh sweep"
    skip "faer, regret, a million fuzzed programs, benchmarks: ./ci.sh long"
}

#: sweep        C, C++ and Python under valgrind and sanitizers, packages, the library without a system: what builds it again
sweep() {
    say "sweep"
    local watched=(bits border c_examples calls cpp python)
    cargo test -p infill-tests --no-fail-fast "${watched[@]/#/--test=}" -- --ignored sweep::
    cargo test -p infill-tests --no-fail-fast --test freestanding --test packaging
}

#: examples     the examples of core, which check what they print
examples() {
    say "examples"
    local file name log
    cargo build -q -p infill --examples
    log=$(mktemp)
    for file in core/examples/*.rs; do
        name=$(basename "$file" .rs)
        if cargo run -q -p infill --example "$name" >"$log" 2>&1; then
            echo "   $name"
        else
            cat "$log" >&2
            echo "the example $name failed" >&2
            rm -f "$log"
            return 1
        fi
    done
    rm -f "$log"
}

#: docs         documentation without warnings
docs() {
    say "docs"
    RUSTDOCFLAGS="-D warnings" cargo doc -p infill --no-deps
}

#: no-std       the library builds where there is no operating system
no-std() {
    say "no-std"
    local target bare=""
    for target in "$(rustc --print sysroot)"/lib/rustlib/*-none*; do
        [ -d "$target/lib" ] && bare=$(basename "$target")
    done
    if [ -n "$bare" ]; then
        cargo check -p infill --no-default-features --target "$bare"
        echo "   $bare"
        return
    fi
    skip "no bare target is installed (rustup target add thumbv7em-none-eabihf); a library for no system is built for this machine instead"
    # A dependency that brought std would bring a second panic handler, one that brought alloc would ask for an allocator.
    cargo build -q -p infill-ffi --no-default-features --features f32,f64 --profile freestanding
    echo "   a library without std and without an allocator"
}

# Where there is no driver of a GPU, one that plays it: by Vulkan and by OpenGL.
adapter() {
    local libraries
    libraries=$(ldconfig -p 2>/dev/null || true)
    if ! ls /usr/share/vulkan/icd.d/*.json /etc/vulkan/icd.d/*.json >/dev/null 2>&1 ||
        [[ $libraries != *libvulkan.so.1* || $libraries != *libEGL.so.1* ]]; then
        NEEDED=(mesa-vulkan-drivers libvulkan1 libegl1 libegl-mesa0 libgl1-mesa-dri libgles2)
        install-needed
        NEEDED=()
    fi
}

#: gpu          the backend of compute shaders, on any adapter; installs a software adapter if there is none
gpu() {
    say "gpu"
    adapter
    # Not with the tests of core: wgpu takes minutes to compile.
    cargo test -p infill-gpu --no-fail-fast
    skip "every kernel with every rule, size, trend and scalar, and Faer beside it: ./ci.sh gpu-long"
}

#: gpu-long     every kernel with every rule, size, trend and scalar on the device, hours of it; and Faer in the same suite
gpu-long() {
    say "gpu-long"
    adapter
    cargo test -p infill-gpu --features faer --test backends -- --include-ignored --nocapture
}

#: embedded     two firmwares in C run on an emulated Cortex-M4F, bit for bit as here; installs what it needs
embedded() {
    say "embedded"
    ffi/examples/firmware/run.sh
}

#: bits         the same bits on aarch64, i686, s390x, riscv64 (emulated), WebAssembly and here; installs what it needs
bits() {
    say "bits"
    tests/machines/run.sh
}

# abi-library FOLDER NAME: the shared library of the sources there, with the types of its functions, as abidiff reads them.
abi-library() {
    local target=$PWD/target/abi
    (cd "$1" && cargo rustc -q -p infill-ffi --lib --crate-type cdylib "${HOSTED[@]}" --target-dir "$target" \
        --config 'profile.dev.opt-level=0' --config 'profile.dev.package.infill-ffi.debug="full"')
    cp "$target/debug/libinfill.so" "$target/$2.so"
}

#: abi          libinfill.so against that of the last release, by abidiff: what was linked with that one goes on working
abi() {
    say "abi"
    local release suppressed=tests/packaging/abi.ini folder=target/abi found=0
    need abidiff abigail-tools
    install-needed
    NEEDED=()
    if ! has abidiff; then
        skip "no abidiff: the binary interface was compared with nothing"
        return
    fi
    abi-library . now
    # Without types it would compare names alone. A configuration is compared by its fields.
    abidw --no-show-locs "$folder/now.so" >"$folder/now.xml"
    if ! grep -q "class-decl name='infill_config'.*size-in-bits" "$folder/now.xml"; then
        echo "abidw sees no types in $folder/now.so" >&2
        return 1
    fi
    release=$(git describe --tags --abbrev=0 --match 'v[0-9]*' HEAD^ 2>/dev/null || true)
    if [ -z "$release" ]; then
        skip "THERE IS NO RELEASE YET: this version is compared with itself"
        abidiff --suppressions "$suppressed" "$folder/now.so" "$folder/now.so"
        return
    fi
    git worktree remove --force "$folder/release" 2>/dev/null || true
    git worktree add -q --detach "$folder/release" "$release"
    abi-library "$folder/release" then
    git worktree remove --force "$folder/release"
    # New functions are welcome. 4: something changed, 8: certainly for the worse, 1 and 2: it did not work.
    abidiff --suppressions "$suppressed" --no-added-syms "$folder/then.so" "$folder/now.so" || found=$?
    if [ "$found" != 0 ]; then
        echo "the binary interface is not that of $release: a new major version, or mend it" >&2
        return 1
    fi
    echo "   compatible with $release"
}

#: tree         the library depends on what it says and on no procedural macro
tree() {
    say "tree"
    local list line name bad=0
    list=$(cargo tree -p infill -e normal --prefix none)
    while read -r line; do
        name=${line%% *}
        if [[ $ALLOWED != *" $name "* ]]; then
            echo "unexpected dependency: $line" >&2
            bad=1
        elif [[ $line == *"(proc-macro)"* ]]; then
            echo "procedural macro: $line" >&2
            bad=1
        fi
    done < <(sort -u <<<"$list")
    [ "$bad" = 0 ] && echo "   only:$ALLOWED"
    return "$bad"
}

#: oracle       the reference numbers are those of their source
oracle() {
    say "oracle"
    if ! has python3; then
        skip "no python3"
        return
    fi
    python3 tests/oracle/generate.py --verify
    if python3 -c 'import mpmath' 2>/dev/null; then
        python3 tests/oracle/check_golden.py
    else
        skip "no mpmath, golden.txt is not recomputed"
    fi
}

#: fuzz         random programs and lists of sources, INFILL_FUZZ_CASES of them (a million), and INFILL_FUZZ_CALLS (a million) over the C header
fuzz() {
    say "fuzz"
    INFILL_FUZZ_CASES=${INFILL_FUZZ_CASES:-1000000} \
        cargo test --release -p infill-tests --test fuzz -- --include-ignored --nocapture
    INFILL_FUZZ_CALLS=${INFILL_FUZZ_CALLS:-1000000} cargo test -p infill-tests --test calls -- --ignored --nocapture sweep::
}

#: measure      NAME... measures these, one after the other: minutes to hours each
measure() {
    local name
    if [ $# = 0 ]; then
        echo "measure what?" >&2
        help >&2
        exit 2
    fi
    known = "$@"
    for name in "$@"; do
        say "measure $name"
        "measure-$name"
    done
}

#= bench-smoke  every benchmark runs once
measure-bench-smoke() {
    if grep -q '^\[\[bench\]\]' benches/Cargo.toml; then
        cargo bench -p infill-benches -- --test
    else
        skip "no benchmark is declared"
    fi
}

#= instructions what an ask and a tell take, counted by callgrind; a tell above its limit is an error
measure-instructions() {
    cargo run --release -p infill-tests --example instructions
}

#= compare      Plain, Faer and a GPU side by side, and a model of real GPUs; INFILL_QUICK=1 for the smallest sizes
measure-compare() {
    adapter
    cargo run --release -p infill-benches --example compare
}

#= regret       whole runs on test problems, against stated bounds; writes benches/regret.{md,png}
measure-regret() {
    cargo run --release -p infill-tests --example regret -- 20 benches
}

#= presets      every preset against random search, fifty evaluations of four functions, twenty seeds
measure-presets() {
    cargo run --release -p infill-tests --example presets -- 20
}

#= batches      four trials open at a time on Hartmann-6, each way to reckon with them, twenty seeds
measure-batches() {
    cargo run --release -p infill-tests --example batches -- 20
}

#= mixed        the default against random search and MI-ES on barriers and landscapes, ten instances, five runs; and against TPE
measure-mixed() {
    cargo run --release -p infill-tests --example mixed -- 10 5
}

#= branches     strategies for a choice of branches on a synthetic function, ranked, twenty seeds
measure-branches() {
    cargo run --release -p infill-tests --example branches -- 20 200 7
}

#= cash         strategies that choose among real learners and tune them, on data sets that ship with those
measure-cash() {
    cargo run --release -p infill-benches --features learners --example cash -- 40 2
}

#= forests      trees beside those of scikit-learn: test errors and times, on one thread; installs it from PyPI
measure-forests() {
    local env=target/sklearn
    if [ ! -x "$env/bin/python" ] || ! "$env/bin/python" -c 'import sklearn' 2>/dev/null; then
        python3 -m venv "$env"
        "$env/bin/pip" install -q scikit-learn
    fi
    cargo build --release -p infill-benches --example forest
    "$env/bin/python" benches/sklearn/forest.py target/release/examples/forest
}

#= free         TPE beside that of Optuna, on the problem with every kind of parameter; installs it from PyPI
measure-free() {
    local env=target/optuna
    cargo build --release -p infill-tests --example free
    target/release/examples/free 20
    if [ ! -x "$env/bin/python" ] || ! "$env/bin/python" -c 'import optuna' 2>/dev/null; then
        if ! python3 -m venv "$env" || ! "$env/bin/pip" install -q optuna; then
            skip "OPTUNA COULD NOT BE INSTALLED: our TPE was compared with nothing"
            return
        fi
    fi
    "$env/bin/python" benches/optuna/mixed.py target/release/examples/free 20
}

#= transfer     search with what other data sets teach, each left out once, ten seeds; on published tables if they lie beside
measure-transfer() {
    mkdir -p target/transfer
    cargo run --release -p infill-tests --example transfer -- all 0 0 2 target/transfer
    echo "   curves and maps: target/transfer"
}

#= transfer-learners real learners tuned with what they taught on other data sets: trials to reach what plain search has after 40
measure-transfer-learners() {
    cargo run --release -p infill-benches --features learners --example transfer-learners -- tree 40 5
    cargo run --release -p infill-benches --features learners --example transfer-learners -- forest 40 5
}

#= sources      what building sources and asking with them costs, in units of the covariances of their means
measure-sources() {
    cargo run --release -p infill-tests --example sources
}

#: long         the whole workspace with all features, sweep, kills, abi, bits, fuzz, and what is measured but cash, compare and transfer-learners
long() {
    say "long"
    cargo clippy --workspace --all-features --all-targets -- -D warnings
    RUSTDOCFLAGS="-D warnings" cargo doc -p infill --all-features --no-deps
    cargo test --workspace --all-features --no-fail-fast
    cargo test -p infill --lib -- --ignored
    cargo test -p infill-tests --test spaces -- --ignored
    sweep
    # What takes too long for every day: the library with faer, and from two folders.
    cargo test -p infill-tests --test bits --test packaging -- --ignored --nocapture faer two_folders
    # 500 kills of loops in C, C++ and Python.
    cargo test -p infill-tests --test kill -- --ignored --nocapture
    abi
    gpu-long
    embedded
    bits
    fuzz
    measure instructions regret batches mixed branches transfer sources forests free bench-smoke presets
}

#: all          setup fmt lint test sweep gpu docs tree no-std oracle
all() {
    setup
    fmt
    lint
    test
    sweep
    gpu
    docs
    tree
    no-std
    oracle
    say "all is well"
}

#: help         this list
help() {
    echo "usage: ./ci.sh VERB..."
    sed -n 's/^#: /  /p' ci.sh
    echo "NAME, what is measured:"
    sed -n 's/^#= /  /p' ci.sh
}

# known SIGN NAME...: ends the script unless each is listed above after #SIGN.
known() {
    local name sign=$1
    for name in "${@:2}"; do
        if ! grep -q "^#$sign $name " ci.sh; then
            echo "unknown: $name" >&2
            help >&2
            exit 2
        fi
    done
}

[ $# -gt 0 ] || set -- help
if [ "$1" = measure ] && [ $# -gt 1 ]; then
    measure "${@:2}"
    exit
fi
known : "$@"
# One at a time and outside any condition, so that the first failure ends the script.
for verb in "$@"; do
    "$verb"
done
