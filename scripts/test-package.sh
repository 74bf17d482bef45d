#!/usr/bin/env bash
# Tries a .deb without installing it: unpacks it, compares what the program links with what the package declares, and lets the unpacked
# program render the plaza within 30 seconds. Needs a Vulkan driver (mesa-vulkan-drivers) and the declared packages on this machine.
#
# With --bare it is installed into a bare Debian instead, which debootstrap makes in a folder of its own, with nothing but what it declares
# and a virtual screen; from the installation to a window that shows the plaza may take 30 seconds. Needs root, debootstrap and the
# network; takes some minutes in all.
#
# Usage: scripts/test-package.sh [--bare] FILE.deb [PICTURE.png]
set -euo pipefail
MAX_SECS=30

stop() {
  echo "test-package.sh: $*" >&2
  exit 1
}

is_bare=
if [ "${1:-}" = --bare ]; then
  is_bare=1
  shift
fi
[ $# -ge 1 ] && [ -f "$1" ] || stop "no package named. Usage: scripts/test-package.sh [--bare] FILE.deb [PICTURE.png]"
deb=$1
root=$(mktemp -d)
clean() {
  if [ -n "$is_bare" ]; then
    mountpoint -q "$root/proc" && umount "$root/proc"
    mountpoint -q "$root/dev/shm" && umount "$root/dev/shm"
  fi
  rm -rf --one-file-system "$root"
}
trap clean EXIT
picture=${2:-$root/plaza.png}

# Installs the package into a bare Debian and takes a picture of its window.
try_bare() {
  local mirror suite started secs inside
  [ "$(id -u)" = 0 ] && command -v debootstrap >/dev/null || stop "--bare needs root and debootstrap (apt-get install debootstrap)"
  # The mirror and the release of this machine.
  mirror=$(apt-get indextargets --format '$(REPO_URI)' | head -n 1)
  suite=$(. /etc/os-release && echo "$VERSION_CODENAME")
  debootstrap --variant=minbase "$suite" "$root" "$mirror" >/dev/null || stop "debootstrap made no bare $suite from $mirror"
  cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
  mount -t proc proc "$root/proc"
  mkdir -p "$root/dev/shm" && mount -t tmpfs tmpfs "$root/dev/shm"
  inside=(chroot "$root" env DEBIAN_FRONTEND=noninteractive HOME=/root)
  "${inside[@]}" apt-get -q update >/dev/null
  # What stands for a desktop: a screen, a driver, and what looks at them.
  "${inside[@]}" apt-get -qy install --no-install-recommends xvfb xauth mesa-vulkan-drivers xdotool imagemagick >/dev/null
  cp "$deb" "$root/tmp/walkabout.deb"
  started=$(date +%s)
  "${inside[@]}" apt-get -qy install --no-install-recommends /tmp/walkabout.deb >/dev/null || stop "the package does not install into a bare $suite"
  # The plaza is there when the strip of the viewport beside the welcome panel has many colours; then the panel is closed.
  "${inside[@]}" timeout 120 xvfb-run -s '-screen 0 1280x720x24' bash -c '
    walkabout 2>/tmp/walkabout.log & program=$!
    for _ in $(seq 240); do
      sleep 0.25
      kill -0 $program 2>/dev/null || exit 1
      colors=$(import -silent -window root -crop 60x500+230+80 +repage png:- | identify -format %k -)
      [ "${colors:-0}" -gt 500 ] && break
    done
    date +%s >/tmp/shown
    xdotool search --name Walkabout windowfocus key Escape
    sleep 3
    import -silent -window root /tmp/plaza.png
    kill $program
    [ "${colors:-0}" -gt 500 ]' || stop "the installed program showed no window: $(tail -n 5 "$root/tmp/walkabout.log")"
  secs=$(($(cat "$root/tmp/shown") - started))
  cp "$root/tmp/plaza.png" "$picture"
  [ "$secs" -le "$MAX_SECS" ] || stop "from the package to a window that shows the plaza took $secs seconds, more than $MAX_SECS"
  echo "$deb: installs into a bare $suite and shows the plaza after $secs seconds"
}
if [ -n "$is_bare" ]; then
  try_bare
  exit
fi

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

# What shells, desktops and lawyers find.
id=$(basename "$root"/usr/share/applications/*.desktop .desktop)
! command -v appstreamcli >/dev/null || appstreamcli validate --no-net "$root/usr/share/metainfo/$id.metainfo.xml"
bash -n "$root/usr/share/bash-completion/completions/walkabout"
for file in man/man1/walkabout.1.gz man/man1/walkabout-bake.1.gz "icons/hicolor/48x48/apps/$id.png" "applications/$id.desktop" \
  doc/walkabout/THIRD-PARTY.txt.gz zsh/vendor-completions/_walkabout; do
  [ -s "$root/usr/share/$file" ] || stop "the package lacks /usr/share/$file"
done

mkdir "$root/home"
HOME=$root/home timeout "$MAX_SECS" "$root/usr/bin/walkabout" render "$root/usr/lib/walkabout/config/plaza.acfg" --out "$picture" --seconds 2 ||
  stop "the unpacked program did not render the plaza within $MAX_SECS seconds"
[ -s "$picture" ] || stop "no picture at $picture"
echo "$deb: declares what it links, and renders the plaza"
