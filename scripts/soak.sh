#!/usr/bin/env bash
# Simulates scenes for hours of their own time, on one thread and on two, and holds them to what lasting means:
# both end in the same state, nobody is lost, memory grows by no more than 1 % after the first tenth, and a step that
# takes over ten times the median on every run begins a search for a path or is the first one. What stands out on one run is the machine's.
# The program is built first, unless $WALKABOUT names one.
#
# Usage: scripts/soak.sh HOURS [SCENE.acfg]...
set -euo pipefail
here=$PWD
cd "$(dirname "$0")/.."
case "${1:-}" in
  '' | *[!0-9.]*)
    echo "Usage: scripts/soak.sh HOURS [SCENE.acfg]..." >&2
    exit 2
    ;;
esac
hours=$1
shift
scenes=()
for scene in "$@"; do
  scenes+=("$(cd "$here" && realpath -- "$scene")")
done
[ ${#scenes[@]} -gt 0 ] || scenes=(config/*.acfg)
seconds=$(awk -v h="$hours" 'BEGIN { printf "%.0f", h * 3600 }')
program=${WALKABOUT:-}
if [ -z "$program" ]; then
  cargo build --locked --release
  program=${CARGO_TARGET_DIR:-target}/release/walkabout
fi

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
# A number or text of a result by its name.
field() { grep -o "\"$2\":\"\\?[^,\"}]*" "$1" | head -1 | sed 's/^[^:]*:"\{0,1\}//'; }
# The steps that stand out although they begin no search, one per line; but for the first, in which everybody is set up.
idle_and_slow() { { grep -o '"searches":0,"step":[0-9]*' "$1" || true; } | sed 's/.*://' | { grep -vx 0 || true; } | sort; }

failures=0
complain() {
  echo "  FAULT: $1" >&2
  failures=$((failures + 1))
}
for scene in "${scenes[@]}"; do
  name=$(basename "$scene" .acfg)
  echo "$name: $hours h of its time"
  for threads in 1 2; do
    "$program" simulate "$scene" --seconds "$seconds" --threads "$threads" --json >"$out/$threads"
  done
  for threads in 1 2; do
    result=$out/$threads
    before=$(field "$result" after_a_tenth)
    after=$(field "$result" end)
    printf '  %s thread(s): hash %s, %s steps, median %.3f ms, p99 %.3f ms, %s over ten times the median, memory %s -> %s bytes\n' \
      "$threads" "$(field "$result" hash)" "$(field "$result" steps)" "$(field "$result" p50)" "$(field "$result" p99)" \
      "$(field "$result" slow_count)" "$before" "$after"
    # Events have a count of that name too; the total of instances stands behind it.
    lost=$(grep -o '"lost":[0-9]*,"memory' "$result" | grep -o '[0-9]*')
    [ "$lost" = 0 ] || complain "$lost lost"
    if [ "$before" != null ] && ! awk -v a="$before" -v b="$after" 'BEGIN { exit !(b <= a * 1.01) }'; then
      complain "memory grew from $before to $after bytes"
    fi
  done
  [ "$(field "$out/1" hash)" = "$(field "$out/2" hash)" ] || complain "one thread and two end differently"
  comm -12 <(idle_and_slow "$out/1") <(idle_and_slow "$out/2") >"$out/slow"
  if [ -s "$out/slow" ]; then
    # On a busy machine two runs may be held up in the same step by chance, three hardly.
    "$program" simulate "$scene" --seconds "$seconds" --threads 1 --json >"$out/3"
    comm -12 "$out/slow" <(idle_and_slow "$out/3") >"$out/slow.again"
    mv "$out/slow.again" "$out/slow"
  fi
  [ ! -s "$out/slow" ] || complain "slow without a search on every run: steps $(head -5 "$out/slow" | tr '\n' ' ')"
done
if [ $failures -gt 0 ]; then
  echo "$failures faults" >&2
  exit 1
fi
echo "No faults."
