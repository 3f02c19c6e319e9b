#!/bin/sh
# The cost of a step with many contacts: N spheres on a plane with friction, each beside the next, by time stepping.
# Usage: bench/contacts.sh [PROGRAM]. Prints N, contacts, microseconds a step and contact: the last column stays about
# the same.
set -eu
program=${1:-build/release/bin/alembert}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cat > "$folder/plane.alm" <<'MODEL'
model "Spheres on a plane"
parameter N = 1000, R = 0.05, g = 9.81
family i = 1..N
coordinate r[i][3]
kinetic sum(i, norm2(r[i]')/2)
potential sum(i, g*r[i][3])
contact floor: r[i][3] - R >= 0 restitution 0.3 friction 0.3 along r[i][1]', r[i][2]' for i = 1..N
contact next: norm(r[i] - r[i-1]) - 2*R >= 0 restitution 0.3 for i = 2..N
initial r[i] = (0.12*i, 0, 0.06 + 0.01*sin(i)), r[i]' = (0.5*sin(3*i), 0, 0)
solve moreau step 0.005 end 0.5
MODEL
for n in 125 250 500 1000; do
  "$program" run "$folder/plane.alm" --set N=$n --json --quiet | python3 -c "
import json, sys
statistics = json.load(sys.stdin)['statistics']
contacts = 2 * $n - 1
print('%5d %6d %8.1f' % ($n, contacts, statistics['run_seconds'] / statistics['steps'] / contacts * 1e6))"
done
