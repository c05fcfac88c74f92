#!/usr/bin/env bash
# What the tests need from Debian: chromium for the browser tests, pango for PDF reports (packages.txt). Installs what is
# absent when we are root; otherwise says what to do.
set -euo pipefail
cd "$(dirname "$0")/.."

missing=()
command -v chromium >/dev/null || missing+=(chromium)
if ! ldconfig -p 2>/dev/null | grep -q 'libpangoft2-1.0'; then
  mapfile -t -O "${#missing[@]}" missing <packages.txt
fi
[ "${#missing[@]}" = 0 ] && exit 0

if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing ${missing[*]} for the tests ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  exit 0
fi
echo "The tests need Debian packages that are absent. As root: apt-get install ${missing[*]}" >&2
if ! command -v chromium >/dev/null && [ "${VIVA_NO_BROWSER:-}" != 1 ]; then
  echo "(or set VIVA_NO_BROWSER=1 to leave the browser tests out)" >&2
  exit 2
fi
