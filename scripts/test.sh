#!/usr/bin/env bash
# Everything that must hold before a change goes in: formatting, lints, licences, tests. Says how long each part took.
#
# BESIDE_TESTS names a command that runs beside the tests, with the time that they leave; its failure is one of the whole.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/parts.sh
part "system packages"
scripts/setup.sh test

part "formatting"
cargo fmt --all --check
part "lints"
cargo clippy --locked --all-targets -- -D warnings
if command -v cargo-deny >/dev/null 2>&1; then
  part "licences"
  # Licences are read from the sources of all targets' dependencies; building fetched only this one's.
  cargo fetch --locked --quiet
  cargo deny --offline --log-level error check licenses bans sources
else
  echo "== licences: not checked, cargo-deny is not installed (cargo install cargo-deny --locked)" >&2
fi
# Lists of what still breaks a rule hold nothing in vain.
export HOUSE_STRICT=1
part "build of the tests"
cargo test --locked --no-run
# Now, with the library of the tests: builds for other systems change what the compiler of bindings to Assimp depends on.
part "the Python package"
scripts/python.sh
beside=$(mktemp)
beside_pid=
if [ -n "${BESIDE_TESTS:-}" ]; then
  # shellcheck disable=SC2086 # A command with its arguments.
  nice $BESIDE_TESTS >"$beside" 2>&1 &
  beside_pid=$!
fi
part "tests"
status=0
cargo test --locked --no-fail-fast || status=$?
if [ -n "$beside_pid" ]; then
  part "$BESIDE_TESTS, after the tests"
  wait "$beside_pid" || { status=$? && echo "$BESIDE_TESTS failed" >&2; }
  cat "$beside"
fi
rm -f "$beside"
exit "$status"
