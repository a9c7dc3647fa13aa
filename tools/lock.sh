#!/usr/bin/env bash
# Write requirements/*.lock again from pyproject.toml: every version pinned with hashes, for every supported Python and
# platform, without any index address. Pins are kept where they still fit; pass --upgrade for the newest versions.
set -euo pipefail
cd "$(dirname "$0")/.."

uv=$(command -v uv || true)
[ -n "$uv" ] || uv=.venv/bin/uv
if [ ! -x "$uv" ]; then
  echo "tools/lock.sh needs uv: run '.venv/bin/python -m pip install uv' and try again." >&2
  exit 1
fi

compile() {
  local lock=$1
  shift
  echo "locking $lock"
  "$uv" pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
    --no-emit-find-links --no-header "${options[@]}" --output-file "requirements/$lock" "$@"
}

options=("$@")

compile run.lock pyproject.toml --extra web
compile dense.lock pyproject.toml --extra dense
compile llm.lock pyproject.toml --extra llm
compile track.lock pyproject.toml --extra track
compile dev.lock pyproject.toml --extra dense --extra llm --extra track --group dev --group docs requirements/build.in
compile cluster.lock pyproject.toml --extra cluster requirements/cluster.in requirements/build.in
compile build.lock requirements/build.in
compile bench.lock pyproject.toml requirements/bench.in requirements/build.in
compile bench-embed.lock requirements/bench-embed.in
