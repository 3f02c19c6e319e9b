#!/bin/sh
# Programs for a machine with a GPU, with the libraries that they need beside them, as build/gpu.tar.xz; nothing has to
# be installed there but the driver and NVRTC. Here:   bench/gpu.sh pack [BUILD_FOLDER]
# There, in the root of the same tree:              bench/gpu.sh run
set -e
cd "$(dirname "$0")/.."
folder=build/gpu
case "$1" in
  pack)
    build=${2:-build/release}
    rm -rf "$folder"
    mkdir -p "$folder/lib"
    cp "$build/bin/alembert" "$build/bin/gpu_bench" "$folder"
    strip "$folder/alembert" "$folder/gpu_bench"
    ldd "$folder/alembert" "$folder/gpu_bench" | awk '$2 == "=>" && $3 ~ /^\// {print $3}' | sort -u |
      grep -v -E '/(libc|libm|libdl|libpthread|librt|ld-linux[^/]*)\.so' | while read -r library; do
        cp -L "$library" "$folder/lib"
      done
    tar -C build -cJf "$folder.tar.xz" gpu
    rm -rf "$folder"
    du -h "$folder.tar.xz"
    ;;
  run)
    tar -C build -xJf "$folder.tar.xz"
    export LD_LIBRARY_PATH="$PWD/$folder/lib:/usr/local/cuda/lib64:$LD_LIBRARY_PATH"
    "$folder/gpu_bench" members=1000000 steps=2000
    time "$folder/alembert" sweep models/double_pendulum.alm --members 20000 --draw "l2=uniform(0.9, 1.1)" \
      --method "lobatto(2)" --step 0.001 --end 1 --report energy.max_error,residual.position,q.x2 --device gpu --quiet
    ;;
  *)
    echo "usage: bench/gpu.sh pack [BUILD_FOLDER] | run" >&2
    exit 2
    ;;
esac
