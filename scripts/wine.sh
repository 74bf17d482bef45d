#!/usr/bin/env bash
# Builds the program for Windows with GNU tools and tries it under Wine: commands without a window, a picture over Mesa's Vulkan, and the
# window, of which a picture is kept.
#
# Usage: scripts/wine.sh [--binary FILE.exe] [--out FOLDER]
#   --binary FILE.exe  tries this program in place of building one (the first build takes about twenty minutes: Assimp is built, too)
#   --out FOLDER       where the pictures and what the program says go; `wine` in the target folder without it
#
# Needs Debian's wine64, g++-mingw-w64-x86-64, cmake, xvfb, openbox, imagemagick and mesa-vulkan-drivers, and
# `rustup target add x86_64-pc-windows-gnu`.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
target=x86_64-pc-windows-gnu
folder=${CARGO_TARGET_DIR:-$here/target}
binary=
out=$folder/wine

stop() {
  echo "wine.sh: $*" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || stop "$1 needs a value, or is not known. Usage: scripts/wine.sh [--binary FILE.exe] [--out FOLDER]"
  case $1 in
    --binary) binary=$(realpath "$2") ;;
    --out) out=$(realpath -m "$2") ;;
    *) stop "option $1 is not known" ;;
  esac
  shift 2
done
# What is named above counts from where the script is called, all else from here.
cd "$here"
for tool in wine x86_64-w64-mingw32-g++-posix Xvfb openbox import; do
  command -v "$tool" >/dev/null || stop "$tool was not found; see the head of this script for what to install"
done

if [ -z "$binary" ]; then
  command -v cmake >/dev/null || stop "cmake was not found; it builds Assimp"
  # Threads of C++ need the compilers with POSIX threads.
  export CC_x86_64_pc_windows_gnu=x86_64-w64-mingw32-gcc-posix CXX_x86_64_pc_windows_gnu=x86_64-w64-mingw32-g++-posix
  export BINDGEN_EXTRA_CLANG_ARGS="-I/usr/x86_64-w64-mingw32/include -idirafter /usr/include"
  cargo build --locked --target "$target" --bin walkabout
  binary=$folder/$target/debug/walkabout.exe
fi

mkdir -p "$out"
out=$(realpath "$out")
work=$(mktemp -d)
display=
cleanup() {
  # shellcheck disable=SC2086 # Several numbers.
  [ -z "$display" ] || kill $display 2>/dev/null || true
  WINEPREFIX=$work/prefix wineserver -k 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT
cp "$binary" "$work/walkabout.exe"
# What the compiler brings along.
for dll in libstdc++-6.dll libgcc_s_seh-1.dll libwinpthread-1.dll; do
  cp "$(x86_64-w64-mingw32-g++-posix -print-file-name="$dll")" "$work/" 2>/dev/null || true
done
# Wine 8 lacks a library of Windows 8.1 from which Rust takes random numbers.
if ! find /usr/lib /opt -name bcryptprimitives.dll 2>/dev/null | grep -q .; then
  cat >"$work/random.c" <<'EOT'
#include <windows.h>
BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);
__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }
EOT
  x86_64-w64-mingw32-gcc-posix -shared -o "$work/bcryptprimitives.dll" "$work/random.c" -ladvapi32
fi

export WINEPREFIX=$work/prefix WINEDEBUG=-all XDG_RUNTIME_DIR=$work
wineboot --init >/dev/null 2>&1
failed=0
# Runs the program with arguments; what it says must hold the first one.
try() {
  local says=$1
  shift
  if timeout 300 wine "$work/walkabout.exe" "$@" >"$out/said.txt" 2>&1 && grep -q -- "$says" "$out/said.txt"; then
    echo "ok: walkabout $*"
  else
    echo "FAILED: walkabout $*" >&2
    tail -n 5 "$out/said.txt" >&2
    failed=1
  fi
}

try "walkabout 0" --version
try "ok: config/plaza.acfg" check config/plaza.acfg
try "texture: olive" import assets/people/ada.glb
try "1 of 1 found" path assets/levels/plaza.glb --from -22,0,27 --to 16.6,2.4,-28.5
try "Polygons" bake assets/levels/arena.obj --out "$out/arena.navmesh"
try "nothing found" doctor assets/levels/arena.obj
try "walking" simulate config/arena.acfg --seconds 2

# Without a display Wine finds no Vulkan.
number=$((90 + RANDOM % 900))
Xvfb ":$number" -noreset -screen 0 1400x900x24 >/dev/null 2>&1 &
display=$!
export DISPLAY=:$number
sleep 2
# Another program may have this number.
kill -0 "$display" 2>/dev/null || stop "the virtual display :$number did not start"
openbox >/dev/null 2>&1 &
display="$display $!"
try "vulkan" gpu
try "640 x 360 pixels" render config/arena.acfg --backend vulkan --size 640x360 --out "$out/arena.png"

(timeout 240 wine "$work/walkabout.exe" --backend vulkan config/plaza.acfg >"$out/window.txt" 2>&1 &)
# The picture has more than a plain window's colours once the plaza is drawn.
colors=0
for _ in $(seq 60); do
  sleep 3
  import -window root "$out/window.png" 2>/dev/null || continue
  colors=$(identify -format %k "$out/window.png")
  [ "$colors" -lt 30000 ] || break
done
if [ "$colors" -ge 30000 ]; then
  echo "ok: the window shows the plaza ($out/window.png)"
else
  echo "FAILED: the window shows $colors colours ($out/window.png)" >&2
  failed=1
fi
exit "$failed"
