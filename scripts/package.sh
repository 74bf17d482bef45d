#!/usr/bin/env bash
# Makes packages of Walkabout for this machine's processor. Linux: a .deb, a portable .tar.gz, and an AppImage where appimagetool is
# installed. Windows (in Git's Bash): a portable .zip. macOS: a .zip of Walkabout.app.
#
# Usage: scripts/package.sh [--binary FILE] [--system linux|windows|macos] [--out FOLDER]
#   --binary FILE  packs this program in place of building one with the profile `dist`
#   --system NAME  the system that the program of --binary is for; this machine's without it
#   --out FOLDER   where the packages go; `packages` in the target folder without it
# On Linux the symbols of the program go into a file beside the packages.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
MAX_PACKAGE_BYTES=60000000

stop() {
  echo "package.sh: $*" >&2
  exit 1
}

usage="Usage: scripts/package.sh [--binary FILE] [--system linux|windows|macos] [--out FOLDER]"
target=${CARGO_TARGET_DIR:-$here/target}
binary=
out=$target/packages
case $(uname -s) in
  Linux) system=linux ;;
  Darwin) system=macos ;;
  MINGW* | MSYS* | CYGWIN*) system=windows ;;
  *) stop "there are no packages for $(uname -s). Put config/ and assets/ beside the program that cargo build --profile dist makes." ;;
esac
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || stop "$1 needs a value, or is not known. $usage"
  case $1 in
    --binary) binary=$2 ;;
    --system) system=$2 ;;
    --out) out=$2 ;;
    *) stop "option $1 is not known. $usage" ;;
  esac
  shift 2
done

extension=
case $system in
  linux) tools="dpkg-deb dpkg objcopy ldd gzip tar rsvg-convert" ;;
  macos) tools=cmake ;;
  windows) tools=cmake extension=.exe ;;
  *) stop "there are no packages for '$system'. $usage" ;;
esac
for tool in $tools; do
  command -v "$tool" >/dev/null || stop "$tool is missing. On Debian or Ubuntu: apt-get install binutils cmake dpkg tar gzip libc-bin librsvg2-bin"
done
# The name of the program's files for desktops, and the target that it is built for; this machine's where none is named.
id=$(basename "$here"/packaging/*.desktop .desktop)
case $system in
  windows) cargo_target=x86_64-pc-windows-msvc ;;
  macos) cargo_target=aarch64-apple-darwin ;;
  *) cargo_target= ;;
esac
if [ -z "$binary" ]; then
  # The oldest macOS that the program is to run on, for the compilers of all its parts.
  [ "$system" != macos ] || export MACOSX_DEPLOYMENT_TARGET=11.0
  cargo build --profile dist --locked --manifest-path "$here/Cargo.toml"
  binary=$target/dist/walkabout$extension
fi
[ -f "$binary" ] || stop "no program at $binary"

version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
umask 022
mkdir -p "$out"
out=$(cd "$out" && pwd)

# What every package holds. The program looks for `config/` beside itself, and scenes name their files relative to it.
program=$work/program
mkdir -p "$program"
cp "$binary" "$program/walkabout$extension"
chmod 755 "$program/walkabout$extension"
cp -r "$here/config" "$here/assets" "$here/LICENSE" "$program/"
rm -rf "$program/assets/source"
"$here/scripts/notices.sh" ${cargo_target:+"$cargo_target"} >"$program/THIRD-PARTY.txt" || stop "the licences of what is linked could not be gathered"

# What desktops and shells look for, below the `share` folder $1: desktop file, icons, metadata, file types, completions, manual.
install_shared_files() {
  local size shells
  install -D -m 644 "$here/packaging/$id.desktop" "$1/applications/$id.desktop"
  install -D -m 644 "$here/packaging/$id.svg" "$1/icons/hicolor/scalable/apps/$id.svg"
  install -D -m 644 "$here/packaging/$id.metainfo.xml" "$1/metainfo/$id.metainfo.xml"
  sed -i -E "s/<release version=\"[^\"]*\" date=\"[^\"]*\"/<release version=\"$version\" date=\"$(date -u +%F)\"/" "$1/metainfo/$id.metainfo.xml"
  install -D -m 644 "$here/packaging/$id-mime.xml" "$1/mime/packages/$id.xml"
  # Desktops that draw no SVG take the nearest size.
  for size in 16 22 24 32 48 64 128 256 512; do
    mkdir -p "$1/icons/hicolor/${size}x$size/apps"
    rsvg-convert -w $size -h $size "$here/packaging/$id.svg" -o "$1/icons/hicolor/${size}x$size/apps/$id.png"
  done
  shells=$1/bash-completion/completions/walkabout
  mkdir -p "${shells%/*}" "$1/zsh/vendor-completions" "$1/fish/vendor_completions.d" "$1/man/man1"
  "$binary" completions bash >"$shells"
  "$binary" completions zsh >"$1/zsh/vendor-completions/_walkabout"
  "$binary" completions fish >"$1/fish/vendor_completions.d/walkabout.fish"
  "$binary" man --out "$1/man/man1" >/dev/null
  gzip -9 -n "$1"/man/man1/*.1
}

# The libraries that the program names itself, by `ldd`, that no other system need have: the model importer and what it needs.
libraries() {
  ldd "$program/walkabout" | awk '/=> \// { print $1, $3 }' | grep -E '^lib(assimp|draco|minizip)' || true
}

# Prints the Debian package of the file $1, or nothing. Some packages list their files below `/lib`, which is a link to `/usr/lib`.
owner() {
  local file
  file=$(readlink -f "$1")
  { dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}" 2>/dev/null || true; } | head -n 1 | cut -d: -f1
}

# Copies those libraries with their licences into the folder $1.
bundle_libraries() {
  mkdir -p "$1"
  libraries | while read -r name file; do
    cp -L "$file" "$1/$name"
    package=$(owner "$file")
    [ -z "$package" ] || cp -L "/usr/share/doc/$package/copyright" "$1/$package.copyright"
  done
}

# The Debian packages of everything that the program links, and of the libraries that it opens while it runs.
dependencies() {
  {
    ldd "$program/walkabout" | awk '/=> \// { print $3 }' | while read -r file; do owner "$file"; done
    # Opened while the program runs.
    printf '%s\n' libx11-6 libx11-xcb1 libxcursor1 libxi6 libxkbcommon0 libxkbcommon-x11-0 libvulkan1
    # The C library stands apart, with its version.
  } | grep -v '^libc6$' | sort -u | paste -sd , | sed 's/,/, /g'
}

make_deb() {
  local root=$work/deb maintainer='The Walkabout project <maintainers@invalid>'
  mkdir -p "$root/DEBIAN" "$root/usr/lib" "$root/usr/bin" "$root/usr/share/doc/walkabout"
  cp -r "$program" "$root/usr/lib/walkabout"
  mv "$root/usr/lib/walkabout/LICENSE" "$root/usr/share/doc/walkabout/copyright"
  mv "$root/usr/lib/walkabout/THIRD-PARTY.txt" "$root/usr/share/doc/walkabout/"
  gzip -9 -n "$root/usr/share/doc/walkabout/THIRD-PARTY.txt"
  printf 'walkabout (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n -- %s  %s\n' \
    "$version" "$maintainer" "$(date -u -R)" | gzip -9 -n >"$root/usr/share/doc/walkabout/changelog.gz"
  ln -s ../lib/walkabout/walkabout "$root/usr/bin/walkabout"
  install_shared_files "$root/usr/share"
  local libc
  libc=$(objdump -T "$program/walkabout" | grep -o 'GLIBC_2\.[0-9]*' | sort -u -V | tail -n 1 | cut -d_ -f2)
  cat >"$root/DEBIAN/control" <<CONTROL
Package: walkabout
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk "$root/usr" | cut -f1)
Depends: libc6 (>= $libc), $(dependencies)
Recommends: mesa-vulkan-drivers, libegl1
Section: devel
Priority: optional
Description: Workbench for game characters that find their way
 Opens a scene, lets animated characters walk to their targets over a
 navigation mesh, and shows what happens inside.
CONTROL
  dpkg-deb --build --root-owner-group "$root" "$out/walkabout_${version}_$arch.deb" >/dev/null
}

# A program that starts from any folder: $1 is the folder, $2 the name of its launcher.
make_portable_folder() {
  mkdir -p "$1"
  cp -r "$program" "$1/program"
  bundle_libraries "$1/lib"
  cat >"$1/$2" <<'LAUNCHER'
#!/bin/sh
# Starts Walkabout with the libraries that came with it.
folder=$(dirname "$(readlink -f "$0")")
LD_LIBRARY_PATH="$folder/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
export LD_LIBRARY_PATH
exec "$folder/program/walkabout" "$@"
LAUNCHER
  chmod 755 "$1/$2"
}

make_tar() {
  local name=walkabout-$version-linux-$arch
  make_portable_folder "$work/$name" walkabout
  install_shared_files "$work/$name/share"
  tar -c --owner=0 --group=0 --numeric-owner -C "$work" "$name" | gzip -9 >"$out/$name.tar.gz"
}

make_appimage() {
  if ! command -v appimagetool >/dev/null; then
    echo "AppImage: not made, appimagetool is not installed"
    return
  fi
  make_portable_folder "$work/AppDir" AppRun
  install_shared_files "$work/AppDir/usr/share"
  cp "$here/packaging/$id.desktop" "$here/packaging/$id.svg" "$work/AppDir/"
  appimagetool "$work/AppDir" "$out/walkabout-$version-$arch.AppImage"
}

# Packs the folder $1 below the working folder as a .zip. CMake, which built Assimp, does it alike on every system.
make_zip() {
  (cd "$work" && cmake -E tar cf "$out/$2" --format=zip "$1")
}

make_windows_zip() {
  local name=walkabout-$version-windows-$arch
  mkdir "$program/completions"
  # A program for another system says nothing here.
  if ! "$binary" completions powershell >"$program/completions/walkabout.ps1" 2>/dev/null; then
    echo "PowerShell's completions: left out, $binary does not run on this machine" >&2
    rm -r "$program/completions"
  fi
  mv "$program" "$work/$name"
  make_zip "$name" "$name.zip"
}

# The program with its files inside of an application, which Finder starts. Programs alone may lie in `MacOS`: the seal of an application
# takes no other files there.
make_macos_zip() {
  local contents=$work/Walkabout.app/Contents
  mkdir -p "$contents/MacOS"
  mv "$program/walkabout" "$contents/MacOS/walkabout"
  mv "$program" "$contents/Resources"
  cp "$here/packaging/walkabout.icns" "$contents/Resources/"
  sed "s/@VERSION@/$version/g" "$here/packaging/Info.plist" >"$contents/Info.plist"
  # A seal of this machine alone: Apple's processors start no program without one.
  if command -v codesign >/dev/null; then
    codesign --force --sign - "$work/Walkabout.app"
    codesign --verify --strict "$work/Walkabout.app"
  fi
  make_zip Walkabout.app "walkabout-$version-macos-$arch.zip"
}

if [ "$system" = linux ]; then
  arch=$(dpkg --print-architecture)
  objcopy --only-keep-debug --compress-debug-sections "$binary" "$out/walkabout-$version-$arch.debug"
  objcopy --strip-all "$program/walkabout"
  make_deb
  make_tar
  make_appimage
else
  # The machine that the program was built on and for.
  arch=$(uname -m)
  "make_${system}_zip"
fi
for file in "$out/walkabout_${version}_$arch.deb" "$out/walkabout-$version-$system-$arch".* "$out/walkabout-$version-$arch.AppImage"; do
  [ -e "$file" ] || continue
  bytes=$(wc -c <"$file")
  [ "$bytes" -le "$MAX_PACKAGE_BYTES" ] || stop "$file has $bytes bytes, more than $MAX_PACKAGE_BYTES"
  echo "$file: $bytes bytes"
done
