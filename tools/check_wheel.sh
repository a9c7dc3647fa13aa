#!/usr/bin/env bash
# Prove that what would be published works for somebody who has nothing else: build the source distribution, and of it
# the wheel, as an index would; install that with the locked dependencies into a fresh environment outside the checkout,
# and run the demo there with an empty HOME and no third-party data. With UVX=1, run it by uvx too, where uv is.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
builder="$root/.venv/bin/python"
if [ ! -x "$builder" ]; then
  echo "tools/check_wheel.sh needs the development environment: run 'make test'." >&2
  exit 1
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
pip_options=(--disable-pip-version-check --quiet)
unset PYTHONPATH

(cd "$root" && "$builder" -m hatchling build -t sdist -d "$work/sdist" >/dev/null)
"$builder" -m pip wheel "${pip_options[@]}" --no-deps --no-build-isolation -w "$work/dist" "$work"/sdist/memgauge-*.tar.gz

(cd "$root/src" && find memgauge -type f ! -path '*/__pycache__/*' | LC_ALL=C sort) >"$work/source"
"$builder" -c 'import sys, zipfile; print(*zipfile.ZipFile(sys.argv[1]).namelist(), sep="\n")' "$work"/dist/memgauge-*.whl |
  grep '^memgauge/' | LC_ALL=C sort >"$work/packed"
if ! diff "$work/source" "$work/packed"; then
  echo "The wheel does not hold what the source holds (above: < only in the source, > only in the wheel)." >&2
  exit 1
fi

"$builder" -m venv --without-pip "$work/venv"
python="$work/venv/bin/python"
# Modules compile when they are first imported, which is much less than all of them.
"$builder" -m pip --python "$python" install "${pip_options[@]}" --no-compile --require-hashes --no-deps -r "$root/requirements/run.lock"
"$builder" -m pip --python "$python" install "${pip_options[@]}" --no-compile --no-deps "$work"/dist/memgauge-*.whl

mkdir "$work/home" "$work/data" "$work/elsewhere"
cd "$work/elsewhere"
export HOME="$work/home" MEMGAUGE_DATA="$work/data"
unset MEMGAUGE_CACHE XDG_CACHE_HOME XDG_DATA_HOME

home=$("$python" -c 'import memgauge; print(memgauge.__file__)')
case $home in
  "$work/venv/"*) ;;
  *)
    echo "The wheel is not what was imported: $home" >&2
    exit 1
    ;;
esac

"$work/venv/bin/memgauge" demo --out "$work/demo"
if [ -z "$(find "$work/demo" -name '*.html' -size +0)" ]; then
  echo "The demo ended well but wrote no HTML report." >&2
  exit 1
fi
echo "The wheel works outside the checkout."

[ -n "${UVX:-}" ] || exit 0
if ! command -v uvx >/dev/null; then
  echo "uvx is not here, so it was not tried: pip install uv adds it."
  exit 0
fi
uvx --from "$(echo "$work"/dist/memgauge-*.whl)" memgauge demo --out "$work/uvx"
if [ -z "$(find "$work/uvx" -name '*.html' -size +0)" ]; then
  echo "uvx ran the demo and it wrote no HTML report." >&2
  exit 1
fi
echo "uvx memgauge demo works from the wheel."
