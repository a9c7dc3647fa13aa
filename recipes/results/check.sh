#!/usr/bin/env bash
# Check what a change adds to a registry of results. Exit code 0: it may enter; 1: it may not; 2: a mistake in the set-up.
# It needs no secret, and leaves what it found in OUT, for somebody else to post.
#
#   BASE    the commit that the change is made against
#   BEFORE  the same, where there is no BASE              (of what was pushed)
#   ROOT    the root of the registry                      (default: .)
#   SITE    the boards as they were built of BASE         (default: they are built here)
#   OUT     the folder of what is kept of the build       (default: check-report)
set -uo pipefail
base=${BASE:-${BEFORE:?name the commit that the change is made against}}
root=${ROOT:-.}
out=${OUT:-check-report}
worst=0
mkdir -p "$out"
rm -f "$out"/*.json

fork=$(git -C "$root" merge-base "$base" HEAD) || exit 2
folders=()
while IFS= read -r -d '' path; do
  IFS=/ read -r _ product version name rest <<<"${path//$'\n'/?}"
  folder="submissions/$product/$version/$name"
  if [ -z "$rest" ]; then
    echo "S1: ${path//$'\n'/?}: lies in no submission. A submission is submissions/PRODUCT/VERSION/DAY-WHO-SLUG/."
    worst=1
  elif [[ " ${folders[*]-} " != *" $folder "* ]]; then
    folders+=("$folder")
  fi
done < <(git -C "$root" diff --relative --name-only --no-renames -z "$fork" -- submissions)

there=() # what is gone is refused without a look at the boards
for folder in "${folders[@]+"${folders[@]}"}"; do
  [ ! -d "$root/$folder" ] || there+=("$folder")
done

sheets=() # of verifications
while IFS= read -r -d '' path; do
  IFS=/ read -r _ product version name file rest <<<"${path//$'\n'/?}"
  if [ -z "$file" ] || [ -n "$rest" ]; then
    echo "${path//$'\n'/?}: lies in no verification. One is verifications/PRODUCT/VERSION/SUBMISSION/DAY-WHO.toml."
    worst=1
  elif [ ! -e "$root/$path" ] && [ ! -L "$root/$path" ]; then
    echo "${path//$'\n'/?}: is removed: verifications are add-only. Restore it."
    worst=1
  elif [[ "$file" == *.toml ]]; then
    sheets+=("$path")
  elif ! compgen -G "$root/verifications/$product/$version/$name/*.toml" >/dev/null; then
    echo "${path//$'\n'/?}: lies beside no sheet of a verification."
    worst=1
  fi
done < <(git -C "$root" diff --relative --name-only --no-renames -z "$fork" -- verifications)

site=${SITE:-}
if [ -z "$site" ] && [ "${#there[@]}" -gt 0 ]; then
  scratch=$(mktemp -d)
  trap 'git -C "$root" worktree remove --force "$scratch/base" 2>/dev/null; rm -rf "$scratch"' EXIT
  git -C "$root" worktree add --quiet --detach "$scratch/base" "$fork" || exit 2
  below=$(git -C "$root" rev-parse --show-prefix)
  if memgauge results board "$scratch/base/$below" --out "$scratch/site" >/dev/null; then
    site=$scratch/site
  else
    echo "The boards of $fork do not build, so S14 is not looked at."
  fi
fi

for folder in "${folders[@]+"${folders[@]}"}"; do
  if [ ! -d "$root/$folder" ]; then
    echo "S1: $folder: is removed: submissions are add-only. Restore it; who withdraws one adds withdrawn/."
    worst=1
    continue
  fi
  report="$out/check.json"
  [ ! -e "$report" ] || report=$(mktemp "$out/check-XXXXXX.json")
  memgauge results check "$root/$folder" --base "$base" ${site:+--against "$site"} --json >"$report"
  code=$?
  [ "$code" -le "$worst" ] || worst=$code
  if [ -s "$report" ]; then
    memgauge results comment "$report" --format markdown | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
  else
    rm -f "$report"
  fi
done
for sheet in "${sheets[@]+"${sheets[@]}"}"; do
  if [ "${#folders[@]}" -gt 0 ]; then
    memgauge results check "$root/$sheet" --format markdown # what else is added, S1 of the submission says
  else
    memgauge results check "$root/$sheet" --base "$base" --format markdown
  fi | tee -a "${GITHUB_STEP_SUMMARY:-/dev/null}"
  code=${PIPESTATUS[0]}
  [ "$code" -le "$worst" ] || worst=$code
done
[ "${#folders[@]}" -gt 0 ] || [ "${#sheets[@]}" -gt 0 ] || [ "$worst" -gt 0 ] || echo "No submission is touched."
exit "$worst"
