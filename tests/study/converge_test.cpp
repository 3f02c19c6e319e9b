#include "alembert/study/converge.h"

#include <gtest/gtest.h>
#include <quadmath.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

const double nan_value = std::nan("");

const char oscillator_text[] = R"(model "Oscillator"
coordinate x
kinetic x'^2/2
potential x^2/2
initial x = 1
solve gauss(1) step 0.1 end 2
)";

Convergence measure(const std::string& text, const std::vector<std::string>& methods, std::vector<double> steps = {},
                    std::optional<double> end = {}, bool quad = false) {
  const Model model = model_from_text(text);
  ConvergeOptions options;
  for (const std::string& name : methods) options.methods.push_back(method(name));
  options.steps = std::move(steps);
  options.end = end;
  options.quad = quad;
  return converge(model, derive(model), options);
}

TEST(JudgeErrors, FindsTheExponentOfAPowerLaw) {
  const std::vector<double> h = {0.4, 0.2, 0.1, 0.05};
  std::vector<double> error;
  for (const double step : h) error.push_back(3 * std::pow(step, 4));
  const ErrorColumn column = judge_errors(h, error, 4, 1e-20, false);
  EXPECT_TRUE(std::isnan(column.order[0]));
  for (int i = 1; i < 4; ++i) EXPECT_NEAR(column.order[i], 4, 1e-12);
  EXPECT_NEAR(column.observed, 4, 1e-12);
}

TEST(JudgeErrors, RoundingIsNotUsedForTheOrder) {
  const std::vector<double> h = {0.4, 0.2, 0.1, 0.05};
  const ErrorColumn column = judge_errors(h, {1e-8, 1e-8 / 64, 2e-13, 3e-13}, 6, 0, false);
  EXPECT_EQ(column.standing[1], Standing::good);
  EXPECT_EQ(column.standing[3], Standing::rounding) << "grows again";
  EXPECT_NEAR(column.order[1], 6, 1e-12);
  EXPECT_TRUE(std::isnan(column.order[3]));
  // The same errors are no rounding in quadruple precision.
  EXPECT_EQ(judge_errors(h, {1e-8, 1e-8 / 64, 2e-13, 3e-13}, 6, 0, true).standing[3], Standing::good);
  // Nor is a method rounding that merely has a lower order than it claims.
  EXPECT_EQ(judge_errors(h, {8e-2, 4e-2, 2e-2, 1e-2}, 4, 0, false).standing[3], Standing::good);
  EXPECT_NEAR(judge_errors(h, {8e-2, 4e-2, 2e-2, 1e-2}, 4, 0, false).observed, 1, 1e-12);
}

TEST(JudgeErrors, NothingIsSaidBelowTheReference) {
  const ErrorColumn column = judge_errors({0.2, 0.1, 0.05}, {1e-4, 9e-6, 1e-6}, 4, 1e-6, false);
  EXPECT_EQ(column.standing[0], Standing::good);
  EXPECT_EQ(column.standing[1], Standing::reference);
  EXPECT_TRUE(std::isnan(column.observed)) << "one good row has no slope";
}

TEST(JudgeErrors, FailedRunsAreLeftOut) {
  const ErrorColumn column = judge_errors({0.4, 0.2, 0.1}, {nan_value, 4e-2, 1e-2}, 2, 0, false);
  EXPECT_NEAR(column.observed, 2, 1e-12);
  EXPECT_TRUE(std::isnan(column.order[1]));
  EXPECT_NEAR(column.order[2], 2, 1e-12);
}

// cos(t) in quadruple precision, by both references.
TEST(ReferenceSolution, BothKindsFindTheOscillator) {
  const Model model = model_from_text(oscillator_text);
  const Equations e = derive(model);
  const InitialValues initial = make_consistent(model, e);
  for (const ReferenceKind kind : {ReferenceKind::method_or_extrapolation, ReferenceKind::extrapolation}) {
    const Reference r = make_reference(e, initial, 0, 2, 40, 8, kind);
    EXPECT_EQ(r.failure, "");
    EXPECT_EQ(r.method, kind == ReferenceKind::extrapolation ? "extrapolation of order 16" : "gauss(8)");
    EXPECT_LT(static_cast<double>(fabsq(r.point.y[0] - cosq(2))), 1e-28) << r.method;
    EXPECT_LT(static_cast<double>(fabsq(r.point.z[0] + sinq(2))), 1e-28) << r.method;
    EXPECT_TRUE(std::isnan(r.error.multiplier));
    EXPECT_LT(r.error.q, 1e-22);
  }
}

TEST(ReferenceSolution, TheEstimateIsAnUpperBound) {
  const Model model = model_from_text(oscillator_text);
  const Equations e = derive(model);
  const InitialValues initial = make_consistent(model, e);
  for (const int stages : {1, 2, 3}) {
    for (const ReferenceKind kind : {ReferenceKind::method_or_extrapolation, ReferenceKind::extrapolation}) {
      const Reference r = make_reference(e, initial, 0, 2, 8, stages, kind);
      const double error = static_cast<double>(fabsq((r.point.y[0] - cosq(2)) / cosq(2)));
      EXPECT_LT(error, r.error.q);
      EXPECT_GT(error, r.error.q / std::pow(2.0, 2 * stages + 2)) << "and not a wild one";
    }
  }
}

// At the start all accelerations vanish, up to rounding: they have no size of their own there.
TEST(ReferenceSolution, AccelerationsMayVanish) {
  const Model model = gallery("snakeboard");
  const Equations e = derive(model);
  const Reference r = make_reference(e, make_consistent(model, e), 0, 1, 20, 8, ReferenceKind::extrapolation);
  ASSERT_EQ(r.failure, "");
  const std::size_t psi = std::find(e.y_names.begin(), e.y_names.end(), "psi") - e.y_names.begin();
  EXPECT_LT(static_cast<double>(fabsq(r.point.y[psi] - Quad(7) / 10 * sinq(3))), 1e-15) << "prescribed";
}

// Two ways with nothing in common, on a system with both kinds of constraints.
TEST(ReferenceSolution, SparkAndTheIndexReducedSystemAgree) {
  const Model model = model_from_text(spark_model_text(reference("spark")["problems"]["HN_knife_paraboloid"]));
  const Equations e = derive(model);
  const InitialValues initial = make_consistent(model, e);
  const Reference a = make_reference(e, initial, 0, 1, 40, 7);
  const Reference b = make_reference(e, initial, 0, 1, 40, 10, ReferenceKind::extrapolation);
  EXPECT_EQ(a.method, "gauss(7)");
  const Errors difference = errors(a.point, b.point);
  EXPECT_LT(difference.q, a.error.q + b.error.q);
  EXPECT_LT(difference.v, a.error.v + b.error.v);
  EXPECT_LT(difference.multiplier, a.error.multiplier + b.error.multiplier);
  EXPECT_LT(a.error.q, 1e-14);
}

// The implicit midpoint rule turns the oscillator by 2 atan(h/2) a step.
TEST(Converge, ErrorsOfTheMidpointRuleAreItsClosedForm) {
  const Convergence c = measure(oscillator_text, {"gauss(1)"}, {0.5, 0.25, 0.125});
  ASSERT_EQ(c.methods.size(), 1u);
  EXPECT_EQ(c.end, 2);
  const MethodConvergence& m = c.methods[0];
  for (std::size_t i = 0; i < 3; ++i) {
    const double h = m.rows[i].step, angle = static_cast<double>(m.rows[i].steps) * 2 * std::atan(h / 2);
    EXPECT_NEAR(m.q.error[i], std::abs((std::cos(angle) - std::cos(2)) / std::cos(2)), 1e-14 + c.reference.error.q);
    EXPECT_NEAR(m.v.error[i], std::abs((std::sin(angle) - std::sin(2)) / std::sin(2)), 1e-14 + c.reference.error.v);
    EXPECT_TRUE(std::isnan(m.multiplier.error[i]));
    EXPECT_GE(m.rows[i].evaluations, m.rows[i].steps);
  }
  EXPECT_LT(c.reference.error.q, 1e-9);
  EXPECT_NEAR(m.q.observed, 2, 0.05);
  EXPECT_FALSE(c.failed());
}

TEST(Converge, WhatIsMeasuredBeforeAnInterruptionStays) {
  const Model model = model_from_text(oscillator_text);
  std::atomic<bool> interrupt = false;
  ConvergeOptions options;
  options.methods = {method("gauss(1)"), method("gauss(2)")};
  options.steps = {0.5, 0.25, 0.125};
  options.interrupt = &interrupt;
  double before = 0;
  int rows = -1;  // the reference comes first
  options.progress = [&](double done) {
    rows += done > before ? 1 : 0;
    before = std::max(before, done);
    if (rows == 2) interrupt = true;
  };
  const Convergence c = converge(model, derive(model), options);
  ASSERT_EQ(c.methods.size(), 2u);
  EXPECT_TRUE(c.failed());
  EXPECT_EQ(c.reference.failure, "");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(c.methods[0].rows[i].failure, "") << i;
  EXPECT_NEAR(c.methods[0].q.order[1], 2, 0.1) << "of what is there";
  EXPECT_EQ(c.methods[0].rows[2].failure, "interrupted");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(c.methods[1].rows[i].failure, "interrupted") << i;
  EXPECT_NE(to_text(c).find("failed: interrupted"), std::string::npos);
}

TEST(Converge, ExtendedPrecisionShowsHighOrders) {
  const Convergence c = measure(oscillator_text, {"gauss(5)"}, {0.5, 0.25, 0.125}, {}, true);
  EXPECT_NEAR(c.methods[0].q.observed, 10, 0.1);
  EXPECT_NEAR(c.methods[0].v.observed, 10, 0.1);
  EXPECT_EQ(c.reference.method, "gauss(7)");
  const Convergence in_double = measure(oscillator_text, {"gauss(5)"}, {0.5, 0.25, 0.125});
  EXPECT_EQ(in_double.methods[0].q.standing[2], Standing::rounding);
}

TEST(Converge, ClaimedOrdersOnThePendulum) {
  const Model model = gallery("spherical_pendulum");
  ConvergeOptions options;
  for (const char* name : {"gauss(1)", "gauss(2)", "lobatto(3)"}) options.methods.push_back(method(name));
  const Convergence c = converge(model, derive(model), options);
  EXPECT_EQ(c.end, 1) << "a hundred of the model's steps";
  for (const MethodConvergence& m : c.methods) {
    EXPECT_EQ(m.rows.size(), 4u);
    EXPECT_DOUBLE_EQ(m.rows[0].step, 0.04);
    EXPECT_DOUBLE_EQ(m.rows[3].step, 0.005);
    EXPECT_NEAR(m.q.observed, m.claimed.q, 0.1) << m.method;
    EXPECT_NEAR(m.v.observed, m.claimed.v, 0.1) << m.method;
    EXPECT_NEAR(m.multiplier.observed, m.claimed.multiplier, 0.1) << m.method;
  }
}

TEST(Converge, OrdersOverKinksAreThoseOfTheMethod) {
  const Model model = model_from_text("coordinate y = 1\nkinetic y'^2/2\npotential 9.81*y + 500*min(y, 0)^2\n");
  const Equations e = derive(model);
  ConvergeOptions options;
  options.methods = {method("gauss(2)")};
  options.steps = {0.02, 0.01, 0.005};
  options.end = 0.4;  // in front of the first kink, at 0.4515
  const Convergence before = converge(model, e, options);
  EXPECT_EQ(before.kinks, 0);
  EXPECT_EQ(to_text(before).find("kinks"), std::string::npos);
  options.end = 1;
  const Convergence over = converge(model, e, options);
  EXPECT_EQ(over.kinks, 0);
  EXPECT_NEAR(over.methods[0].q.observed, 4, 0.2);
  EXPECT_EQ(to_text(over).find("kinks"), std::string::npos);
  options.quad = true;  // steps of more digits go over kinks, and the report says so
  const Convergence extended = converge(model, e, options);
  EXPECT_EQ(extended.kinks, 2);
  EXPECT_NE(to_text(extended).find("the motion meets 2 of them"), std::string::npos) << to_text(extended);
  EXPECT_NE(to_json(extended).find(R"("code":"kinks")"), std::string::npos);
}

TEST(Converge, ConditionsTablesAndAbsoluteValuesKeepTheOrder) {
  const Model model = model_from_text(
      "coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\ntable f(s) = (0, 0), (1, 1), (2, 0), (10, 0)\n"
      "force x = -3*abs(x) + if(x > 0.3, -1, 0) + f(t)\n");
  ConvergeOptions options;
  options.methods = {method("gauss(2)"), method("lobatto(3)")};
  options.steps = {0.1, 0.05, 0.025};
  options.end = 3;
  const Convergence c = converge(model, derive(model), options);
  for (const MethodConvergence& m : c.methods) EXPECT_NEAR(m.q.observed, m.claimed.q, 0.25) << m.method;
}

TEST(Converge, StepsMustDivideTheEnd) {
  const auto steps = [&](std::vector<double> h, std::optional<double> end) {
    std::vector<double> used;
    const Convergence c = measure(oscillator_text, {"gauss(1)"}, std::move(h), end);
    for (const ConvergeRow& row : c.methods[0].rows) used.push_back(row.step);
    return used;
  };
  EXPECT_EQ(steps({0.1, 0.3}, 0.6), (std::vector<double>{0.6 / 2, 0.6 / 6}));
  EXPECT_EQ(steps({-0.5, -1}, -1), (std::vector<double>{-1, -0.5}));
  EXPECT_EQ(steps({}, 2.1).size(), 4u) << "chosen so that they do";
  EXPECT_EQ(steps({0.3, 0.15}, {}).front(), 0.3) << "the end is moved to 2.1";
  EXPECT_THROW(steps({0.1, 0.3}, 1.0), InputError);
  EXPECT_THROW(steps({0.1, -0.1}, 1.0), InputError);
  EXPECT_THROW(steps({0.0}, 1.0), InputError);
  EXPECT_THROW(steps({0.1}, 0.0), InputError);
  EXPECT_THROW(steps({1e-9}, 1.0), InputError);
  EXPECT_THROW(steps({2}, 1.0), InputError);
}

TEST(Converge, RefusesWhatAMethodCannotDo) {
  const Model model = gallery("pendulum");
  ConvergeOptions options;
  options.methods.push_back(method("euler_spark_1"));
  EXPECT_THROW(converge(model, derive(model), options), InputError);
}

// Beyond t = 2 the square root in the potential has no value: every run fails, and says where.
TEST(Converge, AFailingRunIsARowWithItsReason) {
  const Convergence c = measure(R"(model "Wall"
coordinate x
kinetic x'^2/2
potential 1e-6*sqrt(2 - x)
initial x' = 1
solve gauss(1) step 0.5 end 4
)",
                                {"gauss(1)"});
  EXPECT_TRUE(c.failed());
  EXPECT_FALSE(c.reference.failure.empty());
  for (const ConvergeRow& row : c.methods[0].rows) {
    EXPECT_NE(row.failure.find("step"), std::string::npos) << row.failure;
    EXPECT_NE(row.failure.find("from t = "), std::string::npos) << row.failure;
  }
  EXPECT_NE(to_text(c).find("failed: "), std::string::npos);
  const nlohmann::json json = nlohmann::json::parse(to_json(c));
  EXPECT_TRUE(json["methods"][0]["rows"][0]["failed"].is_string());
  EXPECT_TRUE(json["methods"][0]["rows"][0]["error"]["q"].is_null());
  EXPECT_NE(to_csv(c).find("\"gauss(1)\",2,2,,,,"), std::string::npos) << to_csv(c);
}

TEST(Converge, ReportsAgreeWithEachOther) {
  const Convergence c = measure(oscillator_text, {"gauss(1)", "gauss(2)"}, {0.5, 0.25});
  const nlohmann::json json = nlohmann::json::parse(to_json(c));
  EXPECT_EQ(json["model"], "Oscillator");
  EXPECT_EQ(json["methods"].size(), 2u);
  EXPECT_EQ(json["methods"][1]["claimed"]["q"], 4);
  EXPECT_EQ(json["methods"][0]["rows"][1]["error"]["q"], c.methods[0].q.error[1]);
  EXPECT_EQ(json["methods"][0]["rows"][0]["limited_by"]["q"], "good");
  EXPECT_TRUE(json["methods"][0]["observed"]["multiplier"].is_null());
  const std::string text = to_text(c), csv = to_csv(c), svg = to_svg(c);
  EXPECT_EQ(text.find("multiplier"), std::string::npos) << "there is none";
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 5);
  EXPECT_NE(csv.find(to_text(c.methods[0].q.error[1])), std::string::npos);
  EXPECT_NE(svg.find("gauss(2)"), std::string::npos);
  EXPECT_NE(svg.find("class=\"slope\""), std::string::npos);
}

// Between events a motion has the order of the method, and what they set is a smooth function of where they lie.
TEST(Converge, FollowsWhatEventsSet) {
  const std::string bouncing =
      "coordinate y = 1\nkinetic y'^2/2\npotential 9.81*y + 3*sin(2*y)\nevent hit: y = 0 falling\n"
      "when hit: y' = -0.8*y'\nwhen t = 0.3: k = 2\nparameter k = 1\nforce y = -k*y\n";
  const Convergence c = measure(bouncing, {"gauss(2)", "lobatto(3)"}, {0.1, 0.05, 0.025, 0.0125}, 1.0);
  EXPECT_FALSE(c.failed()) << to_text(c);
  for (const MethodConvergence& m : c.methods) EXPECT_NEAR(m.q.observed, 4, 0.3) << m.method << "\n" << to_text(c);
  EXPECT_THROW(measure(bouncing, {"gauss(2)"}, {0.1}, 1.0, true), InputError) << "in double precision only";
}

TEST(Converge, FollowsContacts) {
  const Convergence c = measure(
      "coordinate y = 1\nkinetic y'^2/2\npotential 9.81*y + 3*sin(2*y)\ncontact floor: y >= 0 restitution 0.8\n",
      {"gauss(2)"}, {0.1, 0.05, 0.025, 0.0125}, 1.0);
  EXPECT_FALSE(c.failed()) << to_text(c);
  EXPECT_NEAR(c.methods[0].q.observed, 4, 0.3) << to_text(c);
}

}  // namespace
}  // namespace alembert::internal::testing
