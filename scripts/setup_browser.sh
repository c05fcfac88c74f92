#!/usr/bin/env bash
# The browser tests drive Debian's chromium. Installs it where it is absent and we are root; otherwise says what to do.
set -euo pipefail
for name in chromium chromium-browser google-chrome; do
  if command -v "$name" >/dev/null; then exit 0; fi
done
if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "Installing chromium for the browser tests ..."
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends chromium fonts-dejavu-core >/dev/null
else
  echo "The browser tests need Chromium, which is not installed: apt-get install chromium (as root), or set VIVA_NO_BROWSER=1 to leave them out." >&2
  [ "${VIVA_NO_BROWSER:-}" = 1 ] || exit 2
fi
