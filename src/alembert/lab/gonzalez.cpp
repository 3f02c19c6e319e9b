// Gonzalez 1999: four particles on two bars; figures 2 to 4, and the orders in p and lambda that the paper leaves open.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/lab/tools.h"
#include "alembert/plot/figures.h"

namespace alembert::internal::reproduce {
namespace {

constexpr char model_name[] = "four_particles";
constexpr char method_name[] = "energy_momentum";

Recorded motion(const Workbench& work) { return record(work, work.model(model_name), method_name, 0.01, 10); }

Findings figure_2(const Workbench& work) {
  Findings findings;
  const Recorded run = motion(work);
  const Trajectory& trajectory = run.trajectory;
  Figure figure;
  figure.title = "Four particles on two bars, energy_momentum, h = 0.01, t up to 10";
  Panel paths = positions(trajectory, points_of(trajectory), 0, trajectory.rows());
  paths.title = "Motion";
  Panel kept{"What is preserved", {"t", false}, {"change"}, {}};
  const Columns& c = trajectory.columns;
  kept.curves.push_back(line("energy", trajectory.t(), sizes(run.energy_error())));
  const auto worst = [&](int from, int to) {
    std::vector<double> most(trajectory.rows(), 0);
    for (int i = from; i < to; ++i) {
      for (std::size_t row = 0; row < most.size(); ++row)
        most[row] = std::max(most[row], std::abs(run.column(i)[row] - run.column(i)[0]));
    }
    return most;
  };
  kept.curves.push_back(line("linear momentum", trajectory.t(), worst(c.invariants.begin, c.invariants.begin + 3)));
  kept.curves.push_back(
      line("angular momentum", trajectory.t(), worst(c.invariants.begin + 3, c.invariants.begin + 6)));
  kept.curves.push_back(line("constraints", trajectory.t(), run.column(c.residuals.begin)));
  kept.y.low = 1e-17;
  kept.y.high = 1e-12;
  figure.panels = {paths, kept};
  figure.own_legends = true;
  figure.notes = {"dotted: the bars at the start; seen from above, z upward"};
  findings.show(figure);
  std::vector<std::string> head(c.names.begin(), c.names.begin() + c.momenta.end);
  findings.keep(head, {trajectory.values.begin(), trajectory.values.begin() + c.momenta.end});

  const double known[3] = {0.69196691135981826, 0.65551516611777073, 0.92125985680079231};
  for (int k = 0; k < 3; ++k)
    findings.checks.push_back(
        near(fmt::format("q4[{}] at t = 1", k + 1), run.column(c.coordinates.begin + 9 + k).at(100), known[k], 1e-12));
  findings.checks.push_back(at_most("change of the energy over 1000 steps", run.report.energy.max_error, 5e-14));
  double linear = 0, angular = 0;
  for (int k = 0; k < 3; ++k) linear = std::max(linear, run.report.invariants.at(k).max_error);
  for (int k = 3; k < 6; ++k) angular = std::max(angular, run.report.invariants.at(k).max_error);
  findings.checks.push_back(at_most("change of the linear momentum", linear, 5e-14));
  findings.checks.push_back(at_most("change of the angular momentum", angular, 5e-14));
  findings.checks.push_back(at_most("largest violation of the constraints", run.report.position, 5e-14));
  return findings;
}

/// d/dt |q_a - q_b| at every row.
std::vector<double> stretching(const Recorded& run, int a, int b, double mass_a, double mass_b) {
  const Columns& c = run.trajectory.columns;
  std::vector<double> rate;
  for (std::size_t row = 0; row < run.trajectory.rows(); ++row) {
    double sum = 0, length = 0;
    for (int k = 0; k < 3; ++k) {
      const double d =
          run.column(c.coordinates.begin + 3 * a + k)[row] - run.column(c.coordinates.begin + 3 * b + k)[row];
      sum += d * (run.column(c.velocities.begin + 3 * a + k)[row] / mass_a -
                  run.column(c.velocities.begin + 3 * b + k)[row] / mass_b);
      length += d * d;
    }
    rate.push_back(sum / std::sqrt(length));
  }
  return rate;
}

Findings figure_3(const Workbench& work) {
  Findings findings;
  const Recorded run = motion(work);
  const std::vector<double> g1 = stretching(run, 0, 1, 1, 3), g2 = stretching(run, 2, 3, 2.3, 1.7);
  Figure figure;
  figure.title = "Velocity constraints of the energy-momentum method, h = 0.01";
  figure.panels = {{"First bar", {"t", false}, {"d/dt g₁", false}, {line("g₁'", run.trajectory.t(), g1)}},
                   {"Second bar", {"t", false}, {"d/dt g₂", false}, {line("g₂'", run.trajectory.t(), g2)}}};
  findings.show(figure);
  findings.keep({"t", "g1'", "g2'"}, {run.trajectory.t(), g1, g2});
  const auto [low, high] = std::minmax_element(g1.begin(), g1.end());
  findings.checks.push_back(near("smallest g₁'", *low, -1.29716e-5, 1e-4));
  findings.checks.push_back(near("largest g₁'", *high, 1.72781e-5, 1e-4));
  findings.notes.push_back(
      "The scheme preserves the configuration space and not the phase space; energy_momentum(projected) holds both.");
  return findings;
}

/// q4 at t = 0.1 in steps of 0.1/n.
std::vector<double> fourth(const Workbench& work, long n) {
  const Report report = work.run(work.model(model_name), method_name, 0.1 / static_cast<double>(n), 0.1);
  return {report.y.begin() + 9, report.y.end()};
}

Findings figure_4(const Workbench& work) {
  Findings findings;
  const std::vector<long> steps{10, 20, 50, 100, 200, 500, 1000};
  std::vector<std::vector<double>> ends(steps.size() + 1);
  work.parallel(static_cast<int>(ends.size()), [&](int i) {
    ends[i] = fourth(work, i < static_cast<int>(steps.size()) ? steps[i] : 10000);  // "exact": a step of 1e-5
  });
  std::vector<double> h, error;
  const double size = length(ends.back(), {0, 0, 0});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    h.push_back(0.1 / static_cast<double>(steps[i]));
    error.push_back(length(ends[i], ends.back()) / size);
  }
  Figure figure;
  figure.title = "Relative error in q₄ at t = 0.1";
  figure.panels = {{"", {"time step Δt"}, {"relative error"}, {{"energy_momentum", h, error, Curve::Line::solid, 2}}}};
  findings.show(figure);
  findings.keep({"h", "error"}, {h, error});
  findings.checks.push_back(near("error at Δt = 0.01", error[0], 1.975e-5, 1e-3));
  findings.checks.push_back(near("error at Δt = 0.005", error[1], 5.094e-6, 1e-3));
  findings.checks.push_back(near("error at Δt = 0.001", error[3], 2.058e-7, 1e-3));
  findings.checks.push_back(near("error at Δt = 0.0001", error[6], 2.039e-9, 2e-3));
  findings.checks.push_back(order("slope", slope(h, error, 4), 2, 0.02));
  return findings;
}

/// The multipliers of the method's own last step.
std::vector<double> step_multipliers(const Workbench& work, double h, long n) {
  const Report report = work.run(work.model(model_name), method_name, h, h * static_cast<double>(n));
  if (report.internal.size() < 2) throw RunFailed("the method keeps no multipliers of its step");
  return {report.internal.begin(), report.internal.begin() + 2};
}

Findings open_orders(const Workbench& work) {
  Findings findings;
  const std::vector<long> steps{20, 40, 80, 160};
  const std::vector<OrderCase> cases{{method_name, 2, 2, 2}};
  Convergence measured;
  std::vector<double> h, late, mean;
  std::vector<std::vector<double>> last(steps.size()), next(steps.size());
  std::vector<double> exact;
  work.parallel(static_cast<int>(2 * steps.size()) + 2, [&](int i) {
    const int count = static_cast<int>(steps.size());
    if (i == 2 * count) {
      measured = measure(work, work.model(model_name), cases, {0.005, 0.0025, 0.00125}, 0.1, false);
    } else if (i == 2 * count + 1) {
      exact = work.run(work.model(model_name), "gauss(4)", 0.0005, 0.1).lambda;
    } else {
      const long n = steps[i % count];
      (i < count ? last : next)[i % count] =
          step_multipliers(work, 0.1 / static_cast<double>(n), i < count ? n : n + 1);
    }
  });
  const double size = length(exact, {0, 0});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    h.push_back(0.1 / static_cast<double>(steps[i]));
    std::vector<double> middle = last[i];
    for (std::size_t k = 0; k < middle.size(); ++k) middle[k] = (middle[k] + next[i][k]) / 2;
    late.push_back(length(last[i], exact) / size);
    mean.push_back(length(middle, exact) / size);
  }
  check_orders(findings, measured, cases, 0.05);
  findings.checks.push_back(order("order of λ of the step at its end", slope(h, late, 3), 1, 0.1));
  findings.checks.push_back(order("order of the mean of two neighbouring λ", slope(h, mean, 3), 2, 0.1));
  Figure figure;
  figure.title = "Errors at t = 0.1 of all unknowns";
  Panel panel = order_panel(measured, "");
  const MethodConvergence& m = measured.methods[0];
  std::vector<double> step_sizes;
  for (const ConvergeRow& row : m.rows) step_sizes.push_back(row.step);
  panel.curves = {{"q", step_sizes, m.q.error, Curve::Line::solid, 2},
                  {"p", step_sizes, m.v.error, Curve::Line::solid, 2},
                  {"λ, recomputed", step_sizes, m.multiplier.error, Curve::Line::solid, 2},
                  {"λ of the step, at its end", h, late, Curve::Line::dashed, 1},
                  {"mean of two neighbouring λ", h, mean, Curve::Line::dashed, 2}};
  figure.panels = {panel};
  findings.show(figure);
  findings.keep(figure);
  findings.notes.push_back(
      "q and p have order 2. The multiplier of a step belongs to its middle: taken for its end it has order 1, the "
      "mean "
      "of two neighbouring ones has order 2, and so has the one that the program reports.");
  return findings;
}

}  // namespace

std::vector<Entry> paper_001() {
  const std::vector<std::string> models{model_name};
  return {
      {"001/2",
       "Fig. 2: motion of the constrained four particle system",
       "Constraints, total energy, linear and angular momentum are conserved at each time step to the tolerance of the "
       "numerical computations.",
       "The kinetic energy in (3) lacks its factor 1/2.",
       models,
       {"alembert run models/four_particles.alm --plot four_particles.html"},
       figure_2,
       1},
      {"001/3",
       "Fig. 3: time history of the velocity constraints",
       "These quantities exhibit bounded oscillations about zero: the scheme does not preserve the phase space M.",
       "",
       models,
       {"alembert run models/four_particles.alm --json"},
       figure_3,
       1},
      {"001/4",
       "Fig. 4: relative error in q4 versus time step",
       "The scheme is second-order accurate in the positions.",
       "",
       models,
       {"alembert run models/four_particles.alm --step 0.001 --end 0.1 --json"},
       figure_4,
       2},
      {"001/orders",
       "The orders in p and λ, which the paper leaves open",
       "This level of accuracy is not necessarily achieved in the momenta and Lagrange multipliers; such issues will "
       "be "
       "discussed elsewhere.",
       "",
       models,
       {"alembert converge models/four_particles.alm --method energy_momentum --steps 0.005,0.0025,0.00125 --end 0.1"},
       open_orders,
       3}};
}

}  // namespace alembert::internal::reproduce
