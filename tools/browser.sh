#!/bin/bash
# browser.sh: prints the path of a Chromium, which it installs where it may and can; 1 where there is none to be had.
# Only the test of the pages needs one, so that it is not among tools/packages.txt.
set -eu
script=$(readlink -f "${BASH_SOURCE[0]}")
root=${script%/tools/*}
name=browser
source "$root/tools/setup.sh"

find_browser() {
  local candidate
  for candidate in chromium chromium-browser google-chrome google-chrome-stable; do
    command -v "$candidate" && return
  done
  return 1
}

find_browser && exit
command -v apt-get >/dev/null || exit 1
as_root=()
if ((EUID != 0)); then
  command -v sudo >/dev/null && sudo -n true 2>/dev/null || exit 1
  as_root=(sudo -n)
fi
mkdir -p "$root/build"
say "installing chromium for the test of the pages (apt-get; log: build/browser.log)..."
install_packages chromium >"$root/build/browser.log" 2>&1 || exit 1
find_browser
