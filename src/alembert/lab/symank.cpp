// Symank 2025, section 7.2: Gauss collocation and Lobatto IIIC on the two-body mass-spring-damper. Figures 4 to 8.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/lab/symank.h"
#include "alembert/lab/tools.h"

namespace alembert::internal::reproduce {

StepChanges step_changes(const Workbench& work, const Model& model, const std::string& method_name, double h, long n) {
  const Equations e = derive(model);
  const InitialValues start = make_consistent(model, e);
  std::vector<double> state = start.y, guess_values = start.z_dot;
  state.insert(state.end(), start.z.begin(), start.z.end());
  append(guess_values, start.lambda);
  append(guess_values, start.psi);
  std::vector<double> rest(state.size(), 0);
  Exprs at_state{e.t};
  for (const Exprs* list : {&e.y, &e.z}) at_state.insert(at_state.end(), list->begin(), list->end());
  // In quadruple precision, with what rounding cut off from the state: what is left of the difference comes from the
  // step.
  const Kernel<Quad> energy(at_state, {{e.energy}}, interpreted);
  std::vector<Quad> in(state.size() + 1), space(energy.work());
  const auto energy_now = [&](double t) {
    Quad value = 0;
    in[0] = t;
    for (std::size_t i = 0; i < state.size(); ++i) in[i + 1] = Quad(state[i]) + Quad(rest[i]);
    energy(in.data(), &value, space.data());
    return value;
  };
  Step<double> step(step_plan(work.find_method(method_name), e), 0, h, state, guess_values);
  StepChanges changes;
  Quad before = energy_now(0);
  for (long i = 0; i < n; ++i) {
    const double t = h * static_cast<double>(i);
    const StepResult result = step.advance(t, h, state.data(), rest.data());
    if (result.newton.outcome != Outcome::converged) throw RunFailed(method_name + ": " + step.label(result));
    const std::optional<double> predicted = step.energy_change();
    if (!predicted) throw RunFailed(method_name + " predicts no change of the energy");
    const Quad after = energy_now(t + h);
    changes.t.push_back(t + h);
    changes.predicted.push_back(*predicted);
    changes.actual.push_back(static_cast<double>(after - before));
    changes.difference.push_back(static_cast<double>(Quad(*predicted) - (after - before)));
    before = after;
  }
  return changes;
}

namespace {

const std::vector<std::string> solvers{"gauss_collocation(3)", "lobatto_c(3)"};

/// What Lobatto IIIC with three stages leaves of the energy of a swing of frequency w in a step h: |R(i h w)|^2, R the
/// Pade approximation of degrees 1 and 3.
double left_by_lobatto_c(double w, double h) {
  const double y = w * h, a = 1 + y * y / 16;
  return a / (a + std::pow(y, 6) / 576);
}

/// The bodies start in the swing against each other, of frequency sqrt(k1 + 2 k2).
double frequency(double k2) { return std::sqrt(1 + 2 * k2); }

Findings conservation(const Workbench& work) {
  Findings findings;
  const double end = 2000, h = 0.1;
  std::vector<Recorded> runs(4);
  work.parallel(4, [&](int i) {
    runs[i] = record(work, work.model("mass_spring_damper", {i < 2 ? "k2=2" : "k2=1"}), solvers[i % 2], h, end, 10);
  });
  Figure figure;
  figure.title = "Energy of the mass-spring-damper system, h = 0.1";
  std::vector<std::string> head{"t"};
  std::vector<std::vector<double>> columns{runs[0].trajectory.t()};
  for (int i = 0; i < 4; ++i) {
    const std::string& name = solvers[i % 2];
    const std::string force = i < 2 ? "2 k₂" : "k₂";
    if (i % 2 == 0) figure.panels.push_back({fmt::format("Force {}", force), {"t", false}, {"energy", false}, {}});
    const std::vector<double>& energy = runs[i].column(runs[i].trajectory.columns.energy.begin);
    figure.panels.back().curves.push_back(line(name, runs[i].trajectory.t(), energy));
    head.push_back(name + ", force " + force);
    columns.push_back(energy);
    const double known[2] = {79.65460726, 47.95510523};
    if (i % 2 == 0) {
      findings.checks.push_back(
          at_most("energy error of " + name + ", force " + force, runs[i].report.energy.max_error, 1e-11));
    } else {
      findings.checks.push_back(
          near("energy at t = 2000, " + name + ", force " + force, energy.back(), known[i / 2], 2e-10));
      const double closed = energy[0] * std::pow(left_by_lobatto_c(frequency(i < 2 ? 2 : 1), h), end / h);
      findings.checks.push_back(near("the same from |R(ihω)|", energy.back(), closed, 1e-10));
    }
  }
  findings.show(figure);
  findings.keep(head, columns);
  findings.notes.push_back(
      "The system is linear and starts in the swing of frequency ω of the bodies against each other: Lobatto IIIC "
      "leaves "
      "|R(ihω)|² of its energy in each step, R being the Padé approximation of degrees 1 and 3.");
  return findings;
}

Findings large_steps(const Workbench& work) {
  Findings findings;
  const std::vector<double> steps{0.25, 0.5, 1.25, 5}, looks{50, 50, 25, 20};  // looks: before it is rounding only
  const int count = static_cast<int>(steps.size());
  std::vector<Recorded> runs(2 * count);
  work.parallel(2 * count, [&](int i) {
    runs[i] = record(work, work.model("mass_spring_damper"), solvers[i / count], steps[i % count], 2000);
  });
  Figure figure;
  figure.title = "Energy with large steps";
  Panel all{"On [0, 2000]", {"t", false}, {"energy", false}, {}},
      zoom{"The first moments", {"t", false}, {"energy", false}, {}};
  zoom.x.low = 0;
  zoom.x.high = 100;
  for (int i = 0; i < 2 * count; ++i) {
    const std::string name = fmt::format("{}, h = {}", solvers[i / count], steps[i % count]);
    const std::vector<double>& energy = runs[i].column(runs[i].trajectory.columns.energy.begin);
    Curve curve = line(i < count ? solvers[0] : name, runs[i].trajectory.t(), energy);
    all.curves.push_back(curve);
    zoom.curves.push_back(curve);
    if (i < count) {
      findings.checks.push_back(at_most("energy error of " + name, runs[i].report.energy.max_error, 1e-10));
    } else {
      const double h = steps[i % count], at = std::round(looks[i % count] / h);
      const double closed = energy[0] * std::pow(left_by_lobatto_c(frequency(2), h), at);
      findings.checks.push_back(near(fmt::format("energy at t = {}, {}", at * h, name),
                                     energy.at(static_cast<std::size_t>(at)), closed, 1e-9));
    }
  }
  findings.checks.push_back(at_most("energy at t = 2000, lobatto_c(3), h = 1.25",
                                    runs[count + 2].column(runs[count + 2].trajectory.columns.energy.begin).back(),
                                    1e-12));
  figure.panels = {all, zoom};
  findings.show(figure);
  findings.keep(figure);
  findings.notes.push_back(
      "Steps are held constant here, so that what the step size does is seen apart from its control.");
  return findings;
}

const std::vector<std::string> driven{"d1=0.2", "d2=0.5", "alpha=3"};

Findings power_balance(const Workbench& work) {
  Findings findings;
  const StepChanges changes = step_changes(work, work.model("mass_spring_damper", driven), solvers[0], 0.1, 300);
  Figure figure;
  figure.title = "Power balance of Gauss collocation, d₁ = 0.2, d₂ = 0.5, α = 3, h = 0.1";
  Panel both{"Change of energy in a step", {"t", false}, {"ΔH", false}, {}};
  both.curves = {line("H(t + h) − H(t)", changes.t, changes.actual),
                 line("h Σ β (−d₁V₁² − d₂V₂² + αV₁)", changes.t, changes.predicted)};
  both.curves[1].line = Curve::Line::dashed;
  Panel gap{"Difference", {"t", false}, {"", false}, {}};
  gap.curves = {line("difference", changes.t, changes.difference)};
  figure.panels = {both, gap};
  figure.own_legends = true;
  findings.show(figure);
  findings.keep({"t", "actual", "balance"}, {changes.t, changes.actual, changes.predicted});
  findings.checks.push_back(at_most("largest difference, gauss_collocation(3)", largest(changes.difference), 1e-13));
  findings.checks.push_back(within("largest change of energy in a step", largest(changes.actual), 0.1, 100));
  return findings;
}

Findings balance_difference(const Workbench& work) {
  Findings findings;
  Figure figure;
  figure.title = "Difference in power balance, h = 0.1";
  std::vector<StepChanges> found(4);
  work.parallel(4, [&](int i) {
    std::vector<std::string> values = driven;
    values.push_back(i < 2 ? "k2=2" : "k2=1");
    found[i] = step_changes(work, work.model("mass_spring_damper", values), solvers[i % 2], 0.1, 300);
  });
  const double known[2] = {1.85e-5, 2.6e-6};
  for (int i = 0; i < 4; ++i) {
    const std::string force = i < 2 ? "2 k₂" : "k₂";
    if (i % 2 == 0) figure.panels.push_back({"Force " + force, {"t", false}, {"difference", false}, {}});
    figure.panels.back().curves.push_back(line(solvers[i % 2], found[i].t, found[i].difference));
    const std::string name = fmt::format("largest difference, {}, force {}", solvers[i % 2], force);
    const double most = largest(found[i].difference);
    findings.checks.push_back(i % 2 == 0 ? at_most(name, most, 1e-13) : near(name, most, known[i / 2], 0.03));
  }
  findings.show(figure);
  findings.keep(figure);
  return findings;
}

/// Largest distance of two runs over all rows, relative to the largest value, over columns [from, to).
double distance(const Recorded& a, const Recorded& b, const ColumnRange& columns) {
  double gap = 0, size = 0;
  for (int i = columns.begin; i < columns.end; ++i) {
    for (std::size_t row = 0; row < a.trajectory.rows(); ++row) {
      gap = std::max(gap, std::abs(a.column(i)[row] - b.column(i)[row]));
      size = std::max(size, std::abs(b.column(i)[row]));
    }
  }
  return gap / size;
}

Findings vanishing_mass(const Workbench& work) {
  Findings findings;
  std::vector<double> masses;
  for (int k = 2; k <= 24; k += 2) masses.push_back(std::pow(10.0, -k));
  const int count = static_cast<int>(masses.size());
  const double h = 0.01, end = work.quick ? 3 : 30;
  std::vector<Recorded> runs(2 * (count + 1));  // of each solver: all masses, then 0
  work.parallel(2 * (count + 1), [&](int i) {
    const int k = i % (count + 1);
    const std::string mass = k < count ? fmt::format("m2={:e}", masses[k]) : "m2=0";
    runs[i] = record(work, work.model("mass_spring_damper_limit", {mass}), solvers[i / (count + 1)], h, end);
  });
  Figure figure;
  figure.title = "Solutions for decreasing m₂ compared with m₂ = 0";
  Panel positions{"Positions", {"m₂"}, {"relative difference"}, {}},
      velocities{"Velocities", {"m₂"}, {"relative difference"}, {}};
  const Columns& c = runs[0].trajectory.columns;
  const auto add = [&](const std::string& name, int solver, int limit_solver) {
    Curve q{name, masses, {}}, v{name, masses, {}};
    const Recorded& limit = runs[limit_solver * (count + 1) + count];
    for (int k = 0; k < count; ++k) {
      const Recorded& run = runs[solver * (count + 1) + k];
      q.y.push_back(distance(run, limit, c.coordinates));
      v.y.push_back(distance(run, limit, c.velocities));
    }
    positions.curves.push_back(q);
    velocities.curves.push_back(v);
    return q.y;
  };
  const std::vector<std::pair<std::string, std::vector<double>>> own{
      {solvers[1], add("Lobatto IIIC → Lobatto IIIC", 1, 1)}, {solvers[0], add("Gauss → Gauss", 0, 0)}};
  const std::vector<double> across = add("Gauss → Lobatto IIIC", 0, 1);
  for (const auto& [name, gap] : own) {
    // From 1e-10 to 1e-16: linear, and above rounding.
    const std::vector<double> m(masses.begin() + 4, masses.begin() + 8), d(gap.begin() + 4, gap.begin() + 8);
    findings.checks.push_back(order("slope of the difference in m₂, " + name, slope(m, d, 4), 1, 0.02));
    findings.checks.push_back(at_most("difference at m₂ = 1e-24, " + name, gap.back(), 1e-13));
  }
  findings.checks.push_back(within("difference of Gauss and Lobatto IIIC at m₂ = 1e-24", across.back(), 1e-3, 1));
  findings.notes.push_back(
      "With constant steps each method tends to its own solution of the DAE, linearly in m₂. The two solutions of the "
      "DAE "
      "differ: the start has a layer of 3e-5, which Gauss collocation (R(∞) = −1) does not damp and Lobatto IIIC does. "
      "That "
      "the thesis saw Gauss tend to Lobatto's solution is the work of its step control, which resolves the layer for "
      "small "
      "positive masses.");
  figure.panels = {positions, velocities};
  findings.show(figure);
  findings.keep(figure);
  return findings;
}

}  // namespace

std::vector<Entry> pendulum_entries();  // paper_004_pendulum.cpp

std::vector<Entry> paper_004() {
  const std::vector<std::string> msd{"mass_spring_damper"};
  const std::string misprint =
      "The printed force 2 k₂ belongs to an energy k₂ (p₂ − p₁ − r₂)², twice the printed one: both are run.";
  std::vector<Entry> entries{
      {"004/4",
       "Fig. 4: energy conservation, Gauss collocation and Lobatto IIIC",
       "Lobatto IIIC shows a constant, very slight decrease of energy; Gauss-Legendre collocation is energy "
       "conserving.",
       misprint,
       msd,
       {"alembert run models/mass_spring_damper.alm --method \"lobatto_c(3)\" --step 0.1 --end 2000"},
       conservation,
       1},
      {"004/5",
       "Fig. 5: energy conservation with large step size",
       "With large steps the energy quickly declines to zero for Lobatto IIIC, while Gauss collocation conserves it; "
       "the drop "
       "sets in at h = 1.25.",
       "",
       msd,
       {"alembert run models/mass_spring_damper.alm --method \"lobatto_c(3)\" --step 1.25 --end 2000"},
       large_steps,
       1},
      {"004/6",
       "Fig. 6: power balance of Gauss collocation",
       "The discrete power balance equation is exact along the numerical solution.",
       "The dissipation enters with a minus sign and the port as αV₁: ΔH = h Σ β (−d₁V₁² − d₂V₂² + αV₁).",
       msd,
       {"alembert run models/mass_spring_damper.alm --set d1=0.2 --set d2=0.5 --set alpha=3 --step 0.1 --end 30"},
       power_balance,
       1},
      {"004/7",
       "Fig. 7: difference in power balance between the solvers",
       "The power balance is less accurate for Lobatto IIIC.",
       misprint,
       msd,
       {"alembert run models/mass_spring_damper.alm --method \"lobatto_c(3)\" --set d1=0.2 --set d2=0.5 --set alpha=3 "
        "--step 0.1 "
        "--end 30"},
       balance_difference,
       1},
      {"004/8",
       "Fig. 8: one mass tends to zero, ODE and DAE solutions",
       "The solutions approach that of the DAE for Lobatto IIIC; those of Gauss collocation tend to the DAE solution "
       "of "
       "Lobatto IIIC rather than to their own.",
       "",
       {"mass_spring_damper_limit"},
       {"alembert run models/mass_spring_damper_limit.alm --set m2=1e-12 --step 0.01 --end 3"},
       vanishing_mass,
       4}};
  for (Entry& entry : pendulum_entries()) entries.push_back(std::move(entry));
  return entries;
}

}  // namespace alembert::internal::reproduce
