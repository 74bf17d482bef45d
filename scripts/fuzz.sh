#!/usr/bin/env bash
# Looks for input that breaks the program, for some minutes: a quarter of the time the property tests with fresh seeds, the
# rest the coverage-guided fuzz targets of fuzz/ in turn, on all cores. What is found is kept where every later run of the
# tests tries it first: seeds below proptest-regressions/, files below tests/fixtures/fuzz/. Commit it with the fix.
#
# The fuzz targets need a nightly toolchain and cargo-fuzz (`rustup toolchain install nightly`, `cargo install cargo-fuzz`);
# where they are not there, the script says so and gives all of the time to the property tests.
#
# Usage: scripts/fuzz.sh MINUTES [TARGET]...
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
  '' | *[!0-9]*)
    echo "Usage: scripts/fuzz.sh MINUTES [TARGET]..." >&2
    exit 2
    ;;
esac
seconds=$(($1 * 60))
shift
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(parse mesh scene picture model import cases window)
# Most memory of a target, MB; more for one input is a find.
memory_mb=1024
# Longest time for one input, seconds.
input_s=10
# Largest input, bytes.
max_bytes=20000
failures=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# The functions inside of `proptest! { … }`, which ends at the column where it began.
list_properties() {
  find src tests -name '*.rs' -print0 | xargs -0 awk '
    /^ *proptest! \{/ { indent = match($0, /[^ ]/); inside = 1; next }
    inside && match($0, /[^ ]/) == indent && /^ *\}/ { inside = 0 }
    inside && $1 == "fn" { sub(/\(.*/, "", $2); print $2 }'
}

properties_for() {
  local end rounds=0 seed properties run
  mapfile -t properties < <(list_properties | sort -u)
  echo "${#properties[@]} properties for $1 s"
  run=(cargo test --locked --quiet --no-fail-fast --lib --test scene_files --)
  "${run[@]}" --list >/dev/null
  end=$((SECONDS + $1))
  while [ $SECONDS -lt $end ]; do
    seed=$(od -An -N8 -tu8 /dev/urandom | tr -d ' ')
    if ! PROPTEST_RNG_SEED=$seed "${run[@]}" "${properties[@]}" >"$log" 2>&1; then
      failures=$((failures + 1))
      echo "== seed $seed" >&2
      grep -E '^(test .* FAILED|.*panicked at|.*minimal failing input)' -A 4 "$log" >&2 || tail -20 "$log" >&2
    fi
    rounds=$((rounds + 1))
  done
  echo "$rounds rounds of the properties"
}

# Valid files of each kind to begin from, made by the program itself.
make_seeds() {
  local program corpus=fuzz/corpus level=assets/levels/arena.obj file
  cargo build --locked --quiet
  program=${CARGO_TARGET_DIR:-target}/debug/walkabout
  mkdir -p "${targets[@]/#/$corpus/}" $corpus/{parse,mesh,scene,picture,model,import,cases,window}
  "$program" bake $level --cell-size 0.5 --out $corpus/mesh/level.navmesh >/dev/null
  for ending in bin tres unity.json json mesh obj; do
    "$program" convert $corpus/mesh/level.navmesh $corpus/mesh/level.$ending >/dev/null
  done
  cp $corpus/mesh/level.* $corpus/parse/
  cp config/*.acfg tests/fixtures/scenes/*.acfg $corpus/scene/
  for file in tests/fixtures/models/* assets/props/*.glb; do
    case $file in
      *.gltf) printf '\0' ;;
      *.glb) printf '\1' ;;
      *.obj) printf '\2' ;;
      *.dae) printf '\3' ;;
      *) continue ;;
    esac >"$corpus/model/$(basename "$file")"
    cat "$file" >>"$corpus/model/$(basename "$file")"
  done
  for file in tests/fixtures/models/* assets/props/*.glb; do
    # The place of the ending in the list of those that are imported.
    case $file in
      *.gltf) printf '\0' ;;
      *.glb) printf '\1' ;;
      *.fbx) printf '\2' ;;
      *.obj) printf '\3' ;;
      *.dae) printf '\4' ;;
      *) continue ;;
    esac >"$corpus/import/$(basename "$file")"
    cat "$file" >>"$corpus/import/$(basename "$file")"
  done
  "$program" render config/arena.acfg --size 16x16 --out $corpus/picture.png >/dev/null 2>&1 || true
  for file in $corpus/picture.png packaging/*.png; do
    [ -f "$file" ] && { printf '\0' && cat "$file"; } >"$corpus/picture/$(basename "$file")"
  done
  rm -f $corpus/picture.png
  printf '\0[{"name":"a","planner":"exact","from":[0,0,0],"to":[1,0,1],"expect":{"found":true,"length":1.4}}]' >$corpus/cases/own
  printf '\1pf  0 0 0  1 0 1  0xffef 0x10\nrc  0 0 0  1 0 1  0xffef 0x10\n' >$corpus/cases/demo
  printf '\2f level.obj\ns 0.3 0.2 2 0.6 0.9 45 8 20 12 1.3 6 6 1 0 0 0 9 9 9 48\nv 4 5 0 2\n0 0 0\n1 0 0\n1 0 1\n0 0 1\n' >$corpus/cases/scene
  printf '\0\100\100\6\12\2\0\200\200\7\50\0' >$corpus/window/keys
}

fuzz_for() {
  local target=$1 time=$2 crash crashes=0 kept home cargo_home=${CARGO_HOME:-$HOME/.cargo} rustup_home=${RUSTUP_HOME:-$HOME/.rustup}
  echo "== $target for $time s"
  # Sessions in the window leave settings in the home folder.
  home=$(mktemp -d)
  HOME=$home CARGO_HOME=$cargo_home RUSTUP_HOME=$rustup_home \
    cargo +nightly fuzz run --sanitizer none "$target" -- -fork="$(nproc)" -ignore_crashes=1 -ignore_ooms=1 \
    -ignore_timeouts=1 -max_total_time="$time" -timeout=$input_s -rss_limit_mb=$memory_mb -max_len=$max_bytes >"$log" 2>&1 ||
    tail -20 "$log" >&2
  rm -rf "$home"
  # Executions, coverage in blocks, inputs that reach something of their own. Without such a line nothing was tried.
  if ! grep -E '^#[0-9]+: cov' "$log" | tail -1; then
    echo "  $target did not run" >&2
    failures=$((failures + 1))
  fi
  for crash in fuzz/artifacts/"$target"/*; do
    [ -f "$crash" ] || continue
    # What crashes Assimp ends a worker, and is an error about one file. Time, memory and panics of ours count.
    if [[ $crash = */import/crash-* ]] && ! grep -q 'panicked at src/' "$log"; then
      rm "$crash"
      crashes=$((crashes + 1))
      continue
    fi
    kept=tests/fixtures/fuzz/$target/$(basename "$crash")
    mkdir -p "$(dirname "$kept")"
    mv "$crash" "$kept"
    failures=$((failures + 1))
    echo "  found: $kept" >&2
  done
  [ $crashes -eq 0 ] || echo "  the importer crashed $crashes times, which ends a worker and no more"
}

if cargo +nightly fuzz --version >/dev/null 2>&1; then
  make_seeds
  # The build is no part of the time.
  (cd fuzz && cargo +nightly fuzz build --sanitizer none)
  properties_for $((seconds / 4))
  for target in "${targets[@]}"; do
    fuzz_for "$target" $((seconds * 3 / 4 / ${#targets[@]}))
  done
else
  echo "cargo-fuzz or a nightly toolchain is not there: property tests alone" >&2
  properties_for $seconds
fi
if [ $failures -gt 0 ]; then
  echo "$failures failures" >&2
  git status --short proptest-regressions tests/fixtures/fuzz
  exit 1
fi
echo "Nothing found."
