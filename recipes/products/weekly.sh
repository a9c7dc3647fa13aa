#!/usr/bin/env bash
# Look at the newest version of every product beside the pinned one, and keep an issue for each that changed.
#
#   OUT       the folder of what was found      (default: aged)
#   PRODUCTS  names, with spaces between        (default: every product of memgauge)
#   GOLDEN    families of the golden suite that are played on both, with spaces between   (default: none)
set -uo pipefail
out=${OUT:-aged}
products=${PRODUCTS:-$(memgauge systems as-of --format csv | tail -n +2 | cut -d, -f1)}
[ -n "$products" ] || { echo "There are no products to look at."; exit 2; }
golden=()
for family in ${GOLDEN:-}; do golden+=(--golden "$family"); done
worst=0
for product in $products; do
  name=$(basename "$product" .toml)
  echo "== $name"
  memgauge systems install "$product" || echo "The pinned one does not install; its card is taken instead."
  memgauge systems aged "$product" --scripted-model --remove ${golden[@]+"${golden[@]}"} --out "$out/$name"
  ended=$?
  [ "$ended" -le "$worst" ] || worst=$ended
  memgauge systems remove "$product"
  report="$out/$name/aged.json"
  if [ ! -f "$report" ]; then
    worst=2
    echo "Nothing was written of $name."
    continue
  fi
  if grep -qE '"outcome": ?"(current|holds|no packages)"' "$report"; then continue; fi
  title="$name: its newest version is otherwise"
  number=$(gh issue list --state open --limit 1000 --json number,title \
    --jq "map(select(.title == \"$title\"))[0].number // empty")
  if [ -n "$number" ]; then
    gh issue edit "$number" --body-file "$out/$name/aged.md"
  else
    gh issue create --title "$title" --body-file "$out/$name/aged.md"
  fi || worst=2
done
memgauge systems as-of "$out" --out "$out/as-of.md"
cat "$out/as-of.md" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
exit "$worst"
