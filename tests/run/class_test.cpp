// The class of all mistakes: a run that ends with exit code 0 and without a warning is right within ten times the
// accuracy that it states. Random models, methods and steps, most of them too long, against short steps in quadruple
// precision, at the end and along the way.
// Compiled only: what is judged here are steps and what is said of them.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <random>

#include "alembert/run/choose_method.h"
#include "alembert/study/reference.h"
#include "output/rows.h"

namespace alembert::internal::testing::random_runs {
namespace {

using Generator = std::mt19937_64;

double uniform(Generator& g, double low, double high) { return std::uniform_real_distribution<double>(low, high)(g); }
/// Evenly over the powers of ten.
double decades(Generator& g, double low, double high) { return std::pow(10, uniform(g, low, high)); }
template <class T>
const T& any(Generator& g, const std::vector<T>& list) {
  return list[std::uniform_int_distribution<std::size_t>(0, list.size() - 1)(g)];
}

struct Trial {
  std::string text;
  double time = 1;  // of its fastest motion: a period, about
};

Trial oscillator_of(Generator& g) {
  const double k = decades(g, -1, 4), a = uniform(g, 0, 1) < 0.5 ? 0 : decades(g, -1, 2), m = decades(g, -2, 2);
  return {fmt::format("coordinate x\nkinetic {}*x'^2/2\npotential {}*x^2/2 + {}*x^4/4\ninitial x = {}, x' = {}\n", m, k,
                      a, uniform(g, 0.2, 1), uniform(g, -1, 1)),
          6.3 * std::sqrt(m / (k + a))};
}

Trial wall_of(Generator& g) {
  const double c = decades(g, 1, 2.5);
  return {fmt::format("coordinate y\nkinetic y'^2/2\npotential 9.81*y + exp(-{}*y)\ninitial y = {}\n", c,
                      uniform(g, 0.3, 1)),
          2 / c};
}

Trial coupled_of(Generator& g) {
  const double far = uniform(g, 0, 1) < 0.5 ? 0 : decades(g, 0, 6), m = decades(g, -4, 4), k = decades(g, 0, 3);
  return {fmt::format("coordinate a = {}, b = {}\nkinetic (a'^2 + {}*b'^2)/2\n"
                      "potential (a - {})^2/2 + {}*(b - a - 1)^2/2\ninitial a' = 1\n",
                      far, far + 1.1, m, far, k),
          6.3 / std::sqrt(1 + k + k / m)};
}

Trial pendulum_of(Generator& g) {
  const double angle = uniform(g, 0.2, 2.9), l = decades(g, -1, 1);
  return {fmt::format("coordinate x = {}, y = {}\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\n"
                      "constraint x^2 + y^2 = {}\ninitial x' = 0, y' = 0\n",
                      l * std::sin(angle), -l * std::cos(angle), l * l),
          6.3 * std::sqrt(l / 9.81)};
}

Trial double_pendulum_of(Generator& g) {
  const double m = decades(g, -2, 2), a = uniform(g, 0.1, 1.5), b = uniform(g, 0.1, 1.5);
  return {fmt::format("coordinate p[2] = ({}, {}), q[2] = ({}, {})\nkinetic (norm2(p') + {}*norm2(q'))/2\n"
                      "potential 9.81*(p[2] + {}*q[2])\nconstraint norm2(p) = 1\nconstraint norm2(q - p) = 1\n",
                      std::sin(a), -std::cos(a), std::sin(a) + std::sin(b), -std::cos(a) - std::cos(b), m, m),
          2 / std::sqrt(1 + m)};
}

Trial ellipse_of(Generator& g) {
  const double a = uniform(g, 0.3, 3), b = uniform(g, 0.1, 1), v = uniform(g, 0.5, 4);
  return {fmt::format("coordinate x = {}, y = 0\nkinetic (x'^2 + y'^2)/2\npotential y\n"
                      "constraint x^2/{} + y^2/{} = 1\ninitial y' = {}\n",
                      a, a * a, b * b, v),
          6.3 * std::min(a, b * b / a) / v};
}

Trial forced_of(Generator& g) {
  const double w = decades(g, -2, 0);
  return {fmt::format("coordinate x\nkinetic x'^2/2\npotential x^2/2\nforce x = {}*exp(-((t - {})/{})^2)\n"
                      "rayleigh {}*x'^2/2\ninitial x = 0.5\n",
                      decades(g, 0, 2), uniform(g, 0.5, 2), w, uniform(g, 0, 0.3)),
          3 * w};
}

Trial knife_of(Generator& g) {
  const double spin = decades(g, -1, 1.5);
  return {fmt::format("coordinate x, y, phi\nkinetic (x'^2 + y'^2 + phi'^2)/2\npotential -x\n"
                      "constraint sin(phi)*x' = cos(phi)*y'\ninitial phi' = {}, x' = {}\n",
                      spin, uniform(g, 0, 1)),
          6.3 / spin};
}

Trial random_trial(Generator& g) {
  using Make = Trial (*)(Generator&);
  return any<Make>(
      g, {oscillator_of, wall_of, coupled_of, pendulum_of, double_pendulum_of, ellipse_of, forced_of, knife_of})(g);
}

std::vector<double> end_of(const Report& report) {
  std::vector<double> state = report.y;
  state.insert(state.end(), report.z.begin(), report.z.end());
  return state;
}

/// The largest error of a state, relative to the range that the run has for its kind.
double relative_error(std::size_t n_y, const std::vector<double>& found, const std::vector<double>& exact,
                      const Rows& rows) {
  double range[2] = {0, 0}, off[2] = {0, 0};
  for (std::size_t i = 0; i < found.size(); ++i) {
    const int kind = i < n_y ? 0 : 1;
    const double right = exact[i];
    double low = right, high = right;
    for (const auto& row : rows.rows) {
      const double value = rows.state(row)[i];
      low = std::min(low, value);
      high = std::max(high, value);
    }
    range[kind] = std::max(range[kind], high - low);
    off[kind] = std::max(off[kind], std::abs(found[i] - right));
  }
  const auto part = [](double x, double of) { return x > 0 ? x / of : 0; };
  return std::max(part(off[0], range[0]), part(off[1], range[1]));
}

/// auto: the one that suits the model, of which some are chosen by chance.
Method any_method(Generator& g, const Model& model, const Equations& e, const SimulateOptions& options) {
  static const std::vector<std::string> names{"auto",
                                              "auto",
                                              "gauss(1)",
                                              "gauss(2)",
                                              "gauss(3)",
                                              "gauss(4)",
                                              "gauss(6)",
                                              "radau(2)",
                                              "radau(3)",
                                              "lobatto(2)",
                                              "lobatto(3)",
                                              "lobatto(5)",
                                              "murua_ggl(3)",
                                              "gauss_collocation(3, ggl)",
                                              "radau_collocation(2, ggl)",
                                              "triple_jump(lobatto(2))"};
  const std::string& name = any(g, names);
  return name == "auto" ? choose_method(model, e, options).method : method(name);
}

struct Counts {
  int runs = 0, failed = 0, warned = 0, silent = 0, wrong = 0, unknown = 0;
};

struct Known {
  Reference exact;
  double error;  // of the reference itself
};

/// A silent run is counted, and what is known of its motion; nothing where that is too little. The reference
/// extrapolates the midpoint rule: it shares nothing with the methods, and costs a tenth of their steps in quadruple
/// precision. Its steps are halved until its own error hides nothing of the run's.
std::optional<Known> reference(const Model& model, const Equations& e, const Trial& trial, double end,
                               const Report& report, Counts& counts) {
  constexpr long longest = 8, shortest = 32;  // steps a period
  constexpr int columns = 8;                  // order 16
  const InitialValues initial = make_consistent(model, e);
  const double stated = report.accuracy ? report.accuracy->per_time * report.t : 0, negligible = 0.1 * stated + 1e-13;
  for (long a_period = longest;; a_period *= 2) {
    const long steps = std::max(a_period, std::lround(static_cast<double>(a_period) * end / trial.time));
    Known known{make_reference(e, initial, 0, Quad(report.t), steps, columns, ReferenceKind::extrapolation), 0};
    known.error = std::max(known.exact.error.q, std::isnan(known.exact.error.v) ? 0 : known.exact.error.v);
    const bool found = known.exact.failure.empty() && known.error < 1e-6;
    if (!(found && known.error <= negligible) && a_period < shortest) continue;
    ++(found ? counts.silent : counts.unknown);
    return found ? std::optional(std::move(known)) : std::nullopt;
  }
}

/// The largest error that a silent run has anywhere, relative to its ranges: at its end against the reference, and on
/// the way against short steps in double precision, where these end at the reference.
double error_along(const Model& model, const Equations& e, const Report& report, const Rows& rows, const Known& known) {
  constexpr std::size_t most_places = 24;
  std::vector<double> exact;
  for (const auto* list : {&known.exact.point.y, &known.exact.point.z})
    for (const Quad& x : *list) exact.push_back(static_cast<double>(x));
  const std::size_t n_y = report.y.size();
  double error = relative_error(n_y, end_of(report), exact, rows);
  SimulateOptions options;
  options.end = report.t;
  options.step = report.t / static_cast<double>(known.exact.steps);
  options.newton.kernel = {Backend::interpreter, false};
  std::vector<const std::vector<double>*> places;
  const std::size_t every = rows.rows.size() / most_places + 1;
  for (std::size_t i = every; i + 1 < rows.rows.size(); i += every) {
    places.push_back(&rows.rows[i]);
    options.at.push_back(rows.rows[i][0]);
  }
  if (places.empty()) return error;
  Rows fine;
  const Report right =
      run_rows(model, refusal(method("gauss(5)"), e).empty() ? "gauss(5)" : "lobatto(5)", options, fine);
  constexpr double same = 1e-7;
  if (right.ending != Ending::done || relative_error(n_y, end_of(right), exact, rows) > same + known.error)
    return error;
  if (fine.rows.size() < places.size()) return error;
  for (std::size_t i = 0; i < places.size(); ++i)
    error = std::max(error, relative_error(n_y, rows.state(*places[i]), fine.state(fine.rows[i]), rows) - same);
  return error;
}

void try_one(Generator& g, Counts& counts, std::string& list) {
  static const std::vector<std::string> methods{"lobatto(2)",
                                                "lobatto(3)",
                                                "lobatto(4)",
                                                "gauss(1)",
                                                "gauss(2)",
                                                "gauss(3)",
                                                "gauss(4)",
                                                "radau(2)",
                                                "murua(3)",
                                                "lobatto_c(3)",
                                                "triple_jump(lobatto(2))",
                                                "energy_momentum"};
  const Trial trial = random_trial(g);
  const Model model = model_from_text(trial.text);
  const Equations e = derive(model);
  const std::string name = any(g, methods);
  SimulateOptions options;
  options.step = trial.time * decades(g, -2.5, 0.5);
  options.end = trial.time * decades(g, 0, 1);
  if (options.end < options.step) return;
  if (!refusal(method(name), e).empty()) return;
  options.newton.kernel = {Backend::interpreter, false};
  Rows rows;
  ++counts.runs;
  const Report report = run_rows(model, name, options, rows);
  if (report.ending != Ending::done) {
    ++counts.failed;
    return;
  }
  if (!report.warnings.empty()) {
    ++counts.warned;
    return;
  }
  const auto known = reference(model, e, trial, options.end, report, counts);
  if (!known) return;
  const double error = error_along(model, e, report, rows, *known), stated = report.accuracy->per_time * report.t;
  if (error <= 10 * (stated + known->error) + 1e-12) return;
  ++counts.wrong;
  list += fmt::format("{} step {} end {}: error {:.1e}, stated {:.1e}\n{}\n", name, options.step, options.end, error,
                      stated, trial.text);
}

/// As try_one, with steps by a tolerance and a first one that may be far too long.
void try_tolerance(Generator& g, Counts& counts, std::string& list) {
  const Trial trial = random_trial(g);
  const Model model = model_from_text(trial.text);
  const Equations e = derive(model);
  SimulateOptions options;
  options.step = trial.time * decades(g, -3, 0.5);
  options.end = trial.time * decades(g, 0, 1);
  if (options.end < options.step) return;
  options.steps.control = Control::tolerance;
  options.steps.tolerance = decades(g, -9, -2);
  const Method chosen = any_method(g, model, e, options);
  if (!refusal(chosen, e).empty() || (chosen.claims.order_q < 4 && options.steps.tolerance < 1e-6)) return;
  options.newton.kernel = {Backend::interpreter, false};
  Rows rows;
  options.observers = {&rows};
  ++counts.runs;
  const Report report = simulate(model, e, chosen, options);
  if (report.ending != Ending::done || !report.warnings.empty()) {
    ++(report.ending != Ending::done ? counts.failed : counts.warned);
    return;
  }
  const auto known = reference(model, e, trial, options.end, report, counts);
  if (!known) return;
  ASSERT_TRUE(report.accuracy) << trial.text;
  const double error = error_along(model, e, report, rows, *known), stated = report.accuracy->per_time * report.t;
  if (error <= 10 * (stated + known->error) + 1e-12) return;
  ++counts.wrong;
  list += fmt::format("{} tolerance {} step {} end {}: error {:.1e}, stated {:.1e}\n{}\n", chosen.name,
                      options.steps.tolerance, options.step, options.end, error, stated, trial.text);
}

/// unknown: the part of the runs that may be without a reference.
void try_many(void (*try_it)(Generator&, Counts&, std::string&), const char* kind, int usual, double unknown) {
  const char* asked = std::getenv("ALEMBERT_TRIALS");
  const int trials = asked ? std::atoi(asked) : usual;
  const char* seed = std::getenv("ALEMBERT_SEED");
  Generator g(seed ? std::strtoull(seed, nullptr, 10) : 20261116);
  Counts counts;
  std::string list;
  while (counts.runs < trials) try_it(g, counts, list);
  std::cout << fmt::format(
      "{} random runs {}: {} failed, {} warned, {} said nothing, of which {} were wrong; {} without a reference\n",
      counts.runs, kind, counts.failed, counts.warned, counts.silent, counts.wrong, counts.unknown);
  EXPECT_EQ(counts.wrong, 0) << list;
  EXPECT_GT(counts.silent, trials / 4) << "else this test tests nothing";
  EXPECT_LT(counts.unknown, unknown * trials);
}

TEST(Class, NoRunIsWrongInSilence) { try_many(try_one, "with fixed steps", 1000, 0.05); }

TEST(Class, NoRunByAToleranceIsWrongInSilence) { try_many(try_tolerance, "by a tolerance", 500, 0.1); }

}  // namespace
}  // namespace alembert::internal::testing::random_runs
