#!/usr/bin/env bash
# Build all boards with the scorer that is pinned and with the newest, and open an issue where a digit differs.
# A scorer that counts otherwise is a new version of a contract, and never a silent change.
#
#   PINNED  memgauge as it is pinned    (default: memgauge)
#   NEWEST  a folder that the newest memgauge is installed into
#   ROOT    the root of the registry    (default: .)
#   OUT     the folder of both builds   (default: nightly)
set -uo pipefail
root=${ROOT:-.}
out=${OUT:-nightly}
pinned=${PINNED:-memgauge}
newest=${NEWEST:?name the folder of the newest memgauge}
rm -rf "$out"
mkdir -p "$out"
"$pinned" results board "$root" --out "$out/pinned" >/dev/null || exit 2
if ! PYTHONPATH=$newest python -m memgauge results board "$root" --out "$out/newest" >"$out/said.txt" 2>&1; then
  { echo "The newest scorer builds no boards:"; sed 's/^/    /' "$out/said.txt"; } >"$out/issue.md"
elif diff -r --unified=0 "$out/pinned/boards" "$out/newest/boards" >"$out/diff.txt"; then
  echo "No digit differs."
  exit 0
else
  {
    echo "The boards of the pinned scorer and of the newest differ, first here:"
    echo
    head -n 60 "$out/diff.txt" | cut -c 1-300 | sed 's/^/    /'
  } >"$out/issue.md"
fi
cat "$out/issue.md"
gh issue create --title "The newest scorer gives other boards" --body-file "$out/issue.md"
exit 1
