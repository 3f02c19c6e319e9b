#!/bin/sh
# Many contacts by time stepping. Usage: bench/contacts.sh [PROGRAM]
# First the cost of a step: N spheres on a plane with friction, each beside the next. Prints N, contacts, microseconds of
# CPU a step and contact, and seconds of CPU before the first step: the third column stays about the same. Two runs of
# different length tell steps from start; steps are those of the run, with what its accuracy costs.
# Then 100 spheres that fall into a box, from near and from high above it: the kinetic energy at the end (wanted: below
# 1e-12) and the deepest penetration (wanted: none beyond 1e-10).
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
python3 - "$program" "$folder/plane.alm" <<'PYTHON'
import json, resource, subprocess, sys
def spent(n, end):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    out = subprocess.run([sys.argv[1], "run", sys.argv[2], "--set", f"N={n}", "--end", str(end), "--json", "--quiet"],
                         capture_output=True, check=True).stdout
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before, json.loads(out)["statistics"]["steps"]
for n in 125, 250, 500, 1000:
    (brief, few), (long, many) = spent(n, 0.25), spent(n, 0.75)
    step = (long - brief) / (many - few)
    print("%5d %6d %8.1f %8.2f" % (n, 2 * n - 1, step / (2 * n - 1) * 1e6, brief - few * step))
PYTHON

cat > "$folder/box.alm" <<'MODEL'
model "Spheres in a box"
parameter N = 100, R = 0.05, a = 0.35, g = 9.81, rise = 0.03
family i = 1..N, j = 1..N
coordinate r[i][3]
kinetic sum(i, norm2(r[i]')/2)
potential sum(i, g*r[i][3])
contact floor: r[i][3] - R >= 0 restitution 0.3 friction 0.3 along r[i][1]', r[i][2]' for i = 1..N
contact left: r[i][1] - R >= 0 restitution 0.3 for i = 1..N
contact right: a - R - r[i][1] >= 0 restitution 0.3 for i = 1..N
contact front: r[i][2] - R >= 0 restitution 0.3 for i = 1..N
contact back: a - R - r[i][2] >= 0 restitution 0.3 for i = 1..N
contact pair: norm(r[i] - r[j]) - 2*R >= 0 restitution 0.3 for i = 1..N, j = i+1..N
initial r[i] = (a/2 + 0.1*sin(2*i), a/2 + 0.1*cos(2*i), 0.1 + rise*i)
solve moreau step 0.005 end 4
MODEL
for rise in 0.06 0.2; do
  "$program" run "$folder/box.alm" --set rise=$rise --json --quiet | python3 -c "
import itertools, json, math, sys
run = json.load(sys.stdin)
q, v = run['q']['r'], run['v']['r']
gaps = [x for r in q for x in (r[2] - 0.05, r[0] - 0.05, r[1] - 0.05, 0.3 - r[0], 0.3 - r[1])]
gaps += [math.dist(a, b) - 0.1 for a, b in itertools.combinations(q, 2)]
print('rise $rise: t %.3g, kinetic energy %.1e, deepest %.1e, %.0f s' %
      (run['t'], sum(x * x for r in v for x in r) / 2, max(0, -min(gaps)), run['statistics']['run_seconds']))"
done
