#!/usr/bin/env bash
# Install the locks of everything that was run in CI (level 4) again, and open an issue for each that does not.
#
#   ROOT    the root of the registry   (default: .)
#   PYTHON  makes the environments     (default: python3)
set -uo pipefail
root=${ROOT:-.}
python=${PYTHON:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
worst=0
shopt -s nullglob
for sheet in "$root"/verifications/*/*/*/*.toml; do
  grep -qx 'level = 4' "$sheet" || continue
  place=$(dirname "${sheet#"$root"/verifications/}")
  lock="$root/submissions/$place/lock.txt"
  if [ ! -f "$lock" ] || [ -e "$work/$place" ]; then continue; fi
  mkdir -p "$work/$place"
  echo "== $place"
  if "$python" -m venv "$work/$place/env" &&
    "$work/$place/env/bin/python" -m pip install --quiet --disable-pip-version-check --require-hashes --no-deps \
      -r "$lock" 2>"$work/said.txt"; then
    rm -rf "$work/$place/env"
    continue
  fi
  worst=1
  { echo "Was run in CI, and its lock no longer installs:"; tail -n 20 "$work/said.txt" | sed 's/^/    /'; } >"$work/issue.md"
  cat "$work/issue.md"
  gh issue create --title "The lock of $place no longer installs" --body-file "$work/issue.md"
done
exit "$worst"
