// The compiled step by itself: steps whose result is known in closed form, and what is remembered between them.

#include "alembert/newton/step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "alembert/base/bytes.h"
#include "alembert/base/lists.h"
#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

/// The implicit midpoint rule for q' = p, p' = -k q with the parameter k (usually 1); unknowns are the midpoints.
StepEquations midpoint() {
  StepEquations e;
  e.graph = std::make_shared<Graph>();
  Graph& graph = *e.graph;
  e.t0 = graph.symbol("t0");
  e.h = graph.symbol("h");
  e.state = graph.symbols("x", 2);
  e.unknowns = graph.symbols("X", 2);
  const Expr k = graph.parameter(0, "k", 1), q = e.unknowns[0], p = e.unknowns[1];
  e.equations = {q - e.state[0] - e.h / Quad(2) * p, p - e.state[1] + e.h / Quad(2) * (k * q)};
  e.labels = {"position", "momentum"};
  e.groups = {{0, 2, graph.constant(1)}};
  e.next = {e.state[0] + e.h * p, e.state[1] - e.h * (k * q)};
  e.guess = e.state;
  e.internal = {q, k * q};
  e.internal_names = {"Q", "F"};
  e.energy_change = graph.constant(0);
  return e;
}

StepPlan plan_of(StepEquations e) { return {{std::move(e)}, {{0, 1}}}; }

/// The rule turns (q, p) by this angle for k = 1.
double angle(double h) { return 2 * std::atan(h / 2); }

TEST(MidpointStep, rotates_by_a_known_angle) {
  for (const LinearSolver linear : {LinearSolver::unrolled, LinearSolver::dense, LinearSolver::sparse}) {
    std::vector<double> x{1, 0}, compensation(2);
    Step<double> step(plan_of(midpoint()), 0, 0.1, x, {}, interpreted_newton(linear));
    for (int n = 0; n < 1000; ++n)
      ASSERT_EQ(step.advance(0.1 * n, 0.1, x.data(), compensation.data()).newton.outcome, Outcome::converged);
    EXPECT_NEAR(x[0], std::cos(1000 * angle(0.1)), 1e-13);
    EXPECT_NEAR(x[1], -std::sin(1000 * angle(0.1)), 1e-13);
    EXPECT_EQ(step.internal_names(), (std::vector<std::string>{"Q", "F"}));
    EXPECT_NEAR(step.internal()[0], std::cos(999.5 * angle(0.1)) * std::cos(angle(0.1) / 2), 1e-13);
    EXPECT_FALSE(step.energy_change().has_value()) << "it always says 0";
    EXPECT_EQ(step.statistics().factorization_sizes, std::vector<int>{2});
  }
}

TEST(MidpointStep, goes_back_as_it_came) {
  std::vector<double> x{1, 0}, compensation(2);
  Step<double> step(plan_of(midpoint()), 0, 0.1, x, {}, interpreted_newton(LinearSolver::dense));
  for (int n = 0; n < 100; ++n) step.advance(0, 0.1, x.data(), compensation.data());
  step.restart(nullptr);
  for (int n = 0; n < 100; ++n) step.advance(0, -0.1, x.data(), compensation.data());
  EXPECT_NEAR(x[0], 1, 1e-15);
  EXPECT_NEAR(x[1], 0, 1e-15);
}

TEST(MidpointStep, substeps_with_shares_add_up) {
  // Shares 1/4, 1/2, 1/4: the angles of the shares add up.
  StepPlan plan{{midpoint()}, {{0, Quad(1) / 4}, {0, Quad(1) / 2}, {0, Quad(1) / 4}}};
  for (const LinearSolver linear : {LinearSolver::unrolled, LinearSolver::dense}) {
    std::vector<double> x{1, 0}, compensation(2);
    Step<double> step(plan, 0, 0.4, x, {}, interpreted_newton(linear));
    for (int n = 0; n < 50; ++n) step.advance(0, 0.4, x.data(), compensation.data());
    EXPECT_NEAR(x[0], std::cos(50 * (2 * angle(0.1) + angle(0.2))), 1e-14);
  }
}

TEST(MidpointStep, reads_bound_parameters_and_so_do_clones) {
  std::vector<double> x{1, 0}, compensation(2);
  Step<double> step(plan_of(midpoint()), 0, 0.1, x, {}, interpreted_newton(LinearSolver::unrolled));
  const double k = 4;  // the frequency is 2: (2 q, p) turns by the angle of twice the step
  step.bind(&k);
  Step<double> clone = step.clone();
  for (Step<double>* one : {&step, &clone}) {
    x = {1, 0};
    compensation = {0, 0};
    for (int n = 0; n < 100; ++n) one->advance(0, 0.1, x.data(), compensation.data());
    EXPECT_NEAR(x[0], std::cos(100 * angle(0.2)), 1e-13);
    EXPECT_EQ(one->internal()[1], 4 * one->internal()[0]);
  }
}

/// One unknown V with the given equation; V is added to the only state after it was multiplied by h.
StepEquations quadrature(const std::function<Expr(const StepEquations&)>& equation) {
  StepEquations e;
  e.graph = std::make_shared<Graph>();
  e.t0 = e.graph->symbol("t0");
  e.h = e.graph->symbol("h");
  e.state = e.graph->symbols("x", 1);
  e.unknowns = e.graph->symbols("V", 1);
  e.equations = {equation(e)};
  e.labels = {"velocity"};
  e.groups = {{0, 1, e.graph->constant(1)}};
  e.next = {e.state[0] + e.h * e.unknowns[0]};
  e.guess = {e.graph->constant(0)};
  return e;
}

// x' = cos(x) by the midpoint rule, from 0.3 and from a little beside it.
TEST(Step, starts_from_a_step_beside_it_and_ends_when_asked_to) {
  const StepPlan plan = plan_of(
      quadrature([](const StepEquations& e) { return e.unknowns[0] - cos(e.state[0] + e.h / 2 * e.unknowns[0]); }));
  constexpr double h = 0.4, beside = 1e-6;
  std::vector<double> x{0.3}, compensation(1);
  Step<double> step(plan, 0, h, x, {}, interpreted_newton(LinearSolver::dense));
  const auto advance = [&](double from) {
    x = {from};
    compensation = {0};
    const StepResult result = step.advance(0, h, x.data(), compensation.data());
    EXPECT_EQ(result.newton.outcome, Outcome::converged);
    return result.newton;
  };
  advance(0.3);
  SolvedStep<double> solved;
  step.solved(x.data(), solved);
  step.restart(nullptr);
  EXPECT_GT(advance(0.3 + beside).first_correction, 1e4 * beside) << "the method's own guess is far away";
  const double to_rounding = x[0];
  step.restart(nullptr);
  step.guess_as(solved);
  const NewtonResult whole = advance(0.3 + beside);
  EXPECT_LT(whole.first_correction, 2 * beside);
  EXPECT_NEAR(x[0], to_rounding, 1e-15);
  step.be_rough(10 * beside);
  step.guess_as(solved);
  const NewtonResult rough = advance(0.3 + beside);
  EXPECT_EQ(rough.iterations, 1);
  EXPECT_LT(rough.iterations, whole.iterations);
  EXPECT_NEAR(x[0], to_rounding, 1e-3 * beside);
  step.be_rough(0);
  step.guess_as(solved);
  advance(0.3 + beside);
  EXPECT_NEAR(x[0], to_rounding, 1e-15);
}

TEST(Step, substeps_begin_where_the_ones_before_ended) {
  // The midpoint rule for q' = t is exact, whatever the shares.
  const StepEquations e = quadrature([](const StepEquations& s) { return s.unknowns[0] - s.t0 - s.h / Quad(2); });
  const StepPlan plan{{e}, {{0, Quad(3) / 2}, {0, Quad(-1) / 4}, {0, Quad(-1) / 4}}};
  std::vector<double> x{0}, compensation{0};
  Step<double> step(plan, 0, 0.5, x, {}, interpreted_newton(LinearSolver::dense));
  for (int n = 0; n < 8; ++n) step.advance(0.5 * n, 0.5, x.data(), compensation.data());
  EXPECT_DOUBLE_EQ(x[0], 4 * 4 / 2.0);
}

TEST(Step, compensated_sums_do_not_drift) {
  // q' = 0.1 with h = 0.1, a hundred thousand times: in plain sums rounding adds up to 1e-9 of a unit and more.
  const StepEquations e = quadrature([](const StepEquations& s) { return s.unknowns[0] - Quad(1) / 10; });
  std::vector<double> x{0}, compensation{0};
  Step<double> step(plan_of(e), 0, 0.1, x, {}, interpreted_newton(LinearSolver::unrolled));
  const int n = 100000;
  double plain = 0;
  const double added = 0.1 * 0.1;
  for (int i = 0; i < n; ++i) {
    step.advance(0, 0.1, x.data(), compensation.data());
    plain += added;
  }
  const Quad exact = Quad(n) * Quad(added);
  EXPECT_LT(std::abs(static_cast<double>(Quad(x[0]) + Quad(compensation[0]) - exact)), 1e-22);
  EXPECT_GT(std::abs(static_cast<double>(Quad(plain) - exact)), 1e-13) << "else this test tests nothing";
}

TEST(Step, leaves_the_state_alone_where_a_substep_fails) {
  StepEquations impossible = midpoint();
  impossible.equations[1] = impossible.unknowns[1] * impossible.unknowns[1] + Quad(1);
  const StepPlan plan{{midpoint(), impossible}, {{0, Quad(1) / 2}, {1, Quad(1) / 2}}};
  std::vector<double> x{1, 0.5}, compensation{1e-20, 0};
  Step<double> step(plan, 0, 0.1, x, {}, interpreted_newton(LinearSolver::dense));
  const StepResult result = step.advance(0, 0.1, x.data(), compensation.data());
  EXPECT_NE(result.newton.outcome, Outcome::converged);
  EXPECT_EQ(result.substep, 1);
  EXPECT_EQ(step.label(result), "momentum");
  EXPECT_EQ(x, (std::vector<double>{1, 0.5}));
  EXPECT_EQ(compensation, (std::vector<double>{1e-20, 0}));
}

TEST(Step, increments_are_found_in_new_states) {
  Graph graph;
  const Expr x = graph.symbol("x"), d = graph.symbol("d");
  EXPECT_EQ(increment(x + d, x), d);
  EXPECT_EQ(increment(d + x, x), d);
  EXPECT_EQ(increment(x - d, x), -d);
  EXPECT_TRUE(is_zero(increment(x, x)));
  EXPECT_EQ(increment(d, x), d - x);
}

// Rounding of the constraints is rounding of the positions, and so much larger than that of the velocities where steps
// are short. What a kept matrix leaves of the velocities must not be as large: it adds up from step to step.
TEST(Step, short_steps_with_a_kept_matrix_keep_the_angular_momentum) {
  SimulateOptions options;
  options.step = 2e-4;
  options.end = 0.4;
  const Model model = gallery("rigid_free");
  const Report report = simulate(model, derive(model), method("gauss(4)"), options);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  for (std::size_t i = 3; i < 6; ++i) EXPECT_LT(report.invariants.at(i).max_error, 5e-13);
}

TEST(Step, distrust_of_wild_multipliers_is_saved) {
  // A multiplier that is a thousand times larger than predicted is not learnt, but for four steps at most. It follows
  // the other unknown, which is found at once: what it is after one iteration shows where it began.
  StepEquations e = quadrature([](const StepEquations& s) { return s.unknowns[0] - Quad(1); });
  const Expr L = e.graph->symbol("L");
  const Expr late = (Quad(1) + e.graph->make(Op::sign, e.t0 - Quad(19) / 2)) / Quad(2);  // 1 from the tenth step on
  e.unknowns.push_back(L);
  e.equations.push_back(L * L * L - (Quad(1) + Quad(1e15) * late));
  e.groups.push_back({1, 1, Expr()});
  e.guess.push_back(e.graph->constant(1));
  e.internal = {L};
  std::vector<double> x{0}, compensation{0};
  Step<double> step(plan_of(e), 0, 1, x, {}, interpreted_newton(LinearSolver::dense));
  const auto advance = [](Step<double>& one, double t) {
    std::vector<double> at{0}, rounding{0};
    EXPECT_EQ(one.advance(t, 1, at.data(), rounding.data()).newton.outcome, Outcome::converged);
    return one.internal()[0];
  };
  for (int n = 0; n < 12; ++n) advance(step, n);
  ByteWriter out;
  step.save(out);
  Step<double> other(plan_of(e), 0, 1, x, {}, interpreted_newton(LinearSolver::dense));
  ByteReader in(out.bytes());
  other.load(in);
  for (int n = 12; n < 20; ++n) EXPECT_EQ(advance(other, n), advance(step, n)) << n;
}

// Saved and loaded ----------------------------------------------------------------------------------------------------

struct Case {
  const char* model;
  const char* method;
  LinearSolver linear;
  const char* system;  // what is meant to be tested
  double h;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.model << " " << c.method << " " << c.system; }

class SavedStep : public ::testing::TestWithParam<Case> {
 protected:
  struct Run {
    Step<double> step;
    std::vector<double> state, compensation;
    double t = 0;
    NewtonResult last{};

    void advance(double h, int count) {
      for (int n = 0; n < count; ++n) {
        last = step.advance(t, h, state.data(), compensation.data()).newton;
        ASSERT_EQ(last.outcome, Outcome::converged);
        t += h;
      }
    }
  };

  const Equations e = derive(gallery(GetParam().model));
  const InitialValues start = make_consistent(gallery(GetParam().model), e);

  std::vector<double> guess_values() const { return joined<double>(start.z_dot, start.lambda, start.psi); }
  Run make() const {
    const std::vector<double> state = joined<double>(start.y, start.z);
    return {Step<double>(method(GetParam().method).step(e), 0, GetParam().h, state, guess_values(),
                         interpreted_newton(GetParam().linear)),
            state, std::vector<double>(state.size())};
  }
  static void expect_equal(Run& a, Run& b) {
    EXPECT_EQ(a.state, b.state);
    EXPECT_EQ(a.compensation, b.compensation);
    EXPECT_EQ(a.step.internal(), b.step.internal());
    EXPECT_EQ(a.step.carried(), b.step.carried());
    EXPECT_EQ(a.step.energy_change(), b.step.energy_change());
    EXPECT_EQ(a.step.statistics().iterations, b.step.statistics().iterations);
    EXPECT_EQ(a.step.statistics().factorizations, b.step.statistics().factorizations);
    EXPECT_EQ(a.last.iterations, b.last.iterations);
    EXPECT_EQ(a.last.correction, b.last.correction);
  }
};

TEST_P(SavedStep, goes_on_with_the_same_bits) {
  const double h = GetParam().h;
  for (const int before : {0, 1, 30}) {
    Run one = make();
    one.advance(h, before);
    ByteWriter out;
    one.step.save(out);
    Run other = make();
    ByteReader in(out.bytes());
    other.step.load(in);
    in.finish();
    other.state = one.state;
    other.compensation = one.compensation;
    other.t = one.t;
    other.last = one.last;
    expect_equal(one, other);
    one.advance(h, 20);
    other.advance(h, 20);
    expect_equal(one, other);
  }
}

TEST_P(SavedStep, needs_what_is_saved) {
  // A step that begins anew at the same state has other bits: else saving would prove nothing.
  Run one = make();
  one.advance(GetParam().h, 30);
  Run other = make();
  other.state = one.state;
  other.compensation = one.compensation;
  other.t = one.t;
  one.advance(GetParam().h, 1);
  other.advance(GetParam().h, 1);
  EXPECT_NE(one.last.correction, other.last.correction);
}

TEST_P(SavedStep, begins_again_as_it_began) {
  Run one = make();
  one.advance(GetParam().h, 10);
  Run again{one.step.clone(), joined<double>(start.y, start.z), std::vector<double>(one.state.size())};
  again.step.begin(guess_values().data());
  again.advance(GetParam().h, 10);
  for (std::size_t i = 0; i < one.state.size(); ++i)
    EXPECT_NEAR(again.state[i], one.state[i], 1e-13 * (1 + std::abs(one.state[i])));
  for (std::size_t i = 0; i < one.step.carried().size(); ++i)
    EXPECT_NEAR(again.step.carried()[i], one.step.carried()[i], 1e-9 * (1 + std::abs(one.step.carried()[i])));
}

TEST_P(SavedStep, refuses_what_is_cut_off) {
  Run one = make();
  one.advance(GetParam().h, 3);
  ByteWriter out;
  one.step.save(out);
  for (const std::size_t lost : {std::size_t{1}, out.bytes().size() / 2, out.bytes().size()}) {
    Run other = make();
    ByteReader in(std::span(out.bytes()).first(out.bytes().size() - lost));
    EXPECT_THROW(other.step.load(in), InputError);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Kinds, SavedStep,
    ::testing::Values(Case{"double_pendulum", "lobatto(3)", LinearSolver::unrolled, "unrolled", 0.01},
                      Case{"double_pendulum", "gauss(3)", LinearSolver::dense, "dense", 0.01},
                      Case{"chain", "lobatto(3)", LinearSolver::sparse, "sparse", 0.002},
                      Case{"chain", "gauss(2)", LinearSolver::two_matrix, "two matrices", 0.002},
                      Case{"chain", "lobatto(2)", LinearSolver::two_matrix, "K1 and p_z", 0.002},
                      Case{"rolling_disk", "lobatto(3)", LinearSolver::two_matrix, "nonholonomic", 0.05},
                      Case{"snakeboard", "lobatto_abd(3)", LinearSolver::two_matrix, "psi in the last block", 0.02},
                      Case{"parallel_four_bar", "lobatto(3)", LinearSolver::minimum_norm, "minimum norm", 0.01},
                      Case{"pendulum", "yoshida(lobatto(2), 6)", LinearSolver::dense, "composition", 0.01},
                      Case{"pendulum", "yoshida(lobatto(2), 6)", LinearSolver::unrolled, "one Newton for all", 0.01},
                      Case{"pendulum", "symmetric(true_euler)", LinearSolver::dense, "equations of the guess", 0.01},
                      Case{"pendulum", "gauss_collocation(2)", LinearSolver::dense, "carried values", 0.01}));

}  // namespace
}  // namespace alembert::internal::testing
