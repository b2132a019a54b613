#!/usr/bin/env bash
# Builds libinfill and puts it, with its headers, infill.pc and the CMake package infill, below a prefix.
#
#: usage: ffi/install.sh [--uninstall] PREFIX
#:
#:   INFILL_FEATURES   what to build in, any of faer,f32,f64 with a comma between (f32,f64). With faer there is
#:                     infill_backend_faer, faster from some hundred trials on; the build takes minutes more.
#:   INFILL_LIBDIR     where libraries go below PREFIX (lib)
#:   DESTDIR           a folder that stands for / while a package is made (none)
#:   CARGO, CARGO_TARGET_DIR, CARGO_BUILD_TARGET, RUSTFLAGS   as cargo has them
#:
#: What is installed knows its place by where it is found, so the prefix may be moved.
#: --uninstall removes what an installation of this major version put there, and nothing else.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
usage() { sed -n 's/^#: \{0,1\}//p' "${BASH_SOURCE[0]}"; }
fail() {
    echo "install.sh: $*" >&2
    exit 2
}

uninstall=no
prefix=
for argument in "$@"; do
    case $argument in
    -h | --help) usage && exit ;;
    --uninstall) uninstall=yes ;;
    -*) fail "unknown option $argument; --help lists them" ;;
    *) [ -z "$prefix" ] && prefix=$argument || fail "more than one PREFIX, or an empty one" ;;
    esac
done
[ -n "$prefix" ] || fail "no PREFIX; --help says more"
[ "$(uname -s)" = Linux ] || fail "the names of libraries are those of Linux"

libdir=${INFILL_LIBDIR:-lib}
[[ $libdir != /* && /$libdir/ != */../* ]] || fail "INFILL_LIBDIR is below PREFIX"
libdir=${libdir%/}
features=${INFILL_FEATURES-f32,f64}
[[ ,$features, =~ ^(,(std|faer|f32|f64))+,$ ]] || fail "INFILL_FEATURES=$features: faer, f32 and f64 are known"
version=$(sed -n '/^\[workspace.package\]/,/^\[/s/^version = "\(.*\)"/\1/p' "$here/../Cargo.toml")
major=${version%%.*}

root=${DESTDIR:+$DESTDIR/}$prefix
include=$root/include
lib=$root/$libdir
doc=$root/share/doc/infill

# What an earlier version of the same soname left is removed, too: only one of them can be meant.
remove() {
    rm -f "$include"/infill.h "$include"/infill.hpp "$lib"/libinfill.a "$lib"/libinfill.so \
        "$lib/libinfill.so.$major" "$lib/libinfill.so.$major".* "$lib"/pkgconfig/infill.pc \
        "$lib"/cmake/infill/infillConfig.cmake "$lib"/cmake/infill/infillConfigVersion.cmake \
        "$doc"/LICENSE-MIT "$doc"/LICENSE-APACHE "$doc"/THIRD-PARTY
}

if [ $uninstall = yes ]; then
    remove
    # Folders of our own; the others may have been there before.
    rmdir "$lib/cmake/infill" "$doc" 2>/dev/null || true
    exit
fi

# Where the sources lie on this machine is nobody's business: two builds of one version are the same bytes in any folder.
top=$(cd "$here/.." && pwd)
home=${CARGO_HOME:-$HOME/.cargo}
separator=$'\x1f'
flags=${CARGO_ENCODED_RUSTFLAGS-${RUSTFLAGS:+${RUSTFLAGS// /$separator}}}
flags=${flags:+$flags$separator}--remap-path-prefix=$top=infill$separator--remap-path-prefix=$home=cargo
# Generic code is compiled once, with the C interface, instead of there and in the library.
export CARGO_ENCODED_RUSTFLAGS=$flags$separator--cfg=infill_once

# The static and the shared library are one crate; a linker argument concerns the shared one only.
target=${CARGO_TARGET_DIR:-$here/../target}
[[ $target == /* ]] || target=$PWD/$target
built=$target/${CARGO_BUILD_TARGET:+$CARGO_BUILD_TARGET/}hosted
(
    cd "$here"
    "${CARGO:-cargo}" rustc --profile hosted --lib --target-dir "$target" --no-default-features --features "std,$features" \
        -- -C "link-arg=-Wl,-soname,libinfill.so.$major"
)

# Folders upwards from the libraries to the prefix.
up=$(sed 's:[^/]\{1,\}:..:g' <<<"$libdir")
fill() { sed "s:@VERSION@:$version:g; s:@MAJOR@:$major:g; s:@LIBDIR@:$libdir:g; s:@UP@:$up:g" "$here/pkg/$1.in" >"$2/$1" && chmod 644 "$2/$1"; }

# What is linked that others wrote, with the terms of each; "infill" itself has its two files.
third_party() {
    (cd "$here" && "${CARGO:-cargo}" tree -e normal --prefix none --no-default-features --features "std,$features" \
        --format '{p}|{l}') | sed -n 's/^\([^ ]*\) v\([^ |]*\)|\(.*\)/\1 \2 \3/p' | sed 's/ (\*)$//' | sort -u |
        while read -r name number terms; do
            printf '%s %s: %s\n\n' "$name" "$number" "$terms"
            # Sources that lie elsewhere, as vendored ones do, are named without their texts.
            { find "$home"/registry/src/*/"$name-$number" -maxdepth 1 -type f -iname 'licen[sc]e*' 2>/dev/null || true; } | sort |
                while read -r text; do printf '== %s\n\n' "${text##*/}" && cat "$text" && echo; done
        done
    echo "Rust's own library: MIT OR Apache-2.0, The Rust Project Contributors"
}

remove
install -d "$include" "$lib/pkgconfig" "$lib/cmake/infill" "$doc"
install -m 644 "$here"/include/infill.h* "$include"
install -m 644 "$built/libinfill.a" "$lib"
install -m 755 "$built/libinfill.so" "$lib/libinfill.so.$version"
# Most of their bytes are line tables of the Rust inside.
if command -v strip >/dev/null && [ -z "${CARGO_BUILD_TARGET:-}" ]; then
    strip --strip-debug "$lib/libinfill.a"
    strip --strip-unneeded "$lib/libinfill.so.$version"
fi
ln -s "libinfill.so.$version" "$lib/libinfill.so.$major"
ln -s "libinfill.so.$major" "$lib/libinfill.so"
fill infill.pc "$lib/pkgconfig"
fill infillConfig.cmake "$lib/cmake/infill"
fill infillConfigVersion.cmake "$lib/cmake/infill"
install -m 644 "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE" "$doc"
third_party >"$doc/THIRD-PARTY"
chmod 644 "$doc/THIRD-PARTY"
echo "infill $version is in $root"
