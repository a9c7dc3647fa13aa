#!/usr/bin/env bash
# Let a change to a memory through, or not. Exit code 0: through; 1: not; 2: a mistake in the set-up; 3: nothing could be compared.
#
#   MEMORY    the memory, as --system takes it             (default: mymemory:MyMemory)
#   FAMILIES  golden families that it has to pass           (default: persistence)
#   DATASET   what it is measured on                        (default: synthetic:small)
#   BASELINE  a file of `memgauge runs accept`              (default: none)
#   BASE      a commit to measure beside it, without a file (default: none)
#   OUT       the folder of what is kept of the build       (default: memory-report)
set -uo pipefail
memory=${MEMORY:-mymemory:MyMemory}
out=${OUT:-memory-report}
worst=0
exec 3>&1
mkdir -p "$out"
rm -rf "$out/runs" "$out/baseline"

source_file() { # where an annotation points: the file of the memory
  local module=${memory%%:*}
  module=${module//.//}
  for file in "$memory" "$module.py" "$module/__init__.py"; do
    if [ -f "$file" ]; then
      echo "${file#./}"
      return
    fi
  done
  echo "$0"
}

annotate() { # $1: what failed; $2: why; GitHub shows it beside the change
  [ -n "${GITHUB_ACTIONS:-}" ] || return 0
  local why=${2//'%'/'%25'}
  echo "::error file=$(source_file),title=memory gate::$1: ${why//$'\n'/'%0A'}" >&3
}

step() { # run one check; go on after it, so that a report holds everything that is wrong
  local name=$1 code why
  echo "== $name" >&2
  shift
  "$@" | tee "$out/last.txt"
  code=${PIPESTATUS[0]}
  [ "$code" -le "$worst" ] || worst=$code
  if [ "$code" -ne 0 ]; then
    why=$(grep -v '^#' "$out/last.txt" | grep -m 1 -E 'FAILED|NOT let through|checks? failed|Gate missed')
    why=${why:-it ended with $code, see the log}
    annotate "$name" "${why//\\/}"
  fi
  rm -f "$out/last.txt"
}

measure() { # $1: where runs go
  memgauge run --dataset "${DATASET:-synthetic:small}" --system "$memory" --k 10 --out "$1" --json
}

families=()
for family in ${FAMILIES:-persistence}; do families+=(--family "$family"); done

step "the protocol's promises" memgauge systems check "$memory"
step "stories it must not get wrong" memgauge study golden run --system "$memory" "${families[@]}" \
  --out "$out"
step "measuring" measure "$out/runs" >/dev/null
step "scoring" memgauge score "$out/runs" --out "$out/score.xml" --format md >"$out/score.md"

baseline=${BASELINE:-}
if [ -z "$baseline" ] && [ -n "${BASE:-}" ]; then
  git worktree add --quiet --detach "$out/base" "$BASE"
  there=$(cd "$out" && pwd)
  (cd "$out/base" && measure "$there/baseline") >/dev/null
  git worktree remove --force "$out/base"
  baseline=$(echo "$out"/baseline/*-*/)
fi
if [ -n "$baseline" ]; then
  step "is it worse than ${BASELINE:-$BASE}?" memgauge study quality gate "$out"/runs/*-*/ --baseline "$baseline" \
    --out "$out/gate.xml" --format markdown >"$out/gate.md"
  cat "$out/gate.md"
else
  echo "== nothing was compared: name a file in BASELINE, or a commit in BASE" >&2
fi

if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then
  for page in gate golden score; do [ ! -f "$out/$page.md" ] || cat "$out/$page.md" >>"$GITHUB_STEP_SUMMARY"; done
fi
exit "$worst"
