#!/usr/bin/env bash
# Tries a .deb without installing it: unpacks it, compares what the program links with what the package declares, and lets the unpacked
# program render the plaza within 30 seconds. Needs a Vulkan driver (mesa-vulkan-drivers) and the declared packages on this machine.
#
# Usage: scripts/test-package.sh FILE.deb [PICTURE.png]
set -euo pipefail
MAX_SECS=30

stop() {
  echo "test-package.sh: $*" >&2
  exit 1
}

[ $# -ge 1 ] && [ -f "$1" ] || stop "no package named. Usage: scripts/test-package.sh FILE.deb [PICTURE.png]"
deb=$1
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
picture=${2:-$root/plaza.png}

dpkg-deb -x "$deb" "$root"
program=$root/usr/lib/walkabout/walkabout
declared=$(dpkg-deb -f "$deb" Depends | tr ',' '\n' | awk '{ print $1 }')
for package in $declared; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || stop "$package is not installed. As root: apt-get install $package"
done
ldd "$program" | awk '/=> \// { print $3 }' | while read -r file; do
  file=$(readlink -f "$file")
  owner=$({ dpkg -S "$file" 2>/dev/null || dpkg -S "${file#/usr}" 2>/dev/null || true; } | head -n 1 | cut -d: -f1)
  grep -qx "$owner" <<<"$declared" || stop "the program links $file of '$owner', which $deb does not declare"
done

mkdir "$root/home"
HOME=$root/home timeout "$MAX_SECS" "$root/usr/bin/walkabout" render "$root/usr/lib/walkabout/config/plaza.acfg" --out "$picture" --seconds 2 ||
  stop "the unpacked program did not render the plaza within $MAX_SECS seconds"
[ -s "$picture" ] || stop "no picture at $picture"
echo "$deb: declares what it links, and renders the plaza"
