#!/usr/bin/env bash
# Checks for the system packages that Walkabout needs and installs what is missing on Debian and Ubuntu.
#
# Usage: scripts/setup.sh [build|test|targets]
#   test     adds what the tests need: a virtual display, a Wayland compositor without a screen, and their tools
#   targets  adds compilers for Windows and for Linux on ARM, for scripts/check-targets.sh
set -euo pipefail

want=${1:-build}
case $want in
  build | test | targets) ;;
  *)
    echo "Usage: scripts/setup.sh [build|test|targets]" >&2
    exit 2
    ;;
esac
packages=(
  gcc g++ libc6-dev pkg-config libassimp-dev zlib1g-dev libasound2-dev
  libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon0 libxkbcommon-x11-0 libvulkan1 mesa-vulkan-drivers
)
# Any libclang with its headers serves; the plain package is the one to ask for where there is none.
shopt -s nullglob
libclang=(/usr/lib/llvm-*/lib/libclang*.so* /usr/lib/*/libclang-*.so*)
headers=(/usr/lib/llvm-*/lib/clang/*/include/stddef.h /usr/lib/clang/*/include/stddef.h)
if [ ${#libclang[@]} -eq 0 ] || [ ${#headers[@]} -eq 0 ]; then
  packages+=(libclang-dev)
fi
[ "$want" = test ] && packages+=(xvfb openbox xdotool imagemagick sway grim wtype wl-clipboard libegl1)
[ "$want" = targets ] && packages+=(g++-mingw-w64-x86-64 g++-aarch64-linux-gnu python3-venv)

if ! command -v cargo >/dev/null 2>&1; then
  echo "Walkabout needs a Rust toolchain (1.95 or newer): cargo was not found on the PATH." >&2
  exit 1
fi

# The version that Cargo.toml asks for, told here in one sentence rather than by cargo after downloads.
version=$(cargo --version | sed -E 's/^cargo ([0-9]+)\.([0-9]+).*/\1 \2/')
read -r major minor <<<"$version"
if [ "$major" -lt 1 ] || { [ "$major" -eq 1 ] && [ "$minor" -lt 95 ]; }; then
  echo "Walkabout needs Rust 1.95 or newer; this is $(cargo --version). Update it (rustup update) and try again." >&2
  exit 1
fi

if ! command -v dpkg-query >/dev/null 2>&1; then
  cat >&2 <<'EOT'
This system has no Debian package manager. Install these by its own means, then go on:
  a C++ compiler, libclang (LLVM; Xcode's tools on macOS),
  Windows and macOS: CMake, by which Assimp is built from its sources once (about ten minutes),
  Linux: pkg-config, Assimp 5 with its headers (assimp, assimp-devel, libassimp-dev), ALSA's headers (alsa-lib-devel, libasound2-dev),
  a Vulkan driver, the X11 or Wayland client libraries with libxkbcommon.
EOT
  exit 0
fi

missing=()
for package in "${packages[@]}"; do
  status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$status" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null 2>&1; then
    echo "Missing packages, and no right to install them. As root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi

echo "Walkabout needs these system packages: ${missing[*]}" >&2
if [ -t 0 ] && [ -t 2 ]; then
  read -r -p "Install them now with apt-get? [Y/n] " answer
  case "$answer" in
    "" | y | Y | yes) ;;
    *)
      echo "Not installed. Later: apt-get install ${missing[*]}" >&2
      exit 1
      ;;
  esac
elif [ "$(id -u)" -ne 0 ] && ! sudo -n true 2>/dev/null; then
  echo "No terminal to ask on and no right to install. As root: apt-get install ${missing[*]}" >&2
  exit 1
fi

"${as_root[@]}" apt-get update -qq
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
