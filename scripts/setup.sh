#!/usr/bin/env bash
# Makes .venv and installs what Viva needs: `scripts/setup.sh` to run it, `scripts/setup.sh dev` to test it as well.
# Safe to call again: it does nothing when what it would install is what is there.
set -euo pipefail
cd "$(dirname "$0")/.."

requirements=requirements.txt
[ "${1:-}" = dev ] && requirements=requirements-dev.txt

python=${PYTHON:-}
if [ -z "$python" ]; then
  for candidate in python3.11 python3.12 python3; do
    if command -v "$candidate" >/dev/null && "$candidate" -c 'import sys; sys.exit(not (3, 11) <= sys.version_info[:2] <= (3, 12))' 2>/dev/null; then
      python=$candidate
      break
    fi
  done
fi
if [ -z "$python" ]; then
  echo "Viva needs Python 3.11 or 3.12 (found: $(python3 --version 2>&1 || echo none)). Install one, or name it: PYTHON=/path/to/python3.11 make run" >&2
  exit 2
fi

wanted=$(cat requirements.txt "$requirements" constraints.txt | sha256sum | cut -d' ' -f1)
stamp=.venv/installed-$requirements
if [ -f "$stamp" ] && [ "$(cat "$stamp")" = "$wanted" ]; then
  exit 0
fi

if [ ! -x .venv/bin/python ]; then
  echo "Making .venv with $("$python" --version) ..."
  if ! "$python" -m venv .venv; then
    rm -rf .venv
    echo "The venv module failed. On Debian and Ubuntu: apt-get install python3-venv" >&2
    exit 2
  fi
fi
echo "Installing $requirements (the first time this downloads much: see README) ..."
.venv/bin/python -m pip install --disable-pip-version-check --quiet -r "$requirements" -c constraints.txt
# A set that installs may still clash; say so now rather than at the first import.
.venv/bin/python -m pip check
echo "$wanted" >"$stamp"
# What dev installs includes all that a run needs.
[ "$requirements" = requirements-dev.txt ] && cat requirements.txt requirements.txt constraints.txt | sha256sum | cut -d' ' -f1 >.venv/installed-requirements.txt
exit 0
