# Shared by ./alembert, ./test and the scripts of tools/: packages and builds. Needs `root`, the folder of the repository,
# and `name`, what messages begin with; ./alembert and ./python/install do without the tests. All messages go to stderr.

say() { printf '%s: %s\n' "$name" "$*" >&2; }
die() { say "$@"; exit 1; }

# One lock for everything that writes below build/, so that two calls at once do the work once. Children must not
# inherit it (9>&-): something they leave running would hold it.
lock_build() {
  mkdir -p "$root/build"
  exec 9>"$root/build/.lock"
  if command -v flock >/dev/null && ! flock -n 9; then
    say "waiting for another build in this folder..."
    flock 9
  fi
}
unlock_build() { exec 9>&-; }

with_tests() { [[ $name != alembert && $name != python ]]; }

# Sets `list` to the text of the list of packages, as far as it concerns the caller; starts no process.
read_package_list() {
  IFS= read -r -d '' list <"$root/tools/packages.txt" || true
  with_tests || list=${list%%# tests*}
  [[ $name != alembert ]] || list=${list%%# python*}
}

# Whether the packages were found complete by an earlier call with the same list, or one that begins with it.
packages_checked() {
  local list checked
  [[ -r $root/build/.packages ]] || return 1
  read_package_list
  IFS= read -r -d '' checked <"$root/build/.packages" || true
  [[ $checked == "$list"* ]]
}

ensure_packages() {
  local list wanted missing=() package state found log="$root/build/packages.log"
  read_package_list
  mapfile -t wanted <<<"$(sed -e 's/#.*//' -e '/^[[:space:]]*$/d' <<<"$list")"
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    if ! packages_checked; then
      say "this is not Debian, so that nothing is installed here; the build needs what Debian calls: ${wanted[*]}"
      printf '%s' "$list" >"$root/build/.packages"
    fi
    return 0
  fi
  found=$(dpkg-query -W -f '${db:Status-Status} ${Package}\n' "${wanted[@]}" 2>/dev/null) || true
  for package in "${wanted[@]}"; do
    [[ $'\n'$found$'\n' == *$'\n'"installed $package"$'\n'* ]] || missing+=("$package")
  done
  if ((${#missing[@]})); then
    local as_root=()
    if ((EUID != 0)); then
      command -v sudo >/dev/null ||
        die "packages are missing and there is no sudo; as root: apt-get install ${missing[*]}"
      as_root=(sudo)
    fi
    say "installing ${missing[*]} (apt-get; log: build/packages.log)..."
    if ! install_packages "${missing[@]}" >"$log" 2>&1 9>&-; then
      tail -n 15 "$log" >&2
      die "apt-get could not install them (offline?); by hand: apt-get update && apt-get install ${missing[*]}"
    fi
  fi
  ensure_node
  printf '%s' "$list" >"$root/build/.packages"
}

# Node.js and npm bundle the pages of web/. Where there are none they come from Debian; where they cannot be had, the
# program is built all the same, with its simple page alone, and CMake says so.
ensure_node() {
  local as_root=()
  if command -v node >/dev/null && command -v npm >/dev/null; then return 0; fi
  command -v apt-get >/dev/null || return 0
  if ((EUID != 0)); then
    command -v sudo >/dev/null || return 0
    as_root=(sudo)
  fi
  say "installing nodejs npm (apt-get; log: build/node.log)..."
  install_packages nodejs npm >"$root/build/node.log" 2>&1 9>&- ||
    say "apt-get could not install them: pages will be the simple ones (later: apt-get install nodejs npm)"
}

# The lists of a fresh machine are empty or old: they are fetched when the first attempt fails.
install_packages() {
  local apt=("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -y --no-install-recommends)
  "${apt[@]}" install "$@" || { "${as_root[@]}" apt-get update && "${apt[@]}" install "$@"; }
}

# unchanged STAMP PATH...: whether nothing below the paths has changed since the stamp was made. Directories count too:
# theirs is the time at which a file came or went.
unchanged() {
  local stamp=$1
  shift
  [[ -f $stamp && -z $(find "$@" -cnewer "$stamp" -print -quit) ]]
}

# As many compilers as there are cores, but no more than fit into memory at 1.5 GB each.
jobs() {
  local cores memory=0 key value rest
  cores=$(nproc 2>/dev/null || echo 2)
  if [[ -r /proc/meminfo ]]; then
    while read -r key value rest; do
      [[ $key == MemAvailable: ]] && memory=$((value / 1500000)) && break
    done </proc/meminfo
    ((memory < 1)) && memory=1
    ((memory < cores)) && cores=$memory
  fi
  echo "$cores"
}

# The compiler cache sees paths relative to the repository, so that all build folders share what they compile alike.
use_ccache() {
  export CCACHE_BASEDIR=${CCACHE_BASEDIR-$root}
  [[ -n ${CCACHE_DIR-} ]] || mkdir -p "${XDG_CACHE_HOME:-${HOME:-/nonexistent}/.cache}/ccache" 2>/dev/null ||
    export CCACHE_DIR=$root/build/ccache
}

# build PRESET TARGET...: configures where needed and builds; quiet, the log is build/PRESET/build.log.
# ALEMBERT_WERROR=ON in the environment makes warnings errors.
build() {
  local preset=$1 folder="$root/build/$1" log="$root/build/$1/build.log" home errors target targets=() options=()
  shift
  use_ccache
  for target in "$@"; do targets+=(--target "$target"); done
  mkdir -p "$folder"
  if [[ -f $folder/CMakeCache.txt ]]; then
    # A repository that was moved or copied together with its build folder has to be configured anew.
    home=$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' "$folder/CMakeCache.txt")
    [[ $home == "$root" ]] || rm -rf "$folder/CMakeCache.txt" "$folder/CMakeFiles"
  fi
  if [[ -n ${ALEMBERT_WERROR-} ]] && ! grep -qs "^ALEMBERT_WERROR:BOOL=$ALEMBERT_WERROR$" "$folder/CMakeCache.txt"; then
    options+=(-DALEMBERT_WERROR="$ALEMBERT_WERROR")
    rm -f "$folder/build.ninja"
  fi
  # Without their packages the tests cannot be configured; a folder that has them keeps them.
  if with_tests; then
    if grep -qs '^ALEMBERT_TESTS:BOOL=OFF$' "$folder/CMakeCache.txt"; then
      options+=(-DALEMBERT_TESTS=ON)
      rm -f "$folder/build.ninja"
    fi
  elif [[ ! -f $folder/CMakeCache.txt ]]; then
    options+=(-DALEMBERT_TESTS=OFF)
  fi
  if ! {
    { [[ -f $folder/build.ninja && -f $folder/CMakeCache.txt ]] ||
      (cd "$root" && cmake --preset "$preset" "${options[@]}"); } &&
      cmake --build "$folder" -j "$(jobs)" "${targets[@]}"
  } >"$log" 2>&1 9>&-; then
    rm -f "$root/build/.packages"  # perhaps one was removed: look again the next time
    # The end of the log may be another compiler's: the errors are looked for.
    errors=$(grep -E -m 12 -A3 '(error|Error)[: ]' "$log" | head -n 40) || true
    printf '%s\n' "${errors:-$(tail -n 40 "$log")}" >&2
    die "the build failed; the whole log is build/$preset/build.log"
  fi
}
