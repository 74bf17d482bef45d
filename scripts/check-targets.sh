#!/usr/bin/env bash
# Checks that the program compiles for other systems: types and bindings, without linking.
#
# Usage: scripts/check-targets.sh [TARGET...]     default: Windows, macOS and Linux on ARM
#
# Needs the target's standard library (rustup target add), headers for the bindings to Assimp, and a compiler for the C code of
# dependencies: Debian's g++-mingw-w64-x86-64 and g++-aarch64-linux-gnu, for macOS PyPI's ziglang (its compiler brings the headers).
# A target that cannot be checked here is named with what it lacks, and is no failure; with TARGETS_STRICT=1 it is one.
set -euo pipefail
cd "$(dirname "$0")/.."
. scripts/parts.sh

targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(x86_64-pc-windows-gnu aarch64-unknown-linux-gnu aarch64-apple-darwin)
tools=$(mktemp -d)
trap 'end_parts; rm -rf "$tools"' EXIT
skipped=() failed=()

skip() {
  echo "== $1: not checked, $2" >&2
  skipped+=("$1")
}

has_library() {
  local sysroot
  sysroot=$(rustc --print sysroot)
  [ -d "$sysroot/lib/rustlib/$1/lib" ] && return
  command -v rustup >/dev/null 2>&1 && timeout 120 rustup target add "$1" >/dev/null 2>&1
  [ -d "$sysroot/lib/rustlib/$1/lib" ]
}

# PyPI's ziglang as a C and C++ compiler for macOS, under names without arguments.
zig_compilers() {
  python3 -c 'import ziglang' 2>/dev/null || return 1
  local language
  for language in cc c++; do
    cat >"$tools/$language" <<EOT
#!/bin/sh
exec python3 -m ziglang $language -target aarch64-macos "\$@"
EOT
    chmod +x "$tools/$language"
  done
  printf '#!/bin/sh\nexec python3 -m ziglang ar "$@"\n' >"$tools/ar"
  chmod +x "$tools/ar"
}

# Runs the check of a target with the settings given as NAME=VALUE.
check() {
  local target=$1
  shift
  part "$target"
  # Nothing is linked, so Assimp, which is built from its sources for Windows and macOS, need not be.
  printf '#!/bin/sh\n' >"$tools/cmake"
  chmod +x "$tools/cmake"
  # Without another wish a folder of its own: the usual one stays as it was, and another build may go on in it.
  if ! env CMAKE="$tools/cmake" "$@" cargo check --locked --quiet --target "$target" --target-dir "${TARGETS_DIR:-${CARGO_TARGET_DIR:-target}/targets}"; then
    failed+=("$target")
  fi
}

for target in "${targets[@]}"; do
  if ! has_library "$target"; then
    skip "$target" "its standard library is not installed (rustup target add $target)"
    continue
  fi
  case "$target" in
    x86_64-pc-windows-gnu)
      if ! command -v x86_64-w64-mingw32-g++ >/dev/null 2>&1; then
        skip "$target" "there is no compiler (apt-get install g++-mingw-w64-x86-64)"
        continue
      fi
      check "$target" BINDGEN_EXTRA_CLANG_ARGS="-I/usr/x86_64-w64-mingw32/include -idirafter /usr/include"
      ;;
    aarch64-unknown-linux-gnu)
      if ! command -v aarch64-linux-gnu-g++ >/dev/null 2>&1; then
        skip "$target" "there is no compiler (apt-get install g++-aarch64-linux-gnu)"
        continue
      fi
      check "$target" PKG_CONFIG_ALLOW_CROSS=1 \
        BINDGEN_EXTRA_CLANG_ARGS="--target=aarch64-linux-gnu -I/usr/aarch64-linux-gnu/include -idirafter /usr/include"
      ;;
    aarch64-apple-darwin)
      if ! zig_compilers; then
        skip "$target" "there is no compiler (pip install ziglang)"
        continue
      fi
      # SDKROOT keeps the build from asking for Apple's tools.
      headers=$(python3 -c 'import os, ziglang; print(os.path.dirname(ziglang.__file__) + "/lib/libc/include")')
      check "$target" CRATE_CC_NO_DEFAULTS=1 SDKROOT=/ CC_aarch64_apple_darwin="$tools/cc" \
        CXX_aarch64_apple_darwin="$tools/c++" AR_aarch64_apple_darwin="$tools/ar" \
        BINDGEN_EXTRA_CLANG_ARGS="--target=arm64-apple-macosx -isystem $headers/any-darwin-any -idirafter /usr/include"
      ;;
    *) check "$target" ;;
  esac
done

[ ${#skipped[@]} -eq 0 ] || echo "Not checked: ${skipped[*]}" >&2
if [ ${#failed[@]} -gt 0 ]; then
  echo "Does not compile: ${failed[*]}" >&2
  exit 1
fi
[ ${#skipped[@]} -eq 0 ] || [ -z "${TARGETS_STRICT:-}" ]
