#!/usr/bin/env bash
# Let a change to a memory through, or not. Exit code 0: through; 1: not; 2: a mistake in the set-up.
#
#   MEMORY    the memory, as --system takes it             (default: mymemory:MyMemory)
#   FAMILIES  golden families that it has to pass           (default: persistence)
#   BASE      a commit whose memory must not be better      (default: none)
#   OUT       the folder of what is kept of the build       (default: memory-report)
set -uo pipefail
memory=${MEMORY:-mymemory:MyMemory}
out=${OUT:-memory-report}
worst=0
mkdir -p "$out"

step() { # run one check; go on after it, so that a report holds everything that is wrong
  echo "== $1" >&2
  shift
  "$@"
  local code=$?
  [ "$code" -le "$worst" ] || worst=$code
}

measure() { # $1: where runs go
  memgauge run --dataset synthetic:small --system "$memory" --k 10 --out "$1" --json
}

families=()
for family in ${FAMILIES:-persistence}; do families+=(--family "$family"); done

step "the protocol's promises" memgauge systems check "$memory"
step "stories it must not get wrong" memgauge study golden run --system "$memory" "${families[@]}" \
  --out "$out"
step "measuring" measure "$out/runs" >/dev/null
step "scoring" memgauge score "$out/runs" --out "$out/score.xml" --format md >"$out/score.md"

if [ -n "${BASE:-}" ]; then
  git worktree add --quiet --detach "$out/base" "$BASE"
  here=$PWD
  (cd "$out/base" && measure "$here/$out/baseline") >/dev/null
  git worktree remove --force "$out/base"
  step "is it worse than $BASE?" memgauge study quality gate "$out"/runs/*/ --baseline "$out"/baseline/*/ \
    --out "$out/gate.xml" --format markdown >"$out/gate.md"
  cat "$out/gate.md"
fi
exit "$worst"
