#!/usr/bin/env bash
# Draws the pictures of the icon that lie in the repository, because not every system can draw its SVG: walkabout-128.png, which the window
# shows, and walkabout.icns, which an application of macOS shows. To be run when the SVG has changed. Needs rsvg-convert (Debian: librsvg2-bin).
set -euo pipefail
packaging=$(cd "$(dirname "$0")/../packaging" && pwd)
svg=("$packaging"/*.svg)
command -v rsvg-convert >/dev/null || { echo "icons.sh: rsvg-convert is missing (Debian: apt-get install librsvg2-bin)" >&2; exit 1; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Prints a number as four bytes, the highest first.
bytes() {
  local hex
  hex=$(printf '%08x' "$1")
  printf '%b' "\\x${hex:0:2}\\x${hex:2:2}\\x${hex:4:2}\\x${hex:6:2}"
}

rsvg-convert -w 128 -h 128 "${svg[0]}" -o "$packaging/walkabout-128.png"

# An .icns is a header and pictures, each behind its kind and its length with both. The kinds: sizes for displays of twice the density, and
# of one.
for part in ic11:32 ic12:64 ic07:128 ic13:256 ic08:256 ic14:512 ic09:512; do
  size=${part#*:}
  [ -e "$work/$size.png" ] || rsvg-convert -w "$size" -h "$size" "${svg[0]}" -o "$work/$size.png"
  printf '%s' "${part%:*}"
  bytes $(($(wc -c <"$work/$size.png") + 8))
  cat "$work/$size.png"
done >"$work/parts"
{
  printf 'icns'
  bytes $(($(wc -c <"$work/parts") + 8))
  cat "$work/parts"
} >"$packaging/walkabout.icns"
