#!/usr/bin/env bash
# Writes what Flatpak, winget and Homebrew ask for, for the packages of a release: a Flatpak manifest, the three files of a winget
# package, and a Homebrew cask. A manager whose package is not in the folder is left out, and named.
#
# Usage: scripts/manifests.sh --repository OWNER/NAME [--packages FOLDER] [--out FOLDER]
#   --repository OWNER/NAME  the repository on GitHub whose release v<version> the packages are attached to
#   --packages FOLDER        where scripts/package.sh put them; `packages` in the target folder without it
#   --out FOLDER             where the manifests go; `manifests` in the packages' folder without it
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
usage="Usage: scripts/manifests.sh --repository OWNER/NAME [--packages FOLDER] [--out FOLDER]"

stop() {
  echo "manifests.sh: $*" >&2
  exit 1
}

repository=
packages=${CARGO_TARGET_DIR:-$here/target}/packages
out=
while [ $# -gt 0 ]; do
  [ $# -ge 2 ] || stop "$1 needs a value, or is not known. $usage"
  case $1 in
    --repository) repository=$2 ;;
    --packages) packages=$2 ;;
    --out) out=$2 ;;
    *) stop "option $1 is not known. $usage" ;;
  esac
  shift 2
done
[[ "$repository" =~ ^[A-Za-z0-9-]+/[A-Za-z0-9._-]+$ ]] || stop "the repository '$repository' is not OWNER/NAME. $usage"
[ -d "$packages" ] || stop "no folder $packages: scripts/package.sh makes the packages"
out=${out:-$packages/manifests}

version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)
owner=${repository%%/*}
home=https://github.com/$repository
release=$home/releases/download/v$version
ours=$(basename "$here"/packaging/*.desktop .desktop)
summary=$(sed -n 's/^Comment=//p' "$here/packaging/$ours.desktop")

# Prints the one package that the pattern $1 matches, or nothing.
package() {
  local file
  file=$(compgen -G "$packages/$1" | head -n 1) || true
  if [ -n "$file" ]; then basename "$file"; else echo "$2: no $1 in $packages, left out" >&2; fi
}

checksum() {
  if command -v sha256sum >/dev/null; then sha256sum "$packages/$1"; else shasum -a 256 "$packages/$1"; fi | cut -d' ' -f1
}

flatpak() {
  local file id
  file=$(package "walkabout-$version-linux-amd64.tar.gz" Flatpak)
  [ -n "$file" ] || return 0
  # Owners' names may begin with a digit and hold dashes, which parts of an id may not.
  id=$(tr '[:upper:]-' '[:lower:]_' <<<"io.github.$owner.walkabout" | sed 's/github\.\([0-9]\)/github._\1/')
  mkdir -p "$out/flatpak"
  cat >"$out/flatpak/$id.yml" <<MANIFEST
app-id: $id
runtime: org.freedesktop.Platform
runtime-version: '25.08'
sdk: org.freedesktop.Sdk
command: walkabout
rename-desktop-file: $ours.desktop
rename-icon: $ours
rename-appdata-file: $ours.metainfo.xml
finish-args:
  - --device=dri
  - --share=ipc
  - --socket=fallback-x11
  - --socket=wayland
  - --socket=pulseaudio
  # Scenes name models and levels that lie beside them, which a file dialog alone would not let through. Flathub grants this on request.
  - --filesystem=home
modules:
  - name: walkabout
    buildsystem: simple
    build-commands:
      - mkdir -p /app/bin /app/walkabout
      - cp -r program lib walkabout /app/walkabout/
      - cp -r share /app/
      - sed -i 's/$ours/$id/g' /app/share/metainfo/$ours.metainfo.xml /app/share/mime/packages/$ours.xml
      - mv /app/share/mime/packages/$ours.xml /app/share/mime/packages/$id.xml
      - ln -s ../walkabout/walkabout /app/bin/walkabout
    sources:
      - type: archive
        url: $release/$file
        sha256: $(checksum "$file")
MANIFEST
}

winget() {
  local file id header
  file=$(package "walkabout-$version-windows-x86_64.zip" winget)
  [ -n "$file" ] || return 0
  id=$owner.Walkabout
  header="PackageIdentifier: $id
PackageVersion: $version"
  mkdir -p "$out/winget"
  cat >"$out/winget/$id.yaml" <<MANIFEST
$header
DefaultLocale: en-US
ManifestType: version
ManifestVersion: 1.9.0
MANIFEST
  cat >"$out/winget/$id.locale.en-US.yaml" <<MANIFEST
$header
PackageLocale: en-US
Publisher: $owner
PackageName: Walkabout
PackageUrl: $home
License: MIT
ShortDescription: $summary
ManifestType: defaultLocale
ManifestVersion: 1.9.0
MANIFEST
  cat >"$out/winget/$id.installer.yaml" <<MANIFEST
$header
InstallerType: zip
NestedInstallerType: portable
NestedInstallerFiles:
  - RelativeFilePath: ${file%.zip}\\walkabout.exe
    PortableCommandAlias: walkabout
# Scenes and assets lie beside the program: winget is to leave it there, and puts its folder on the path.
ArchiveBinariesDependOnPath: true
Installers:
  - Architecture: x64
    InstallerUrl: $release/$file
    InstallerSha256: $(checksum "$file" | tr '[:lower:]' '[:upper:]')
ManifestType: installer
ManifestVersion: 1.9.0
MANIFEST
}

homebrew() {
  local file
  file=$(package "walkabout-$version-macos-arm64.zip" Homebrew)
  [ -n "$file" ] || return 0
  mkdir -p "$out/homebrew"
  cat >"$out/homebrew/walkabout.rb" <<CASK
cask "walkabout" do
  version "$version"
  sha256 "$(checksum "$file")"

  url "$home/releases/download/v#{version}/walkabout-#{version}-macos-arm64.zip"
  name "Walkabout"
  desc "Workbench for game characters that find their way"
  homepage "$home"

  depends_on arch: :arm64

  app "Walkabout.app"
  binary "#{appdir}/Walkabout.app/Contents/MacOS/walkabout"

  caveats <<~TEXT
    Walkabout is not signed with a certificate of Apple's. If macOS refuses to open it:
      xattr -d -r com.apple.quarantine "#{appdir}/Walkabout.app"
  TEXT
end
CASK
}

flatpak
winget
homebrew
find "$out" -type f | sort
