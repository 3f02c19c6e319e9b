// Jay and Simeon: figures 4.1 to 4.4 with the equation that the natural method converges to, local errors, adjoints and
// compositions.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/lab/tools.h"
#include "alembert/methods/shared/euler.h"
#include "alembert/run/integrate.h"

namespace alembert::internal::reproduce {
namespace {

using Values = std::vector<double>;

/// A test problem of section 4 with its solution at t = 1, and that of the wrong limit equation of section 3.4.
struct Problem {
  std::string name, model;
  Values y, z, limit_y, limit_z;
  double error_y, error_z;  // of the true method, h = 1/1000, Euclidean
};

const Problem problem_41{"(4.1)",
                         "euler_41",
                         {7.38905609893065022723, 0.367879441171442321596},
                         {7.38905609893065022723, 0.367879441171442321596},
                         {7.8145045728098645510, 0.35772498585356439783},
                         {8.5910079841938000581, 0.39327102325932194221},
                         0.01744,
                         0.01970};
const Problem problem_42{"(4.2)",
                         "steel_on_teflon",
                         {0.4779342601938559675, 0.001091702967154643598},
                         {-16.63210819111083088, -0.1139737619243360888},
                         {0.474927134309647, 0.00107122561601363},
                         {-16.6376390653989, -0.112581471151894},
                         0.003908,
                         0.003319};

struct EndState {
  Values y, z;
};

EndState end_of(const Workbench& work, const Problem& problem, const std::string& method, long steps) {
  const Report report = work.run(work.model(problem.model), method, 1.0 / static_cast<double>(steps), 1);
  return {report.y, report.z};
}

/// The limit equation of natural_euler(1/2), integrated by the classical Runge-Kutta method.
EndState limit_of(const Workbench& work, const Problem& problem) {
  const Model model = work.model(problem.model);
  const Equations e = derive(model);
  const MotionPoint<double> start = polish<double>(e, make_consistent(model, e), 0);
  Exprs in{e.t};
  for (const Exprs* list : {&e.y, &e.z}) in.insert(in.end(), list->begin(), list->end());
  const Kernel<double> velocity(in, e.v, interpreted);
  Values x{0}, space(velocity.work());
  const std::size_t n_y = e.y.size(), n = n_y + e.z.size();
  for (const auto* list : {&start.y, &start.z, &start.z_dot, &start.z_dot, &start.lambda, &start.lambda})
    x.insert(x.end(), list->begin(), list->end());
  NewtonOptions options;
  options.kernel = interpreted;
  Newton<double> newton(natural_limit(e, Quad(1) / 2), x, options);
  Values state(x.begin() + 1, x.begin() + 1 + static_cast<long>(n));
  const int steps = 1000;
  const double h = 1.0 / steps;
  const auto rate = [&](double t, const Values& at) {
    x[0] = t;
    std::copy(at.begin(), at.end(), x.begin() + 1);
    if (newton.solve(x.data()).outcome != Outcome::converged) throw RunFailed("the limit equation has no solution");
    Values k(n);
    velocity(x.data(), k.data(), space.data());
    for (std::size_t i = n_y; i < n; ++i) k[i] = x[1 + n + i - n_y];
    return k;
  };
  const auto moved = [&](const Values& k, double by) {
    Values result = state;
    for (std::size_t i = 0; i < n; ++i) result[i] += by * k[i];
    return result;
  };
  for (int step = 0; step < steps; ++step) {
    const double t = step * h;
    const Values k1 = rate(t, state), k2 = rate(t + h / 2, moved(k1, h / 2)), k3 = rate(t + h / 2, moved(k2, h / 2)),
                 k4 = rate(t + h, moved(k3, h));
    for (std::size_t i = 0; i < n; ++i) state[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return {{state.begin(), state.begin() + static_cast<long>(n_y)},
          {state.begin() + static_cast<long>(n_y), state.end()}};
}

/// Figs. 4.1 to 4.4: global errors of the natural and the true method.
Findings global_error(const Workbench& work, const Problem& problem, bool velocities) {
  Findings findings;
  const std::string part = velocities ? "z" : "y";
  const std::vector<long> steps{20, 50, 100, 200, 500, 1000, 2000, 5000, 10000};
  const int count = static_cast<int>(steps.size());
  std::vector<EndState> natural(count), truly(count);
  EndState limit;
  work.parallel(2 * count + 1, [&](int i) {
    if (i == 2 * count) limit = limit_of(work, problem);
    else
      (i < count ? natural : truly)[i % count] =
          end_of(work, problem, i < count ? "natural_euler" : "true_euler", steps[i % count]);
  });
  const auto choose = [&](const EndState& s) { return velocities ? s.z : s.y; };
  const Values& exact = velocities ? problem.z : problem.y;
  const Values& known_limit = velocities ? problem.limit_z : problem.limit_y;
  Values h, natural_error, true_error, to_limit;
  for (int i = 0; i < count; ++i) {
    h.push_back(1.0 / static_cast<double>(steps[i]));
    natural_error.push_back(length(choose(natural[i]), exact));
    true_error.push_back(length(choose(truly[i]), exact));
    to_limit.push_back(length(choose(natural[i]), choose(limit)));
  }
  Figure figure;
  figure.title = fmt::format("Global error in {} at t = 1, problem {}, α = 1/2", part, problem.name);
  Panel panel{"", {"step size h"}, {fmt::format("‖{0}_n − {0}(1)‖", part)}, {}};
  panel.curves = {{"natural symplectic Euler", h, natural_error},
                  {"true symplectic Euler", h, true_error, Curve::Line::solid, 1},
                  {"natural, distance to its limit equation", h, to_limit, Curve::Line::dashed, 1}};
  figure.panels = {panel};
  findings.show(figure);
  findings.keep({"h", "natural", "true", "natural to its limit"}, {h, natural_error, true_error, to_limit});

  const double at_thousandth = true_error[5];
  findings.checks.push_back(
      near("error of true_euler at h = 0.001", at_thousandth, velocities ? problem.error_z : problem.error_y, 4e-4));
  findings.checks.push_back(order("slope of true_euler", slope(h, true_error, 3), 1, 0.03));
  findings.checks.push_back(order("slope of natural_euler towards its limit equation", slope(h, to_limit, 3), 1, 0.05));
  const double gap = length(exact, known_limit);
  findings.checks.push_back(at_most("distance of the limit equation's solution from the reference's",
                                    length(choose(limit), known_limit) / gap, 1e-7));
  // No convergence: extrapolated to h = 0, the error is the distance of the two equations.
  Values extrapolated = choose(natural[count - 1]);
  for (std::size_t i = 0; i < extrapolated.size(); ++i)
    extrapolated[i] += extrapolated[i] - choose(natural[count - 2])[i];
  findings.checks.push_back(near("error of natural_euler for h → 0", length(extrapolated, exact), gap, 0.01));
  findings.notes.push_back(fmt::format(
      "The natural method converges, with slope 1, to another equation (section 3.4), whose solution is {:.4g} away.",
      gap));
  if (problem.model == "steel_on_teflon")
    findings.notes.push_back(
        "Its error still falls, or passes through a minimum, near h = 0.001: a plateau alone would be a poor test.");
  return findings;
}

/// The error of a single step against the finest composition there is.
Findings local_errors(const Workbench& work) {
  Findings findings;
  Figure figure;
  figure.title = "Error of one step in z";
  const std::vector<std::string> names{"natural_euler", "natural_conjugate_euler", "true_euler",
                                       "true_conjugate_euler"};
  for (const Problem* problem : {&problem_41, &problem_42}) {
    Panel panel{"Problem " + problem->name, {"step size h"}, {"‖z_1 − z(h)‖"}, {}};
    Values h;
    for (int n = 64; n <= 4096; n *= 2) h.push_back(1.0 / n);
    std::vector<Values> error(names.size(), Values(h.size()));
    work.parallel(static_cast<int>(h.size()), [&](int i) {
      const Model model = work.model(problem->model);
      const Equations e = derive(model);
      const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
      const auto after = [&](const std::string& method, long parts) {
        const Endpoint<Quad> end =
            integrate<Quad>(e, work.find_method(method), start, Quad(0), Quad(h[i]) / Quad(parts), parts);
        if (!end.failure.empty()) throw RunFailed(method + ": " + end.failure);
        return Values(end.point.z.begin(), end.point.z.end());
      };
      const Values exact = after("suzuki(symmetric(true_euler))", 8);
      for (std::size_t m = 0; m < names.size(); ++m) error[m][i] = length(after(names[m], 1), exact);
    });
    for (std::size_t m = 0; m < names.size(); ++m) {
      const double expected = m < 2 ? 1 : 2;
      panel.curves.push_back({names[m], h, error[m], Curve::Line::solid, expected});
      findings.checks.push_back(
          order(fmt::format("{}, problem {}", names[m], problem->name), slope(h, error[m], 3), expected, 0.03));
    }
    figure.panels.push_back(panel);
  }
  findings.show(figure);
  findings.keep(figure);
  return findings;
}

double distance(const MotionPoint<Quad>& a, const MotionPoint<Quad>& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.y.size(); ++i) most = std::max(most, std::abs(static_cast<double>(a.y[i] - b.y[i])));
  for (std::size_t i = 0; i < a.z.size(); ++i) most = std::max(most, std::abs(static_cast<double>(a.z[i] - b.z[i])));
  return most;
}

Findings adjoints(const Workbench& work) {
  Findings findings;
  struct Pair {
    std::string first, second;
    bool equal;
  };
  const std::vector<Pair> pairs{{"adjoint_of(true_euler)", "true_euler_adjoint", true},
                                {"adjoint_of(true_conjugate_euler)", "true_conjugate_euler_adjoint", true},
                                {"adjoint_of(natural_euler(1/4))", "natural_conjugate_euler(3/4)", true},
                                {"adjoint_of(true_euler)", "true_conjugate_euler", false}};
  Figure figure;
  figure.title = "Distance between the adjoint of the true method and its conjugate after t = 0.2";
  Table table{"Largest difference after t = 0.2, h = 1/100, in quadruple precision", {"", "", "(4.1)", "(4.2)"}, {}};
  for (const Pair& pair : pairs) table.rows.push_back({pair.first, pair.second});
  Panel panel{"", {"step size h"}, {"distance"}, {}};
  for (const Problem* problem : {&problem_41, &problem_42}) {
    const Model model = work.model(problem->model);
    const Equations e = derive(model);
    const MotionPoint<Quad> start = polish<Quad>(e, make_consistent(model, e), 0);
    const auto end = [&](const std::string& method, long n) {
      const Endpoint<Quad> result =
          integrate<Quad>(e, work.find_method(method), start, Quad(0), Quad(1) / Quad(5 * n), n);
      if (!result.failure.empty()) throw RunFailed(method + ": " + result.failure);
      return result.point;
    };
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double gap = distance(end(pairs[i].first, 20), end(pairs[i].second, 20));
      const std::string name = fmt::format("{} and {}, problem {}", pairs[i].first, pairs[i].second, problem->name);
      if (pairs[i].equal) findings.checks.push_back(at_most(name, gap, 1e-27));
      else findings.checks.push_back(within(name + ", which differ", gap, 1e-6, INFINITY));
      table.rows[i].push_back(fmt::format("{:.1e}", gap));
    }
    Curve curve{"problem " + problem->name, {}, {}, Curve::Line::solid, 1};
    for (const long n : {20L, 40L, 80L, 160L}) {
      curve.x.push_back(0.2 / static_cast<double>(n));
      curve.y.push_back(distance(end("true_euler_adjoint", n), end("true_conjugate_euler", n)));
    }
    findings.checks.push_back(
        order("slope of their distance, problem " + problem->name, slope(curve.x, curve.y, 2), 1));
    panel.curves.push_back(curve);
  }
  figure.panels = {panel};
  findings.show(figure);
  findings.keep(figure);
  findings.tables.push_back(table);
  return findings;
}

Findings compositions(const Workbench& work) {
  Findings findings;
  struct Case {
    std::string method;
    std::vector<long> steps;
    double order, tolerance;
  };
  const std::vector<Case> cases{
      {"true_euler", {64, 256, 1024, 4096}, 1, 0.05},
      {"composed(true_euler, true_conjugate_euler)", {64, 256, 1024, 4096, 16384, 32768, 65536}, 1, 0.1},
      {"symmetric(true_euler)", {32, 64, 128, 256, 512}, 2, 0.05},
      {"triple_jump(symmetric(true_euler))", {32, 64, 128, 256}, 4, 0.25},
      {"suzuki(symmetric(true_euler))", {16, 32, 64, 128}, 4, 0.25}};
  Figure figure;
  figure.title = "Compositions: errors at t = 1";
  for (const Problem* problem : {&problem_41, &problem_42}) {
    Panel panel{"Problem " + problem->name, {"step size h"}, {"largest error of y and z"}, {}};
    std::vector<Curve> curves(cases.size());
    work.parallel(static_cast<int>(cases.size()), [&](int i) {
      curves[i] = {cases[i].method, {}, {}, Curve::Line::solid, cases[i].order};
      for (const long n : cases[i].steps) {
        const EndState end = end_of(work, *problem, cases[i].method, n);
        curves[i].x.push_back(1.0 / static_cast<double>(n));
        curves[i].y.push_back(std::max(length(end.y, problem->y), length(end.z, problem->z)));
      }
    });
    for (std::size_t i = 0; i < cases.size(); ++i) {
      findings.checks.push_back(order(fmt::format("order of {}, problem {}", cases[i].method, problem->name),
                                      slope(curves[i].x, curves[i].y, 2), cases[i].order, cases[i].tolerance));
      panel.curves.push_back(curves[i]);
    }
    figure.panels.push_back(panel);
  }
  findings.show(figure);
  findings.keep(figure);
  findings.notes.push_back(
      "Composed with its conjugate the true method stays at order 1: for reactions nonlinear in the multiplier the "
      "conjugate is not the adjoint. Composed with its exact adjoint it has order 2, and 4 by the triple jump or "
      "Suzuki's "
      "five steps of that.");
  return findings;
}

Entry global_entry(const std::string& figure, const Problem& problem, bool velocities) {
  return {"000/" + figure,
          fmt::format("Fig. {}: global error in {}, problem {}", figure, velocities ? "z" : "y", problem.name),
          "The natural method does not converge; the true one converges with slope 1.",
          "",
          {problem.model},
          {fmt::format("alembert run models/{}.alm --method true_euler --step 0.001 --end 1", problem.model)},
          [problem, velocities](const Workbench& work) { return global_error(work, problem, velocities); },
          1};
}

}  // namespace

std::vector<Entry> paper_000() {
  const std::vector<std::string> models{"euler_41", "steel_on_teflon"};
  return {global_entry("4.1", problem_41, false),
          global_entry("4.2", problem_41, true),
          global_entry("4.3", problem_42, false),
          global_entry("4.4", problem_42, true),
          {"000/local",
           "Theorems 3.1 to 3.3: errors of one step",
           "z₁ − z(t₀ + h) is O(h) for the natural methods and O(h²) for the true ones.",
           "",
           models,
           {"alembert converge models/euler_41.alm --method true_euler"},
           local_errors,
           1},
          {"000/adjoint",
           "Section 3.3: adjoint and conjugate methods",
           "For Hamiltonian systems the conjugate methods (3.7), (3.8) are the counterparts of (3.2), (3.5).",
           "The text before (3.7) calls it the true conjugate method; it is the natural one.",
           models,
           {"alembert verify models/euler_41.alm --method \"symmetric(true_euler)\""},
           adjoints,
           1},
          {"000/composition",
           "Conclusion: higher order by composition",
           "The true method can be used for the development of higher order methods by composition.",
           "",
           models,
           {"alembert run models/steel_on_teflon.alm --method \"suzuki(symmetric(true_euler))\" --step 0.01 --end 1"},
           compositions,
           2}};
}

}  // namespace alembert::internal::reproduce
