// Jay (modified Newton iterations): SPARK steps with two small factorisations, whatever the number of stages.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/lab/tools.h"
#include "alembert/newton/two_matrix.h"
#include "alembert/run/integrate.h"

namespace alembert::internal::reproduce {
namespace {

NewtonOptions with(LinearSolver linear) {
  NewtonOptions options;
  options.linear = linear;
  return options;
}

double distance(const Report& a, const Report& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.y.size(); ++i) most = std::max(most, std::abs(a.y[i] - b.y[i]));
  for (std::size_t i = 0; i < a.z.size(); ++i) most = std::max(most, std::abs(a.z[i] - b.z[i]));
  return most;
}

/// The two matrices of the paper, and nothing else, for every number of stages.
Findings claim(const Workbench& work) {
  Findings findings;
  const std::vector<std::string> families{"gauss", "lobatto", "lobatto_abd", "lobatto_d", "radau"};
  const std::vector<std::string> models{"pendulum", "nonholonomic_particle", "knife_paraboloid", "double_pendulum"};
  const int most = work.quick ? 4 : 6;
  struct Case {
    std::string model, method;
    double gap = 0;
    long steps = 0, factorizations = 0;
    std::vector<int> sizes = {};
    int first = 0, second = 0;  // n_z + n_lambda + n_psi and n_z + n_lambda
  };
  std::vector<Case> cases;
  for (const std::string& model : models) {
    for (const std::string& family : families) {
      for (int s = family == "gauss" ? 1 : 2; s <= most; ++s)
        cases.push_back({model, fmt::format("{}({})", family, s)});
    }
  }
  work.parallel(static_cast<int>(cases.size()), [&](int i) {
    Case& one = cases[i];
    const Model model = work.model(one.model);
    const double h = 0.01, end = 0.2;
    const Report exact = work.run(model, one.method, h, end, {}, 1, with(LinearSolver::dense));
    const Report two = work.run(model, one.method, h, end, {}, 1, with(LinearSolver::two_matrix));
    one.gap = distance(exact, two);
    one.steps = two.steps;
    one.factorizations = two.newton.factorizations;
    one.sizes = two.newton.factorization_sizes;
    one.second = static_cast<int>(two.z.size() + two.lambda.size());
    one.first = one.second + static_cast<int>(two.psi.size());
  });
  Table table{"Factorised matrices, and the distance of the result from exact Newton's",
              {"model", "method", "sizes", "factorisations a step", "distance"},
              {}};
  double gap = 0, factorizations = 0, wrong = 0, largest_distinct = 0;
  for (const Case& one : cases) {
    std::vector<std::string> sizes;
    for (const int size : one.sizes) sizes.push_back(fmt::format("{0} x {0}", size));
    const double per_step = static_cast<double>(one.factorizations) / static_cast<double>(one.steps);
    table.rows.push_back({one.model, one.method, fmt::format("{}", fmt::join(sizes, ", ")),
                          fmt::format("{:.2f}", per_step), fmt::format("{:.1e}", one.gap)});
    gap = std::max(gap, one.gap);
    factorizations = std::max(factorizations, per_step);
    largest_distinct = std::max(largest_distinct, static_cast<double>(one.sizes.size()));
    // Lobatto IIIA-IIIB has p_z alone in the place of the second matrix.
    for (std::size_t k = 0; k < one.sizes.size(); ++k) {
      const bool known = k == 0 ? one.sizes[k] == one.first : one.sizes[k] <= one.second;
      wrong += known ? 0 : 1;
    }
  }
  findings.checks.push_back(at_most("largest distance from exact Newton's result after 20 steps", gap, 1e-12));
  findings.checks.push_back(at_most("factorisations a step, whatever s is", factorizations, 2));
  findings.checks.push_back(at_most("different matrices", largest_distinct, 2));
  findings.checks.push_back(at_most("matrices that have another size than the paper's", wrong, 0));
  findings.tables.push_back(table);
  return findings;
}

/// Errors of the iterates of one step from its own first guess: x <- x - (two matrices)^-1 F(x).
struct Errors {
  std::vector<double> z, all;  // largest of the stages Z and z_1, and of all unknowns
};

Errors iterates(const Workbench& work, const Model& model, const std::string& method_name, double h) {
  const Equations e = derive(model);
  const Method method = work.find_method(method_name);
  const MotionPoint<double> start = polish<double>(e, make_consistent(model, e), 0);
  const StepPlan plan = step_plan(method, e);
  const StepEquations& step = plan.parts.at(0);
  if (!step.stages) throw RunFailed(method_name + " has no two-matrix iteration");
  Exprs all{step.t0, step.h};
  all.insert(all.end(), step.state.begin(), step.state.end());
  const int inputs = static_cast<int>(all.size()), unknowns = static_cast<int>(step.unknowns.size());
  Exprs for_guess = all;
  for_guess.insert(for_guess.end(), step.guess_inputs.begin(), step.guess_inputs.end());
  all.insert(all.end(), step.unknowns.begin(), step.unknowns.end());
  const Kernel<double> guess(for_guess, step.guess, interpreted), residual(all, step.equations, interpreted);
  std::vector<double> x{0, h}, work_space(std::max(guess.work(), residual.work()));
  for (const auto* list : {&start.y, &start.z}) x.insert(x.end(), list->begin(), list->end());
  std::vector<double> guess_inputs = x;
  for (const auto* list : {&start.z_dot, &start.lambda, &start.psi})
    guess_inputs.insert(guess_inputs.end(), list->begin(), list->end());
  x.resize(inputs + unknowns);
  guess(guess_inputs.data(), x.data() + inputs, work_space.data());

  TwoMatrix two(*step.stages, all, inputs, interpreted);
  if (!two.factor(x.data())) throw RunFailed("a singular matrix");
  std::vector<std::vector<double>> visited;
  std::vector<double> b(unknowns);
  for (int k = 0; k < 40; ++k) {
    visited.push_back(x);
    residual(x.data(), b.data(), work_space.data());
    two.solve(b.data());
    for (int i = 0; i < unknowns; ++i) x[inputs + i] -= b[i];
  }
  Errors errors;
  const int first = (step.stages->s + 1) * step.stages->n_z;  // Z_1..Z_s and z_1 come first
  for (const std::vector<double>& at : visited) {
    double most = 0;
    for (int i = 0; i < unknowns; ++i) {
      if (i == first) errors.z.push_back(most);
      most = std::max(most, std::abs(at[inputs + i] - x[inputs + i]));
    }
    errors.all.push_back(most);
  }
  return errors;
}

/// The mean factor of the iterations after the first (the guess may be anything) up to `last`, or up to rounding.
double contraction(const std::vector<double>& errors, std::size_t last) {
  std::size_t to = 2;
  while (to < last && errors[to + 1] > 1e-9 * errors[1]) ++to;
  return std::pow(errors[to] / errors[1], 1.0 / static_cast<double>(to - 1));
}

Findings rates(const Workbench& work) {
  Findings findings;
  const std::vector<std::string> methods{"gauss(2)",   "gauss(1)",       "gauss(3)",     "lobatto(2)",
                                         "lobatto(3)", "lobatto_abd(3)", "lobatto_d(2)", "radau(2)"};
  const std::vector<double> steps{0.1, 0.05, 0.025};
  const std::vector<std::string> swing{"gravity=1", "x=3/5", "y=-4/5", "x'=4/5", "y'=3/5"};
  const int count = static_cast<int>(methods.size() * steps.size());
  std::vector<Errors> errors(count);
  work.parallel(
      count, [&](int i) { errors[i] = iterates(work, work.model("pendulum", swing), methods[i / 3], steps[i % 3]); });
  Figure figure;
  figure.title = "Pendulum, gauss(2): errors of the iterates of one step";
  Panel panel{"", {"iteration", false}, {"largest error of the unknowns"}, {}};
  Table table{"Contraction rates", {"method", "h = 0.1", "h = 0.05", "h = 0.025"}, {}};
  const double expected[3] = {0.083, 0.045, 0.022};
  std::vector<double> numbers;
  for (int k = 0; k < 12; ++k) numbers.push_back(k);
  for (std::size_t m = 0; m < methods.size(); ++m) {
    table.rows.push_back({methods[m]});
    std::vector<double> rate;
    for (std::size_t k = 0; k < steps.size(); ++k) {
      const Errors& list = errors[3 * m + k];
      rate.push_back(contraction(list.z, list.z.size() - 1));
      table.rows.back().push_back(fmt::format("{:.4f}", rate.back()));
      if (m > 0) continue;
      const std::string name = fmt::format("h = {}", steps[k]);
      panel.curves.push_back({name, numbers, {list.all.begin(), list.all.begin() + 12}});
      findings.checks.push_back(
          near("contraction rate of gauss(2), " + name, contraction(list.all, 4), expected[k], 0.07));
    }
    findings.checks.push_back(order("slope of the rate in h, " + methods[m], slope(steps, rate, 3), 1, 0.1));
  }
  panel.y.low = 1e-17;
  figure.panels = {panel};
  findings.show(figure);
  findings.keep(figure);
  findings.tables.push_back(table);
  findings.notes.push_back(
      "One step from (3/5, −4/5) with velocity (4/5, 3/5), mass, length and gravity 1, both matrices taken at its "
      "start. "
      "What the two matrices leave out is O(h), and so is the contraction. The rates "
      "compared are mean factors of the second to fourth iteration in the largest error of all unknowns, those of the "
      "table of all iterations up to rounding in the error of the stages Z: the choice changes them by a tenth.");
  return findings;
}

}  // namespace

std::vector<Entry> paper_002() {
  return {
      {"002/claim",
       "Only two matrices, whatever the number of stages",
       "The modified Newton iterations need only the decompositions of the matrices (2) and (3), of dimension n_z + "
       "n_λ + n_ψ and n_z + n_λ.",
       "Ỹ_i = y₀ + h Σ ā_ij v_j has a plus sign; equation (7), (Q̃ ⊗ I)(k₁ .. k_s, k(t₁, y₁, z₁)) = 0, is missing. "
       "The assumptions fail for Lobatto IIIA-B (A is singular): there the last matrix is p_z alone.",
       {"pendulum", "nonholonomic_particle", "knife_paraboloid", "double_pendulum"},
       {"alembert run models/pendulum.alm --method \"gauss(4)\" --newton two-matrix"},
       claim,
       3},
      {"002/rates",
       "Section 2.2: iterates and contraction rates",
       "The modified Jacobian neglects terms of O(h).",
       "",
       {"pendulum"},
       {"alembert run models/pendulum.alm --method \"gauss(2)\" --newton two-matrix --json"},
       rates,
       1}};
}

}  // namespace alembert::internal::reproduce
