#!/usr/bin/env bash
# Prints the licences of everything that is linked into the program: the crates by their licence files, each text once with the crates that it
# belongs to, and, where Assimp is built from its sources, the licences that lie in them.
#
# Usage: scripts/notices.sh [TARGET]
#   TARGET  the target that the program is built for, such as x86_64-pc-windows-msvc; this machine's without it
# The crates have to be there (cargo fetch); nothing else is needed.
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
registries=("${CARGO_HOME:-$HOME/.cargo}"/registry/src/*)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/texts"

# The folder of a crate $1 of version $2.
folder_of() {
  local registry
  for registry in "${registries[@]}"; do
    [ ! -d "$registry/$1-$2" ] || echo "$registry/$1-$2"
  done | head -n 1
}

# Notes the file $2 as a licence of $1.
note() {
  local sum
  sum=$(tr -d '\r' <"$2" | cksum | tr ' ' -)
  [ -e "$work/texts/$sum" ] || tr -d '\r' <"$2" >"$work/texts/$sum"
  echo "  $1" >>"$work/texts/$sum.names"
}

# Notes what lies in the folder $3, to the depth $2, as the licences of $1. Fails where nothing does.
note_all() {
  local files
  files=$(find "$3" -maxdepth "$2" -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' -o -iname 'unlicense*' -o -iname '*licen[cs]e*.txt' -o -iname '*-Regular.txt' -o -iname '*OFL*.txt' -o -iname '*UFL*.txt' \) | sort)
  [ -n "$files" ] || return 1
  while read -r file; do note "$1" "$file"; done <<<"$files"
}

tree=(cargo tree --locked --manifest-path "$here/Cargo.toml" --prefix none --edges 'normal,no-proc-macro' --format '{p}|{l}')
[ $# -eq 0 ] || tree+=(--target "$1")
"${tree[@]}" | sed 's/ (\*)$//' | grep -v '^walkabout ' | sort -u >"$work/crates"
[ -s "$work/crates" ] || { echo "notices.sh: cargo tree names no crates" >&2; exit 1; }

echo "Walkabout holds the programs of others. These are their licences; where several are named, any one of them may be chosen."
echo
while IFS='|' read -r crate licence; do
  read -r name version _ <<<"$crate"
  version=${version#v}
  echo "  $name $version: ${licence:-see below}"
  folder=$(folder_of "$name" "$version")
  if [ -z "$folder" ] || ! note_all "$name $version" 3 "$folder"; then
    echo "$name $version" >>"$work/without"
  fi
  # The binding carries Assimp, and Assimp what it is made of, deeper down.
  [ "$name" != russimp-sys-ng ] || note_all Assimp 5 "$folder/assimp"
done <"$work/crates"
if [ -s "$work/without" ]; then
  echo
  echo "Without a text of their own, under the licences named above:"
  sed 's/^/  /' "$work/without"
fi
for names in "$work"/texts/*.names; do
  printf '\n%s\n' "------------------------------------------------------------------------------"
  sort -u "$names"
  echo
  cat "${names%.names}"
done
