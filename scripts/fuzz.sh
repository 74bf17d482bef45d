#!/usr/bin/env bash
# Runs the property tests with fresh seeds for some minutes. A seed that makes one fail is kept below
# proptest-regressions/, from where every later run of the tests tries it first: commit it with the fix.
#
# Usage: scripts/fuzz.sh MINUTES
set -euo pipefail
cd "$(dirname "$0")/.."
case "${1:-}" in
  '' | *[!0-9]*)
    echo "Usage: scripts/fuzz.sh MINUTES" >&2
    exit 2
    ;;
esac

# The functions inside of `proptest! { … }`, which ends at the column where it began.
list() {
  find src tests -name '*.rs' -print0 | xargs -0 awk '
    /^ *proptest! \{/ { indent = match($0, /[^ ]/); inside = 1; next }
    inside && match($0, /[^ ]/) == indent && /^ *\}/ { inside = 0 }
    inside && $1 == "fn" { sub(/\(.*/, "", $2); print $2 }'
}
mapfile -t properties < <(list | sort -u)
echo "${#properties[@]} properties for $1 minutes"
run=(cargo test --locked --quiet --no-fail-fast --lib --test scene_files --)
"${run[@]}" --list >/dev/null

log=$(mktemp)
trap 'rm -f "$log"' EXIT
rounds=0 failures=0 end=$((SECONDS + $1 * 60))
while [ $SECONDS -lt $end ]; do
  seed=$(od -An -N8 -tu8 /dev/urandom | tr -d ' ')
  if ! PROPTEST_RNG_SEED=$seed "${run[@]}" "${properties[@]}" >"$log" 2>&1; then
    failures=$((failures + 1))
    echo "== seed $seed" >&2
    grep -E '^(test .* FAILED|.*panicked at|.*minimal failing input)' -A 4 "$log" >&2 || tail -20 "$log" >&2
  fi
  rounds=$((rounds + 1))
done
echo "$rounds rounds, $failures with failures"
if [ $failures -gt 0 ]; then
  git status --short proptest-regressions
  exit 1
fi
