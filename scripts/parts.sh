# shellcheck shell=bash
# Sourced by scripts that run a check in parts: `part NAME` begins one and says how long the one before took; at the end,
# however it comes, the seconds of all parts are listed. Scripts that are run as a part add theirs to the same list.

if [ -z "${PARTS_LIST:-}" ]; then
  PARTS_LIST=$(mktemp)
  export PARTS_LIST
  parts_owner=$BASHPID
fi
part_name='' part_begin=0

end_part() {
  [ -n "$part_name" ] || return 0
  printf '%6d s  %s\n' "$((SECONDS - part_begin))" "$part_name" | tee -a "$PARTS_LIST" >&2
  part_name=''
}

part() {
  end_part
  part_name=$1 part_begin=$SECONDS
  echo "== $1"
}

end_parts() {
  local status=$?
  end_part
  if [ "${parts_owner:-}" = "$BASHPID" ]; then
    { echo "== seconds of each part" && cat "$PARTS_LIST"; } >&2
    rm -f "$PARTS_LIST"
  fi
  return "$status"
}
trap end_parts EXIT
# A time limit ends a run by a signal, which is an end like others.
trap 'exit 143' TERM
trap 'exit 130' INT
