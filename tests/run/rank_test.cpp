// Constraints that lose rank on the way, with no smooth way on: the run ends there, names them and keeps what it has;
// and none of this happens where the rank stays.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <numbers>

#include "../conformance/problems.h"

namespace alembert::internal::testing {
namespace {

class RowTimes : public Observer {
 public:
  void begin(const Columns&, const RunDescription&) override {}
  void row(std::span<const double> values) override { times.push_back(values[0]); }
  void end() override {}
  std::vector<double> times;
};

struct Passage {
  Report report;
  std::vector<double> times;
};

Passage pass(const std::string& text, const std::string& method_text, double step, double end) {
  const Model model = model_from_text(text);
  RowTimes rows;
  SimulateOptions options;
  options.step = step, options.end = end, options.observers = {&rows};
  options.newton.kernel = {Backend::interpreter, false};
  Passage passage{simulate(model, derive(model), method(method_text), options), {}};
  passage.times = rows.times;
  return passage;
}

/// Ended within two steps of `when`, with the names in the reason and all rows until then.
void expect_loss(const Passage& p, double when, double step, const std::vector<std::string>& names) {
  SCOPED_TRACE(p.report.reason);
  ASSERT_EQ(p.report.ending, Ending::failed);
  EXPECT_NEAR(p.report.t, when, 2.01 * std::abs(step));
  EXPECT_NE(p.report.reason.find("lose rank"), std::string::npos);
  EXPECT_NE(p.report.reason.find("t = "), std::string::npos);
  for (const std::string& name : names) EXPECT_NE(p.report.reason.find(name), std::string::npos) << name;
  ASSERT_EQ(p.times.size(), static_cast<std::size_t>(p.report.steps) + 1);
  EXPECT_EQ(p.times.front(), 0);
  EXPECT_EQ(p.times.back(), p.report.t);
}

// Two rods of length 1 from supports at +-(a + b t): in line at t = (1 - a)/b.
std::string stretched(double a, double b) {
  const std::string x = "(" + std::to_string(a) + " + " + std::to_string(b) + "*t)";
  return "coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential y\nconstraint left: (x + " + x +
         ")^2 + y^2 = 1\nconstraint right: (x - " + x + ")^2 + y^2 = 1\ninitial y = 1\n";
}

TEST(RankLoss, RodsPulledStraightEndTheRun) {
  for (const char* method : {"lobatto(2)", "lobatto(3)", "gauss(1)", "gauss(3)", "radau(2)"}) {
    SCOPED_TRACE(method);
    for (const double step : {0.01, 0.013, 0.004})
      expect_loss(pass(stretched(0.2, 0.5), method, step, 4), 1.6, step, {"left", "right"});
  }
}

TEST(RankLoss, WhereVelocitiesGrowWithoutBoundEndsTheRun) {
  // y' = 1/(2 - t): beyond t = 2 there are velocities again, but none that continue these.
  const std::string text =
      "coordinate x, y, z\nkinetic (x'^2 + y'^2 + z'^2)/2\n"
      "constraint a: x' + y' = 1\nconstraint b: x' + (t - 1)*y' = 0\n";
  for (const double step : {0.01, 0.013}) expect_loss(pass(text, "gauss(2)", step, 4), 2, step, {"a", "b"});
}

TEST(RankLoss, IsSeenInLargeSystemsToo) {
  // Parallelograms that turn with speed 1 from the angles 1 + 0.02 i: in line, one after the other, when they come to
  // pi. 300 constraints; those of one linkage stand far apart.
  const std::string text =
      "parameter N = 100\nfamily i = 1..N\ncoordinate a[i][2], b[i][2]\n"
      "kinetic sum(i, norm2(a[i]') + norm2(b[i]'))/2\nlet phi(i) = 1 + i/50, u(i) = (cos(phi(i)), sin(phi(i)))\n"
      "let v(i) = (-sin(phi(i)), cos(phi(i)))\nconstraint crank: norm2(a[i]) = 1 for i = 1..N\n"
      "constraint rocker: norm2(b[i] - (2, 0)) = 1 for i = 1..N\n"
      "constraint coupler: norm2(b[i] - a[i]) = 4 for i = 1..N\n"
      "initial a[i] = u(i), b[i] = (2, 0) + u(i), a[i]' = v(i), b[i]' = v(i)\n";
  const Passage p = pass(text, "lobatto(2)", 0.004, 0.21);
  ASSERT_EQ(p.report.ending, Ending::done) << p.report.reason;
  ASSERT_EQ(p.report.singular_positions.size(), 4u);
  for (int k = 0; k < 4; ++k) {
    const double when = std::numbers::pi - 3 + 0.02 * k;
    EXPECT_NEAR(p.report.singular_positions[k].t, when, 0.01);
    const std::string name = "coupler[" + std::to_string(100 - k) + "]";
    EXPECT_NE(p.report.singular_positions[k].words.find(name), std::string::npos)
        << p.report.singular_positions[k].words;
  }
}

TEST(RankLoss, IsNotSeenWhereTheRankStays) {
  struct {
    const char* text;
    const char* method;
    double step, end;
  } const sound[] = {
      // Steep walls and a flat ground: the gradient's length falls to a hundredth within a few steps.
      {"coordinate x, y\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint c: y = x^2/2\ninitial x = 100, y = "
       "5000\n",
       "lobatto(3)", 0.001, 40},
      // Folded and stretched pendulums: the rods are in line, their gradients independent.
      {"coordinate a[2], b[2]\nkinetic (norm2(a') + norm2(b'))/2\npotential 9.81*(a[2] + b[2])\n"
       "constraint r1: norm2(a) = 1\nconstraint r2: norm2(b - a) = 1\ninitial a = (1, 0), b = (0, 0), b' = (0, 3)\n",
       "lobatto(3)", 0.01, 20},
      // A four-bar whose coupler is 1 % too long to lie in line.
      {"coordinate a[2], b[2]\nkinetic (norm2(a') + norm2(b'))/2\nconstraint crank: norm2(a) = 1\n"
       "constraint coupler: norm2(a - b) = 2.05^2\nconstraint rocker: norm2(b - (2, 0)) = 1.2^2\n"
       "initial a = (0, 1), b = (2, 1), a' = (5, 0)\n",
       "lobatto(3)", 0.005, 5},
      // A knife edge that turns: its gradient rotates and keeps its length.
      {"coordinate x, y, phi\nkinetic (x'^2 + y'^2 + phi'^2)/2\npotential x\n"
       "constraint knife: sin(phi)*x' = cos(phi)*y'\ninitial phi' = 1\n",
       "gauss(2)", 0.05, 50},
      // q2 goes through 0 in large steps after having been large.
      {"coordinate q[3]\nkinetic norm2(q')/2\npotential norm2(q)/2\nconstraint q[3]' = q[2]*q[1]'\n"
       "initial q = (0, 300, 0), q' = (0, 0, 0)\n",
       "gauss(2)", 0.1, 50},
  };
  for (const auto& one : sound) {
    const Passage p = pass(one.text, one.method, one.step, one.end);
    EXPECT_EQ(p.report.ending, Ending::done) << one.text << p.report.reason;
  }
}

}  // namespace
}  // namespace alembert::internal::testing
