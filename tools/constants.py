#!/usr/bin/env python3
"""What the constants of the engine are worth: varies one at a time and prints what the gallery becomes of it.

  tools/constants.py BUILD             all of them
  tools/constants.py BUILD slow quiet  those whose name holds one of these words

BUILD is a build folder (build/release). As tools/mutate.py does, all values are compiled at once into copies of the
sources; the environment says which constant has which value. Each line: what changes against the values as they stand,
over short runs of the gallery by fixed steps, by tolerance and through contacts: Newton iterations and factorisations,
accepted and rejected steps, the largest factor by which a residual of a constraint grew (above the rounding of a run),
the largest change of a final position relative to the largest of its model, and the runs that newly fail or no longer
do. Nothing outside BUILD/mutate is written.
"""
import concurrent.futures
import glob
import json
import os
import re
import subprocess
import sys

sys.dont_write_bytecode = True
import mutate  # noqa: E402

# File below src/alembert, name, other values.
CONSTANTS = [
    ('newton/convergence.h', 'negligible', ['0.01', '4']),
    ('newton/convergence.h', 'last_at_once', ['1e-6', '1e-2']),
    ('newton/convergence.h', 'near', ['1e-3', '0.1']),
    ('newton/convergence.h', 'hidden', ['1e6', '1e10']),
    ('newton/convergence.h', 'telling', ['2e-12', '2e-8']),
    ('newton/convergence.h', 'quadratic', ['0.1', '0.5']),
    ('newton/convergence.h', 'growing', ['1.2', '10']),
    ('newton/convergence.h', 'slow', ['0.1', '0.4']),
    ('newton/convergence.h', 'unknown_contraction', ['1e-4', '0.1']),
    ('newton/convergence.h', 'slowest_rate', ['0.7', '0.99']),
    ('newton/convergence.h', 'stalled', ['0.3', '0.8']),
    ('newton/convergence.h', 'quiet_floor', ['16', '256']),
    ('newton/convergence.h', 'fresh_floor', ['1e4', '1e8']),
    ('newton/convergence.h', 'noise_decay', ['0.5', '0.99']),
    ('newton/convergence.h', 'singular_floor', ['1e-8', '1e-4']),
    ('newton/newton.cpp', 'few_iterations', ['12', '48']),
    ('newton/newton.cpp', 'few_approximate', ['3', '12']),
    ('newton/newton.cpp', 'most_exact_unknowns', ['20', '1000000']),
    ('newton/newton.cpp', 'most_analysed', ['0', '100000']),
    ('newton/strategies.cpp', 'approximate_patience', ['2', '8']),
    ('newton/strategies.cpp', 'shortest_share', ['1.0 / 32', '1e-6']),
    ('newton/strategies.cpp', 'promised_part', ['0.01', '0.5']),
    ('newton/strategies.cpp', 'lost_residual', ['1e-11', '1e-7']),
    ('newton/strategies.cpp', 'full_residual', ['1e-15', '1e-11']),
    ('newton/strategies.cpp', 'singular_iterations', ['20', '80']),
    ('newton/strategies.cpp', 'full_rank_iterations', ['6', '24']),
    ('newton/strategies.cpp', 'healthy_pivot', ['1e-8', '1e-4']),
    ('newton/correction_norm.cpp', 'scaled_every', ['1', '32']),
    ('run/comparison_plan.cpp', 'between_comparisons', ['97', '1999']),
    ('run/tolerance_steps.cpp', 'fewest_steps', ['5', '80']),
    ('run/tolerance_steps.cpp', 'cliff', ['0.02', '0.3']),
    ('run/tolerance_steps.cpp', 'shorter_where_lost', ['0.3', '0.8']),
    ('run/tolerance_judge.cpp', 'trusted_decay', ['0.5', '1']),
    ('run/tolerance_judge.cpp', 'integral', ['0.4', '1']),
    ('run/tolerance_judge.cpp', 'proportional', ['0', '0.4']),
    ('run/tolerance_judge.cpp', 'most_aimed_at', ['0.05', '0.5']),
    ('run/tolerance_judge.cpp', 'most_alone', ['0', '12']),
    ('run/tolerance_judge.cpp', 'growth_alone', ['1.1', '3']),
    ('run/tolerance_judge.cpp', 'forget_ratio', ['0.1', '0.9']),
    ('run/tolerance_judge.cpp', 'caution', ['1', '4']),
    ('run/newton_economy.cpp', 'wide_part', ['0.7', '0.99']),
    ('run/newton_economy.cpp', 'exact_labour', ['4', '10']),
    ('run/newton_economy.cpp', 'simplified_labour', ['12', '40']),
    ('run/newton_economy.cpp', 'shorter_for_newton', ['0.5', '0.95']),
]
STEPS = 300  # of a run by fixed steps
TOLERANCE = '1e-6'
ROUNDING = 1e-13  # residuals below this are those of an exact solution


class Value:
    """One constant with one other value, by its number."""

    def __init__(self, number, file, name, value):
        self.number, self.file, self.name, self.value = number, file, name, value


def chosen(words):
    every = [(file, name, value) for file, name, values in CONSTANTS for value in values]
    numbered = [Value(number, *entry) for number, entry in enumerate(every, 1)]
    return [v for v in numbered if not words or any(word in v.name for word in words)]


def apply(values, text):
    """The text of a source in which these constants ask for their value. What is computed from them stays constexpr
    nowhere: the whole declaration becomes const."""
    for name in sorted({v.name for v in values}):
        found = re.search(rf'(?P<head>^ *(?:static )?)(?:constexpr|inline const|const) (?P<rest>\w+ [^;]*?\b{name} = )'
                          r'(?P<old>[^,;]+)', text, re.M)
        if not found:
            sys.exit(f'no constant {name} in its file')
        value = f"({found['old']})"
        for v in values:
            if v.name == name:
                value = f'(broken({v.number}) ? {v.value} : {value})'
        kind = 'inline const ' if 'static' in found['head'] else 'const '
        text = text[:found.start()] + found['head'] + kind + found['rest'] + value + text[found.end():]
    return text


def runs():
    """(name, arguments of `alembert run`)."""
    found = []
    for path in sorted(glob.glob(os.path.join(mutate.ROOT, 'models', '*.alm'))):
        name, text = os.path.basename(path)[:-4], open(path, encoding='utf-8').read()
        solve = re.search(r'^solve .*?step ([-\w.+/*()]+).*?end ([-\w.+/*()]+)', text, re.M)
        try:
            step, end = float(solve[1]), float(solve[2])
        except (TypeError, ValueError):
            continue
        end = min(end, STEPS * step)
        found.append((name, [path, '--end', repr(end)]))
        if not re.search(r'^contact |^limits ', text, re.M):
            found.append((name + ' by tolerance', [path, '--end', repr(end), '--tolerance', TOLERANCE]))
    return found


def run(program, number, arguments):
    environment = {**os.environ, 'ALEMBERT_MUTATION': str(number)}
    try:
        result = subprocess.run([program, 'run', *arguments, '--json', '-q', '--time-limit', '30'], env=environment,
                                capture_output=True, text=True, timeout=60)
        return json.loads(result.stdout) if result.returncode == 0 else None
    except (subprocess.TimeoutExpired, json.JSONDecodeError):
        return None


def summed(reports, key):
    return sum(r['statistics'][key] for r in reports)


def numbers(value):
    """Of vectors and families all entries."""
    if isinstance(value, dict):
        value = list(value.values())
    return [x for one in value for x in numbers(one)] if isinstance(value, list) else [value]


def percent(now, before):
    return f'{100 * (now / before - 1):+.1f} %' if before else ''


def line(before, now):
    """What became of the runs."""
    both = [(b, n) for b, n in zip(before, now) if b and n]
    old, new = [b for b, _ in both], [n for _, n in both]
    grown, moved = 1.0, 0.0
    for b, n in both:
        for kind in b['residual']:
            if isinstance(b['residual'][kind], float):  # that of contacts is by itself
                grown = max(grown, max(n['residual'][kind], ROUNDING) / max(b['residual'][kind], ROUNDING))
        old_q, new_q = (numbers(list(report['q'].values())) for report in (b, n))
        size = max([abs(x) for x in old_q] or [1]) or 1
        moved = max([moved] + [abs(x - y) / size for x, y in zip(new_q, old_q)])
    failed = sum(1 for b, n in zip(before, now) if b and not n)
    mended = sum(1 for b, n in zip(before, now) if n and not b)
    return [*(percent(summed(new, k), summed(old, k)) for k in ('newton_iterations', 'factorizations', 'steps', 'rejected')),
            f'{grown:.2g}', f'{moved:.1g}', f'{failed}' + (f', {mended} mended' if mended else '')]


def main():
    folder, words = sys.argv[1], sys.argv[2:]
    values = chosen(words)
    mutate.apply = apply
    build = mutate.Build(folder)
    build.make(values)
    jobs = runs()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        def all_runs(number):
            return list(pool.map(lambda job: run(build.program, number, job[1]), jobs))
        before = all_runs(0)
        print(f'{len(jobs)} runs, {sum(1 for b in before if not b)} of which fail as they stand\n')
        print('| constant | value | iterations | factorisations | steps | rejected | residual | moved | failed |')
        print('| --- | --- | --- | --- | --- | --- | --- | --- | --- |')
        for v in values:
            print('| ' + ' | '.join([v.name, v.value, *line(before, all_runs(v.number))]) + ' |', flush=True)


if __name__ == '__main__':
    main()
