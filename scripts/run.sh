#!/usr/bin/env bash
# Builds Walkabout and opens a scene (the default one without an argument).
#
# Usage: scripts/run.sh [SCENE | any walkabout arguments]
set -euo pipefail
here=$(cd "$(dirname "$0")/.." && pwd)
"$here/scripts/setup.sh" build
cargo build --release --locked --manifest-path "$here/Cargo.toml"
target=${CARGO_TARGET_DIR:-$here/target}
[ $# -gt 0 ] || set -- "$here/config/plaza.acfg"
exec "$target/release/walkabout" "$@"
