#!/usr/bin/env bash
# Opens a scene (the default one without an argument): in the program of a package of this version where one lies beside the sources or
# where scripts/package.sh put it, else in one that is built first.
#
# Usage: scripts/run.sh [SCENE | any walkabout arguments]
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$here/target}
[ $# -gt 0 ] || set -- "$here/config/plaza.acfg"

# Prints the portable package of this version and machine, unless something that goes into it has changed since.
package() {
  local version arch file
  version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$here/Cargo.toml" | head -n 1)
  arch=$(dpkg --print-architecture 2>/dev/null || true)
  for file in "$here" "$target/packages"; do
    file=$file/walkabout-$version-linux-$arch.tar.gz
    [ -f "$file" ] || continue
    [ -n "$(find "$here"/{src,shaders,assets,config,Cargo.toml,Cargo.lock} -type f -newer "$file" -print -quit)" ] || echo "$file"
  done | head -n 1
}

file=$(package)
if [ -n "$file" ]; then
  folder=$target/packages/$(basename "$file" .tar.gz)
  if [ ! -x "$folder/walkabout" ] || [ "$file" -nt "$folder" ]; then
    mkdir -p "$folder"
    tar -xzf "$file" --directory "$target/packages"
    touch "$folder"
  fi
  echo "Opening with $file; nothing is built." >&2
  exec "$folder/walkabout" "$@"
fi

"$here/scripts/setup.sh" build
if [ ! -x "$target/release/walkabout" ]; then
  echo "Building Walkabout from its sources, which takes about 12 minutes on two cores. Later starts build what has changed." >&2
fi
cargo build --release --locked --manifest-path "$here/Cargo.toml"
exec "$target/release/walkabout" "$@"
