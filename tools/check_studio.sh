#!/bin/bash
# check_studio.sh PROGRAM WORK: drives the page of `alembert studio` in a headless Chromium (web/browser/studio.mjs).
# Exit code 77 (skipped) where no browser can be had, or the program was built without its pages.
set -eu
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
program=$(readlink -f "$1")
[[ -d $root/web/node_modules/playwright-core ]] || { echo "no packages of web/: skipped"; exit 77; }
node=$(command -v node || command -v nodejs) || { echo "no Node.js: skipped"; exit 77; }
browser=$("$root/tools/browser.sh" | tail -n 1) || { echo "no browser: skipped"; exit 77; }
exec "$node" "$root/web/browser/studio.mjs" "$program" "$browser" "$2"
