#!/usr/bin/env bash
# Everything that must hold before a change goes in: formatting, lints, licences, tests.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh test

echo "== formatting"
cargo fmt --all --check
cargo fmt --check --manifest-path python/Cargo.toml
echo "== lints"
cargo clippy --locked --all-targets -- -D warnings
if command -v cargo-deny >/dev/null 2>&1; then
  echo "== licences"
  # Licences are read from the sources of all targets' dependencies; building fetched only this one's.
  cargo fetch --locked --quiet
  cargo deny --offline --log-level error check licenses bans sources
  cargo fetch --locked --quiet --manifest-path python/Cargo.toml
  cargo deny --manifest-path python/Cargo.toml --offline --log-level error check licenses sources
else
  echo "== licences: not checked, cargo-deny is not installed (cargo install cargo-deny --locked)" >&2
fi
echo "== tests"
# Lists of what still breaks a rule hold nothing in vain.
export HOUSE_STRICT=1
cargo test --locked --no-fail-fast
echo "== the Python package"
scripts/python.sh
