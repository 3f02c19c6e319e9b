#!/usr/bin/env python3
"""The checks are checked: breaks the program in one place at a time and expects that a test notices.

  tools/mutate.py --check          every mutation still has its place in the sources (part of ./test)
  tools/mutate.py                  all of them: builds and runs the tests for each; the score comes last (an hour or two)
  tools/mutate.py --sample 10      ten of them, the same ones for the same --seed
  tools/mutate.py coefficients     those whose file or words hold this text

Works in a copy of the sources below build/mutate, so that yours are never touched. Only the unit that is broken is
compiled again. The tests of the filter beside a mutation run first; what survives them meets all tests.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
S = 'src/alembert/'
M = '*Coefficients*:*Claims*:*Conformance*:*Spark*:*Composition*:*Thesis*:*EnergyMomentum*:*PortHamiltonian*:*Euler*'
D = '*Deriv*:*Derive*:*Operators*:*Split*:*Port*:*Massless*:*Claims*:*Auxiliary*'
N = '*Newton*:*Step*:*Convergence*:*Predictor*:*Linear*:*Elimination*:*SparseLdl*:*Rounding*:*Claims*'
I = '*Initial*:*Nearest*:*Acceleration*:*ConsistentStart*:*Redundant*'
B = '*Bodies*:*Multibody*:*Mechanism*:*Loads*:*Joints*:*Angles*'
R = '*Control*:*Tolerance*:*Dense*:*Events*:*Accuracy*:*Kinks*:*Density*:*Account*:*Work*:*Class*:*Stepper*'
C = '*Contact*:*Impact*'
O = '*Writers*:*Trajectory*:*Report*:*Faults*:*Checkpoint*:*Resumed*'

# file, what stands there (once), what stands there instead, tests that look there
MUTATIONS = [
    # Coefficients and compositions.
    (S + 'methods/shared/coefficients.cpp', '((2 * k + 1) * x * p - k * before) / (k + 1)', '((2 * k + 1) * x * p + k * before) / (k + 1)', M),
    (S + 'methods/shared/coefficients.cpp', 'n * (at.before - x * at.p)', 'n * (at.before + x * at.p)', M),
    (S + 'methods/shared/coefficients.cpp', 'c[s - 1 - i] = (1 + x[s - 1 - i]) / 2;', 'c[s - 1 - i] = (1 - x[s - 1 - i]) / 2;', M),
    (S + 'methods/shared/coefficients.cpp', 'const Quad missing = 1 - row[0] / b[0];', 'const Quad missing = 1 + row[0] / b[0];', M),
    (S + 'methods/shared/coefficients.cpp', 'b[i] = 1 / ((1 - x[i]) * (1 + x[i]) * slope * slope);', 'b[i] = 1 / ((1 - x[i]) * (1 - x[i]) * slope * slope);', M),
    (S + 'methods/shared/coefficients.cpp', 'return at.p + at.before;', 'return at.p - at.before;', M),
    (S + 'methods/shared/composition.cpp', 'const Quad gamma = 1 / (2 - r);', 'const Quad gamma = 1 / (2 + r);', M),
    (S + 'methods/shared/composition.cpp', 'return {gamma, -r * gamma, gamma};', 'return {gamma, r * gamma, gamma};', M),
    (S + 'methods/shared/composition.cpp', 'const Quad r = root(2, p + 1);', 'const Quad r = root(2, p + 2);', M),
    (S + 'methods/shared/composition.cpp', 'const Quad gamma = 1 / (4 - root(4, p + 1));', 'const Quad gamma = 1 / (4 - root(4, p));', M),
    (S + 'methods/shared/composition.cpp', '1 - 4 * gamma, gamma, gamma}', '1 - 3 * gamma, gamma, gamma}', M),
    (S + 'methods/shared/composition.cpp', 'left[1] += cube * g * g;', 'left[1] += cube * g;', M),
    (S + 'methods/shared/composition.cpp', 'before * g / 2 + g * g / 6', 'before * g / 2 + g * g / 3', M),
    (S + 'methods/shared/composition.cpp', '1 - 2 * (g[0] + g[1] + g[2] + g4)', '1 - 2 * (g[0] + g[1] - g[2] + g4)', M),
    # Steps.
    (S + 'methods/shared/spark_step.cpp', 'T_.push_back(t0_ + k_.c[i] * h_);', 'T_.push_back(t0_ + k_.c[0] * h_);', M),
    (S + 'methods/shared/spark_step.cpp', 'const Expr t = t0_ + k_.c_tilde[j] * h_;', 'const Expr t = t0_ + k_.c_tilde[0] * h_;', M),
    (S + 'methods/shared/spark_step.cpp', 'const Expr half = h_ / Quad(2);', 'const Expr half = h_ / Quad(3);', M),
    (S + 'methods/shared/collocation.cpp', 'left[k] = left[k] - frame_.step.h * (f[k] - inertia_here[k] + N[k] + r[k]);', 'left[k] = left[k] - frame_.step.h * (f[k] + inertia_here[k] + N[k] + r[k]);', M),
    (S + 'methods/shared/collocation.cpp', 'const QuadVector points = lobatto_nodes(s + 1).c;', 'const QuadVector points = gauss_nodes(s + 1).c;', M),
    (S + 'methods/shared/euler.cpp', 't1_ = frame_.step.t0 + h;', 't1_ = frame_.step.t0;', M),
    (S + 'methods/shared/euler.cpp', 'first[i] = first[i] - e.f[i] - a * r0[i];', 'first[i] = first[i] - e.f[i] + a * r0[i];', M),
    (S + 'methods/shared/euler.cpp', '- a * r0[i] - (1 - a) * r1[i];', '- a * r0[i] - a * r1[i];', M),
    (S + 'methods/shared/euler.cpp', 'half[i] = half[i] + g_ww[i] / Quad(2);', 'half[i] = half[i] + g_ww[i];', M),
    (S + 'methods/shared/euler.cpp', 'if (arguments.empty()) return Quad(1) / 2;', 'if (arguments.empty()) return Quad(1) / 3;', M),
    (S + 'methods/energy_momentum.cpp', 'step.energy_change = h * motion.power;', 'step.energy_change = -h * motion.power;', M),
    (S + 'methods/discrete_gradient.cpp', 'mean.push_back(frame_.z0[i] + dx_[i] / Quad(2));', 'mean.push_back(frame_.z0[i] + dx_[i] / Quad(3));', M),
    (S + 'methods/discrete_gradient.cpp', 'm_ = {t0_ + h_ / Quad(2), {}, mean};', 'm_ = {t0_, {}, mean};', M),
    (S + 'methods/discrete_gradient.cpp', 'sum(graph_, terms) - h_ * F[i]', 'sum(graph_, terms) + h_ * F[i]', M),
    (S + 'methods/discrete_gradient.cpp', 'step.energy_change = step.supplied - step.dissipated;', 'step.energy_change = step.supplied + step.dissipated;', M),
    (S + 'methods/lobatto_damped.cpp', 'method.claims.set_orders(2 * s - 2);', 'method.claims.set_orders(2 * s - 1);', M),
    # Derivation and expressions.
    (S + 'derive/equations.cpp', 'e.energy = V ? T + V : T;', 'e.energy = V ? T - V : T;', D),
    (S + 'derive/equations.cpp', 'e.energy = sum(*e.graph, terms) - L;', 'e.energy = sum(*e.graph, terms) + L;', D),
    (S + 'derive/equations.cpp', 'e.N[i] = e.N[i] / H_pp.value[first];', 'e.N[i] = e.N[i] * H_pp.value[first];', D),
    (S + 'derive/equations.cpp', 'e.r[i] = parts.free[i] + parts.holonomic[i];', 'e.r[i] = parts.free[i] - parts.holonomic[i];', D),
    (S + 'derive/equations.cpp', 'e.port->supplied - e.port->dissipated', 'e.port->supplied + e.port->dissipated', D),
    (S + 'derive/split.cpp', 'return !b ? a : a ? a - b : -b;', 'return !b ? a : a ? a - b : b;', D),
    (S + 'derive/auxiliary.cpp', 'result.equation = result.sine * cos(symbol) - result.cosine * sin(symbol);', 'result.equation = result.sine * cos(symbol) + result.cosine * sin(symbol);', D + ':' + B),
    (S + 'derive/auxiliary.cpp', 'one.cosine * moving[0] - one.sine * moving[1]', 'one.cosine * moving[0] + one.sine * moving[1]', D + ':' + B),
    (S + 'derive/auxiliary.cpp', 'near + atan2(sine * c - cosine * s, cosine * c + sine * s)', 'near + atan2(sine * c + cosine * s, cosine * c + sine * s)', D + ':' + B),
    (S + 'derive/ports/port.cpp', 'moving.push_back(E.value[k] * e.z_dot[E.column[k]]);', 'moving.push_back(e.z_dot[E.column[k]]);', D),
    (S + 'expr/derivative.cpp', 'if (n.b != Marks::none) add(n.b, -(share * node));', 'if (n.b != Marks::none) add(n.b, share * node);', D),
    (S + 'expr/derivative.cpp', 'tangent[i] = (a - node * b)', 'tangent[i] = (a + node * b)', D),
    (S + 'expr/operators.cpp', 'return first ? 1 / b : -(node / b);', 'return first ? 1 / b : node / b;', D),
    (S + 'expr/operators.cpp', 'return first ? b * pow(a, b - 1) : node * log(a);', 'return first ? b * pow(a, b) : node * log(a);', D),
    (S + 'expr/operators.cpp', 'case Op::tan: return 1 + pow(node, 2);', 'case Op::tan: return 1 - pow(node, 2);', D),
    (S + 'expr/operators.cpp', 'case Op::tanh: return 1 - pow(node, 2);', 'case Op::tanh: return 1 + pow(node, 2);', D),
    (S + 'expr/operators.cpp', 'case Op::atan: return 1 / (1 + pow(a, 2));', 'case Op::atan: return 1 / (1 - pow(a, 2));', D),
    (S + 'expr/operators.cpp', 'case Op::hypot: return (first ? a : b) / node;', 'case Op::hypot: return (first ? b : a) / node;', D),
    # Newton and linear algebra.
    (S + 'newton/rounding.cpp', 'case Op::subtract: return ea + eb + own;', 'case Op::subtract: return ea - eb + own;', N),
    (S + 'newton/rounding.cpp', 'std::abs(a) * eb + std::abs(b) * ea + own', 'std::abs(a) * eb + own', N),
    (S + 'newton/convergence.h', 'ratio_ = now / before_;', 'ratio_ = before_ / now;', N),
    (S + 'newton/convergence.h', 'return ratio_ < 1 && left <=', 'return ratio_ > 1 && left <=', N),
    (S + 'newton/predictor.cpp', 'left = now - own;', 'left = now + own;', N),
    (S + 'newton/predictor.cpp', 'if (k > 0 && k <= degree) total += now;', 'if (k > 1 && k <= degree) total += now;', N),
    (S + 'linear/elimination.cpp', 'scales.row[i] = power_of_two(leading > 0 ? leading : largest);', 'scales.row[i] = power_of_two(largest) * power_of_two(largest);', N),
    (S + 'linear/elimination.cpp', 'if (largest < 1e-12) continue;', 'if (largest < 1e12) continue;', N),
    # Start.
    (S + 'start/nearest.cpp', 'const Vector left = quadratic_.residual + times(quadratic_.jacobian, step);', 'const Vector left = quadratic_.residual - times(quadratic_.jacobian, step);', I),
    (S + 'start/nearest.cpp', 'quadratic_.deviation = given_ - x_;', 'quadratic_.deviation = x_ - given_;', I),
    (S + 'start/accelerations.cpp', 'next.tail(b.size() - accelerations_) += delta_ * x.tail(b.size() - accelerations_);', 'next.tail(b.size() - accelerations_) -= delta_ * x.tail(b.size() - accelerations_);', I),
    (S + 'start/metrics.cpp', 'const double weight = light * std::max(max_abs(matrix.value), least_mass);', 'const double weight = std::max(max_abs(matrix.value), least_mass);', I),
    # Bodies.
    (S + 'model/bodies/expand_bodies.cpp', 'let $.x_axis = ($.e[1]^2 + $.e[2]^2 - $.e[3]^2 - $.e[4]^2', 'let $.x_axis = ($.e[1]^2 + $.e[2]^2 + $.e[3]^2 - $.e[4]^2', B),
    (S + 'model/bodies/expand_bodies.cpp', '2*($.e[3]*$.e[4] + $.e[1]*$.e[2]))', '2*($.e[3]*$.e[4] - $.e[1]*$.e[2]))', B),
    (S + 'model/bodies/expand_bodies.cpp', "let $.spin = (2*($.e[1]*$.e[2]' - $.e[2]*$.e[1]'", "let $.spin = (2*($.e[1]*$.e[2]' + $.e[2]*$.e[1]'", B),
    (S + 'model/bodies/expand_bodies.cpp', 'let $.direction(a, b) = (a*cos($.phi) - b*sin($.phi)', 'let $.direction(a, b) = (a*cos($.phi) + b*sin($.phi)', B),
    (S + 'model/bodies/expand_bodies.cpp', 'let $.point(a, b, c) = $.r + $.direction(a, b, c)', 'let $.point(a, b, c) = $.r - $.direction(a, b, c)', B),
    # Control, events, accounts.
    (S + 'run/control.cpp', 'const double ratio = (end - t0) / h;\n  // Half', 'const double ratio = (end + t0) / h;\n  // Half', R),
    (S + 'run/control.cpp', 'return {static_cast<long>(before) + 1, end - (t0 + before * h)};', 'return {static_cast<long>(before) + 1, end - before * h - h};', R),
    (S + 'run/control.cpp', 'rho_ += (first_ ? 0.5 : 1.0) * step_size_ * rate;', 'rho_ += step_size_ * rate;', R),
    (S + 'run/density.cpp', 'pow(floor + dot(e.z_dot, e.z_dot), Quad(0.25))', 'pow(floor + dot(e.z_dot, e.z_dot), Quad(0.5))', R),
    (S + 'run/tolerance_steps.cpp', 'share_(1 / (std::pow(2.0, std::min(order, trusted_order)) - 1))', 'share_(1e-4 / (std::pow(2.0, std::min(order, trusted_order)) - 1))', R),
    (S + 'run/tolerance_steps.cpp', 'shorter_.h = pair_.h * options_.shrink;', 'shorter_.h = pair_.h;', R),
    (S + 'run/work_meter.cpp', 'outer = 5.0 / 18, inner = 8.0 / 18;', 'outer = 4.0 / 18, inner = 8.0 / 18;', R),
    (S + 'run/work_meter.cpp', 'const double middle = (a + b) / 2, half = (b - a) / 2;', 'const double middle = (a + b) / 2, half = b - a;', R),
    (S + 'run/zero_search.cpp', 'return value > 0 ? 1 : -1;', 'return value > 0 ? -1 : 1;', R),
    (S + 'run/zero_search.cpp', 'const double next = series[k] + 2 * x * one - two;', 'const double next = series[k] + x * one - two;', R),
    (S + 'run/dense.cpp', 'const double part = share * h_;', 'const double part = h_;', R),
    (S + 'run/simulation_events.cpp', 'const bool enough = ++counts_[counter(event, record.event)] == event.stop_after;', 'const bool enough = counts_[counter(event, record.event)]++ == event.stop_after;', R),
    (S + 'run/simulation_events.cpp', '(jump > 0 ? gained_ : lost_) += std::abs(jump);\n  energy_', '(jump > 0 ? lost_ : gained_) += std::abs(jump);\n  energy_', R),
    # Contact.
    (S + 'run/contact_impact.cpp', 'problem.b[n] += factor * system_->restitution(set[k]) * before[n];', 'problem.b[n] -= factor * system_->restitution(set[k]) * before[n];', C),
    (S + 'run/contact_impact.cpp', 'const Eigen::VectorXd after = before + problem.D * *p;', 'const Eigen::VectorXd after = before - problem.D * *p;', C),
    (S + 'run/contact_impact.cpp', 'lost -= p[j] * (before[j] + after[j]) / 2;', 'lost -= p[j] * before[j];', C),
    (S + 'run/contact_mode.cpp', 'const Expr bound = friction.at_rest * force;', 'const Expr bound = friction.at_rest * friction.at_rest * force;', C),
    (S + 'run/contact_mode.cpp', 'm.force[i] = m.force[i] - size * direction[j] * row[i];', 'm.force[i] = m.force[i] + size * direction[j] * row[i];', C),
    # What is written and left behind.
    (S + 'output/output_file.cpp', 'if (end + tail.size() <= written) kept = end;', 'kept = end;', O),
    (S + 'output/hdf5_writer.cpp', 'const double nothing = std::nan("");', 'const double nothing = 0;', O),
    (S + 'run/checkpoint.cpp', 'if (saved != signature)', 'if (saved.empty())', O),
    (S + 'run/accuracy.cpp', 'companion_->advance(companion_at_.t, 2 * h_,', 'companion_->advance(companion_at_.t, h_,', R),
]


def chosen(arguments):
    found = [m for m in MUTATIONS if not arguments.text or any(t in m[0] + m[1] for t in arguments.text)]
    if arguments.sample:
        found = random.Random(arguments.seed).sample(found, min(arguments.sample, len(found)))
    return found


def check():
    wrong = 0
    for file, old, new, _ in MUTATIONS:
        count = open(os.path.join(ROOT, file), encoding='utf-8').read().count(old)
        if count != 1 or old == new:
            wrong += 1
            print(f'{file}: "{old}" stands there {count} times, not once')
    print(f'{len(MUTATIONS)} mutations, {wrong} without their place')
    return wrong


def run(command, **options):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options).returncode


def noticed(copy, build, filters):
    """By what: the compiler, a test, or nothing."""
    if run(['cmake', '--build', build, '--target', 'alembert_tests', 'alembert_cli']):
        return 'the compiler'
    program = os.path.join(build, 'bin', 'alembert_tests')
    for name, tests in (('its tests', filters), ('all tests', '*')):
        try:
            if run([program, '--gtest_brief=1', '--gtest_fail_fast', f'--gtest_filter={tests}'], cwd=copy, timeout=1200):
                return name
        except subprocess.TimeoutExpired:
            return name + ' (they do not end)'
    return ''


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('text', nargs='*')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--sample', type=int, default=0)
    parser.add_argument('--seed', type=int, default=22)
    arguments = parser.parse_args()
    if arguments.check:
        return 1 if check() else 0
    copy, build = os.path.join(ROOT, 'build', 'mutate', 'sources'), os.path.join(ROOT, 'build', 'mutate', 'build')
    os.makedirs(os.path.dirname(copy), exist_ok=True)
    subprocess.run(['rsync', '-a', '--delete', '--exclude=/build', '--exclude=/.git', ROOT + '/', copy], check=True)
    if run(['cmake', '-S', copy, '-B', build, '-G', 'Ninja', '-DCMAKE_BUILD_TYPE=Release', '-DALEMBERT_BENCH=OFF']):
        sys.exit('cannot configure')
    if noticed(copy, build, '*'):
        sys.exit('the tests fail without any mutation')
    survivors = []
    mutations = chosen(arguments)
    for number, (file, old, new, filters) in enumerate(mutations, 1):
        path = os.path.join(copy, file)
        text = open(path, encoding='utf-8').read()
        if text.count(old) != 1:
            sys.exit(f'{file}: "{old}" has no place: see --check')
        with open(path, 'w', encoding='utf-8') as out:
            out.write(text.replace(old, new))
        by = noticed(copy, build, filters)
        shutil.copy2(os.path.join(ROOT, file), path)
        os.utime(path)
        print(f'{number}/{len(mutations)} {file}: {old} -> {new}: {"noticed by " + by if by else "SURVIVED"}', flush=True)
        if not by:
            survivors.append(file)
    print(f'score: {len(mutations) - len(survivors)} of {len(mutations)} mutations noticed')
    return 1 if survivors else 0


if __name__ == '__main__':
    sys.exit(main())
