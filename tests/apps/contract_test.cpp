// Every shape that the contract of the language shows, as it is shown there, against closed forms or a second
// formulation that is integrated by extrapolation: nothing here was printed by the program first.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "apps/program.h"
#include "model/support.h"
#include "models/follow.h"

namespace alembert::internal::apps_test {
namespace {

using nlohmann::json;
using testing::Reference;

constexpr double g = 9.81;
constexpr double degree = M_PI / 180;

/// A place in the report, "/q/x", and what must stand there: one number, or those of a vector.
using Expected = std::vector<std::pair<std::string, std::vector<double>>>;

class Contract : public ::testing::Test {
 protected:
  /// Runs a text and gives its report; it must say nothing against the run.
  json run(const std::string& text, const std::vector<std::string>& options = {}, bool silent = true) {
    std::vector<std::string> words = {"run", folder.write("model.alm", text), "--json"};
    words.insert(words.end(), options.begin(), options.end());
    const Outcome outcome = program(words);
    EXPECT_EQ(outcome.code, 0) << text << outcome.err;
    if (outcome.code != 0) return {};
    json report = json::parse(outcome.out);
    EXPECT_TRUE(!silent || report["warnings"].empty()) << text << report["warnings"];
    return report;
  }

  void expect(const std::string& text, const Expected& expected, const std::vector<std::string>& options = {},
              double tolerance = 1e-10, bool silent = true) {
    const json report = run(text, options, silent);
    if (report.is_null()) return;
    for (const auto& [place, values] : expected) {
      const json::json_pointer at(place);
      ASSERT_TRUE(report.contains(at)) << place << "\n" << text << report;
      const json found = report[at].is_array() ? report[at] : json::array({report[at]});
      ASSERT_EQ(found.size(), values.size()) << place << "\n" << text;
      for (std::size_t i = 0; i < values.size(); ++i)
        EXPECT_NEAR(found[i].get<double>(), values[i], tolerance * std::max(1.0, std::abs(values[i]))) << place << "\n"
                                                                                                       << text;
    }
  }

  Folder folder;
};

std::vector<double> numbers(const Reference::State& x, std::size_t from, std::size_t count) {
  std::vector<double> list;
  for (std::size_t i = from; i < from + count; ++i) list.push_back(static_cast<double>(x[i]));
  return list;
}

// The first part.

/// Two masses on rods in their angles: a, b, a', b'.
Reference two_rods(long double m1, long double m2, long double l1, long double l2, Reference::State start) {
  return Reference(
      [=](long double, const Reference::State& x, Reference::State& rates) {
        const long double d = x[0] - x[1], c = std::cos(d), s = std::sin(d);
        const long double A = (m1 + m2) * l1 * l1, B = m2 * l1 * l2 * c, C = m2 * l2 * l2;
        const long double p = -m2 * l1 * l2 * s * x[3] * x[3] - (m1 + m2) * 9.81L * l1 * std::sin(x[0]);
        const long double q = m2 * l1 * l2 * s * x[2] * x[2] - m2 * 9.81L * l2 * std::sin(x[1]);
        const long double det = A * C - B * B;
        rates = {x[2], x[3], (C * p - B * q) / det, (A * q - B * p) / det};
      },
      std::move(start));
}

Expected ends_of_rods(const Reference::State& x, double l1, double l2) {
  const double a = static_cast<double>(x[0]), b = static_cast<double>(x[1]);
  const double x1 = l1 * std::sin(a), y1 = -l1 * std::cos(a);
  return {{"/q/x1", {x1}}, {"/q/y1", {y1}}, {"/q/x2", {x1 + l2 * std::sin(b)}}, {"/q/y2", {y1 - l2 * std::cos(b)}}};
}

TEST_F(Contract, DoublePendulum) {
  const std::vector<std::string> precisely = {"--method", "gauss", "--stages", "4", "--step", "0.005", "--end", "1"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), precisely.begin(), precisely.end());
    return more;
  };
  const long double right = M_PIl / 2;
  expect(test::double_pendulum, ends_of_rods(two_rods(3, 1, 1, 1, {right, right, 0, 0}).at(1), 1, 1), precisely, 1e-9);
  expect(test::double_pendulum, ends_of_rods(two_rods(2, 1, 1, 0.5L, {right, right, 0, 0}).at(1), 1, 0.5),
         with({"--set", "m1=2", "--set", "l2=0.5"}), 1e-9);
  // y1' = 10 turns the first rod by 10, and y2' = 0 the second one back.
  expect(test::double_pendulum, ends_of_rods(two_rods(2, 1, 1, 1, {right, right, 10, -10}).at(1), 1, 1),
         with({"--set", "m1=2", "--set", "y1'=10"}), 1e-8);
  // Backward in time from rest it goes as it goes forward.
  expect(test::double_pendulum, ends_of_rods(two_rods(3, 1, 1, 1, {right, right, 0, 0}).at(1), 1, 1),
         {"--method", "gauss(4)", "--step", "-0.005", "--end", "-1"}, 1e-9);
}

TEST_F(Contract, NonholonomicParticle) {
  // The multiplier from the differentiated constraint: q3'' = q2 q1'' + q2' q1'.
  Reference reference(
      [](long double, const Reference::State& x, Reference::State& rates) {
        const long double pull = (x[4] * x[3] - 2 * x[1] * x[0]) / (1 + x[1] * x[1]);
        rates = {x[3], x[4], x[5], -2 * x[0] - x[1] * pull, -2 * x[1], pull};
      },
      {1, 0, 0, 0, 1, 0});
  const Reference::State& x = reference.at(3);
  expect(test::nonholonomic_particle, {{"/q/q", numbers(x, 0, 3)}, {"/v/q", numbers(x, 3, 3)}},
         {"--step", "0.01", "--end", "3"});
  expect(R"(coordinate q1, q2, q3
lagrangian (q1'^2 + q2'^2 + q3'^2)/2 -
  q1^2 - q2^2                                 # a line goes on after an operator
constraint q3' = q2*q1'
initial q1 = 1, q2' = 1
solve gauss(3) step 0.01 end 3
)",
         {{"/q/q1", numbers(x, 0, 1)}, {"/q/q2", numbers(x, 1, 1)}, {"/q/q3", numbers(x, 2, 1)}});
}

TEST_F(Contract, FourParticlesOnTwoBars) {
  const std::string text = test::four_particles;
  // Four particles with the forces of springs and of two bars, whose pulls follow from their lengths.
  const long double m[4] = {1, 3, 2.3L, 1.7L};
  Reference reference(
      [&](long double, const Reference::State& x, Reference::State& rates) {
        const auto difference = [&](int i, int j, int k, int offset) {
          return x[offset + 3 * i + k] - x[offset + 3 * j + k];
        };
        long double force[4][3] = {};
        const auto spring = [&](int i, int j, long double K) {
          long double squares = 0;
          for (int k = 0; k < 3; ++k) squares += difference(i, j, k, 0) * difference(i, j, k, 0);
          for (int k = 0; k < 3; ++k) {
            force[i][k] -= K * (squares - 1) * difference(i, j, k, 0);
            force[j][k] += K * (squares - 1) * difference(i, j, k, 0);
          }
        };
        spring(0, 2, 100);
        spring(1, 3, 1000);
        const auto bar = [&](int i, int j) {  // d.d'' + d'.d' = 0
          long double needed = 0, inverse = 0;
          for (int k = 0; k < 3; ++k) {
            const long double d = difference(i, j, k, 0), v = difference(i, j, k, 12);
            needed += v * v + d * (force[i][k] / m[i] - force[j][k] / m[j]);
            inverse += d * d * (1 / m[i] + 1 / m[j]);
          }
          for (int k = 0; k < 3; ++k) {
            const long double pull = needed / inverse * difference(i, j, k, 0);
            force[i][k] -= pull;
            force[j][k] += pull;
          }
        };
        bar(0, 1);
        bar(2, 3);
        rates.resize(24);
        for (int i = 0; i < 4; ++i)
          for (int k = 0; k < 3; ++k) {
            rates[3 * i + k] = x[12 + 3 * i + k];
            rates[12 + 3 * i + k] = force[i][k] / m[i];
          }
      },
      {0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 / 1.7L});
  const Reference::State& x = reference.at(0.5);
  expect(text, {{"/q/q1", numbers(x, 0, 3)}, {"/q/q4", numbers(x, 9, 3)}},
         {"--method", "gauss(3)", "--step", "0.002", "--end", "0.5"}, 1e-8);
  // As it stands it keeps energy and momenta whatever the step.
  const json report = run(text, {}, false);
  EXPECT_LT(report["energy"]["max_error"].get<double>(), 1e-12);
  EXPECT_LT(report["invariants"]["linear"]["max_error"][2].get<double>(), 1e-13);
}

TEST_F(Contract, SteelOnTeflonAndTheGeneralForm) {
  // x'' = -slope psi - friction, whose pull along the tangent does not turn up in the normal direction:
  // psi (1 + slope^2) = g + 6 b x x'^2.
  const long double b = 0.01L, cf = 0.1L, rf = 0.85L;
  Reference reference(
      [&](long double, const Reference::State& x, Reference::State& rates) {
        const long double slope = 3 * b * x[0] * x[0], length = std::sqrt(1 + slope * slope);
        const long double psi = (9.81L + 6 * b * x[0] * x[1] * x[1]) / (length * length);
        const long double rubs = cf * std::pow(length * length * psi * psi, rf / 2);
        rates = {x[1], -slope * psi + rubs / length};  // it goes to the left
      },
      {10, -3.6L});
  const Reference::State& x = reference.at(0.5);
  const double place = static_cast<double>(x[0]);
  const std::string text = test::steel_on_teflon, constraint = "constraint y[2] = b*y[1]^3\n";
  const Expected ends = {{"/variables/y", {place, 0.01 * place * place * place}}};
  std::string named = text;
  named.replace(text.find(constraint), constraint.size(), "constraint surface(psi): y[2] = b*y[1]^3\n");
  for (const std::string& written : {text, named})
    expect(written, ends, {"--end", "0.5", "--method", "suzuki(symmetric(true_euler))"}, 1e-9);
  // As it stands: order 1.
  expect(text, ends, {"--end", "0.5"}, 1e-3);
  // A quantity that is differentiated instead: p = (1 + y) z, p' = 0 gives (1 + y) y' = 1 and y = sqrt(1 + 2 t) - 1.
  expect(
      "variable y = 0, z = 1\nquantity p = (1 + y)*z\nrate y' = z\nrate p' = 0\nsolve gauss_collocation(3) step 0.01 "
      "end 4\n",
      {{"/variables/y", {2}}, {"/variables/z", {1.0 / 3}}}, {}, 1e-9);
}

TEST_F(Contract, FamiliesOfCoordinates) {
  // The first of a chain of free particles is pushed: the middle moves with a fifth of it, and nothing turns it.
  const json report = run(R"(parameter N = 5, m = 2, l = 0.2
family i = 1..N                               # N a parameter; sum(...), and coordinates, constraints over a range
coordinate r[i][3]
kinetic sum(i, m/2*norm2(r[i]'))
constraint rod: norm2(r[i] - r[i-1]) = l^2   for i = 2..N
initial r[i] = (i*l, 0, 0), r[1]' = (0, 1, 0)
observe middle: sum(i, r[i])/N
observe turning: sum(i, m*cross(r[i], r[i]'))
solve gauss(3) step 0.01 end 1
)");
  const json& middle = report["observed"]["middle"]["final"];
  EXPECT_NEAR(middle[0].get<double>(), 0.6, 1e-13);
  EXPECT_NEAR(middle[1].get<double>(), 0.2, 1e-13);
  EXPECT_NEAR(report["observed"]["turning"]["final"][2].get<double>(), 0.4, 1e-13);
}

TEST_F(Contract, FunctionsAndVectors) {
  const double x = 0.3, y = -0.7;
  const std::vector<std::pair<std::string, double>> values = {
      {"sin(x)", std::sin(x)},
      {"cos(x)", std::cos(x)},
      {"tan(x)", std::tan(x)},
      {"asin(x)", std::asin(x)},
      {"acos(x)", std::acos(x)},
      {"atan(x)", std::atan(x)},
      {"atan2(y, x)", std::atan2(y, x)},
      {"sinh(x)", std::sinh(x)},
      {"cosh(x)", std::cosh(x)},
      {"tanh(x)", std::tanh(x)},
      {"exp(x)", std::exp(x)},
      {"log(x)", std::log(x)},
      {"sqrt(x)", std::sqrt(x)},
      {"abs(y)", 0.7},
      {"sign(y)", -1},
      {"min(x, y)", y},
      {"max(x, y)", x},
      {"hypot(x, y)", std::hypot(x, y)},
      {"dot((1, 2, 3), (4, -5, 6))", 12},
      {"cross((1, 0, 0), (0, 1, 0))[3]", 1},
      {"norm((3, 4))", 5},
      {"norm2((3, 4))", 25},
      {"(5, 6, 7)[2]", 6},
      {"-x^2", -x * x},
      {"2^3^2", 512},
      {"2^-1", 0.5},
      {"8/4/2", 1},
      {"1 - 2 - 3", -4},
      {"150*deg", 150 * degree},
      {"60*rpm", 2 * M_PI},
      {"if(x > y and not x > 1, 1, 2)", 1},
      {"if(x < y or x >= 0.3, 1, 2)", 1},
      {"if(0 <= x < 0.2, 1, 2)", 2},
      // Vectors and matrices as in mathematics.
      {"norm((x, (0, 4)) - (x, (3, 0)))", 5},
      {"times((2, 3), (4, 5))[2]", 15},
      {"over((2, 3), (4, 5))[1]", 0.5},
      {"(((1, 2), (3, 4))*(5, 6))[2]", 39},
      {"(transpose(((1, 2), (3, 4)))*(5, 6))[2]", 34},
      {"(identity(3)*(7, 8, 9))[3]", 9},
      {"(skew((1, 2, 3))*(4, 5, 6))[1]", -3},
      {"(rotation((0, 0, 1), pi/2)*(1, 0, 0))[2]", 1},
      {"(((1, 2), (3, 4))*((5, 6), (7, 8)))[2][1]", 43},
  };
  std::string text = "coordinate x = 0.3, y = -0.7\nkinetic (x'^2 + y'^2)/2\nlet f(a, b) = a - 2*b\n";
  Expected expected = {{"/observed/f/final", {x - 2 * y}}};
  for (std::size_t i = 0; i < values.size(); ++i) {
    text += "observe v" + std::to_string(i) + ": " + values[i].first + "\n";
    expected.push_back({"/observed/v" + std::to_string(i) + "/final", {values[i].second}});
  }
  expect(text + "observe f: f(x, y)\nsolve gauss(2) step 0.1 end 0.1\n", expected, {}, 1e-14);
}

TEST_F(Contract, ForcesDissipationAndTheOtherForms) {
  // m x'' = -c x' + F: 2 x'' = 3 - x'.
  const Expected pushed = {{"/q/x", {6 - 6 * (1 - std::exp(-1))}}, {"/v/x", {3 * (1 - std::exp(-1))}}};
  for (const char* how : {"kinetic x'^2\nforce x = 3 - x'\n", "kinetic x'^2\nrayleigh x'^2/2\nforce x = 3\n",
                          "lagrangian x'^2 + 3*x\nforce x = -x'\n"})
    expect(std::string("coordinate x\n") + how + "solve gauss(3) step 0.05 end 2\n", pushed, {}, 1e-11);
  // A free symmetric body about its axis of symmetry and across: w turns with (A - C)/A w3.
  const double rate = (2.0 - 1.0) / 2.0 * 3.0;
  expect(R"(parameter A = 2, C = 1
coordinate e[4] = (1, 0, 0, 0)
velocity w[3] = (0.5, 0, 3)
kinematics e' = (-dot((e[2], e[3], e[4]), w), e[1]*w + cross((e[2], e[3], e[4]), w))/2
mass w = (A, A, C)
force w = -cross(w, (A*w[1], A*w[2], C*w[3]))
solve gauss(3) step 0.01 end 1
)",
         {{"/variables/w", {0.5 * std::cos(rate), -0.5 * std::sin(rate), 3}}}, {}, 1e-9);
  // A contact point: (1, 1) is the point of the parabola that is nearest to (3, 0).
  expect(
      "coordinate x = 3, y = 0\nkinetic (x'^2 + y'^2)/2\nauxiliary s = 1: (x - s) + (y - s^2)*2*s = 0\nobserve s: s\n"
      "solve gauss_collocation(2) step 0.1 end 0.1\n",
      {{"/observed/s/final", {1}}}, {}, 1e-12);
  // Port-Hamiltonian: a mass on a spring with a damper under a constant force, as x'' = 1 - x - 2 x'.
  expect(R"(state q = 0, p = 0
hamiltonian p^2/2 + q^2/2
structure J(q, p) = 1
dissipation R(p, p) = 2
port B(p, F) = 1
input F = 1
solve gauss_collocation(3) step 0.05 end 2
)",
         {{"/variables/q", {1 - 3 * std::exp(-2)}}}, {}, 1e-9);
}

// The second part.

struct Turned {
  long double m[3][3];
};
Turned rotation_of(const long double* e) {
  const long double a = e[0], b = e[1], c = e[2], d = e[3];
  return {{{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
           {2 * (b * c + a * d), a * a - b * b + c * c - d * d, 2 * (c * d - a * b)},
           {2 * (b * d - a * c), 2 * (c * d + a * b), a * a - b * b - c * c + d * d}}};
}

TEST_F(Contract, LoadsOnABody) {
  // Newton and Euler: the wind's force is one of the world, the jet's one of the body, through a point of its axis.
  Reference reference(
      [](long double t, const Reference::State& x, Reference::State& rates) {
        const Turned R = rotation_of(&x[6]);
        const long double* w = &x[10];
        const long double wind = 3 * std::sin(t), I[3] = {0.1L, 0.2L, 0.2L};
        rates.assign(13, 0);
        for (int k = 0; k < 3; ++k) rates[k] = x[3 + k];
        for (int k = 0; k < 3; ++k) rates[3 + k] = ((k == 0 ? wind : 0) + 2 * R.m[k][2]) / 2;
        const long double* e = &x[6];
        rates[6] = -(e[1] * w[0] + e[2] * w[1] + e[3] * w[2]) / 2;
        for (int k = 0; k < 3; ++k) {
          const int i = (k + 1) % 3, j = (k + 2) % 3;
          rates[7 + k] = (e[0] * w[k] + e[1 + i] * w[j] - e[1 + j] * w[i]) / 2;
        }
        // Torques in the body: its arm (0, 0, 1/2) with the wind turned back, and the motor turned back.
        const long double inside[3] = {wind * R.m[0][0], wind * R.m[0][1], wind * R.m[0][2]};
        const long double torque[3] = {-0.5L * inside[1] + R.m[2][0], 0.5L * inside[0] + R.m[2][1], R.m[2][2]};
        for (int k = 0; k < 3; ++k) {
          const int i = (k + 1) % 3, j = (k + 2) % 3;
          rates[10 + k] = (torque[k] - (I[j] - I[i]) * w[i] * w[j]) / I[k];
        }
      },
      {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0});
  const Reference::State& x = reference.at(2);
  const Turned R = rotation_of(&x[6]);
  std::vector<double> tip, turning;
  for (int k = 0; k < 3; ++k) {
    tip.push_back(static_cast<double>(x[k] + R.m[k][2]));
    turning.push_back(static_cast<double>(R.m[k][0] * x[10] + R.m[k][1] * x[11] + R.m[k][2] * x[12]));
  }
  const Expected expected = {
      {"/observed/tip/final", tip}, {"/observed/w/final", turning}, {"/observed/s/final", numbers(x, 10, 3)}};
  expect(R"(body arm mass 2 inertia (0.1, 0.2, 0.2) at (0, 0, 1)
load wind on arm point (0, 0, 0.5) force (3*sin(t), 0, 0)          # point in the body's frame, force in the world's
load jet on arm point (0, 0, 0.5) force (0, 0, 2) frame arm        # a force that turns with the body
load motor on arm torque (0, 0, 1)
observe tip: arm.point(0, 0, 1)                                    # a column with its value, a vector here
observe w: arm.omega
observe s: arm.spin
solve gauss(4) step 0.01 end 2
)",
         expected, {}, 1e-9);
  // Attributes in any order, all of one load, and by names.
  expect(R"(let where = (0, 0, 0.5)
body arm at (0, 0, 1) inertia (0.1, 0.2, 0.2) mass 2
load jet frame arm force (0, 0, 2) point where on arm
load rest torque (0, 0, 1) force (3*sin(t), 0, 0) point where on arm
observe tip: arm.r + arm.direction(0, 0, 1)
observe w: arm.omega
observe s: arm.spin
solve gauss(4) step 0.01 end 2
)",
         expected, {}, 1e-9);
}

TEST_F(Contract, MotorsAndTheReactionsOfJoints) {
  // J x'' = k (1 - x) - d x' with J = 0.2 + 2*1^2, and the force that keeps the centre of mass on its circle.
  const double J = 2.2, k = 4, d = 0.5, t = 2, w0 = std::sqrt(k / J), fade = d / (2 * J);
  const double w = std::sqrt(w0 * w0 - fade * fade);
  const double x = 1 - std::exp(-fade * t) * (std::cos(w * t) + fade / w * std::sin(w * t));
  const double v = std::exp(-fade * t) * w0 * w0 / w * std::sin(w * t), a = (k * (1 - x) - d * v) / J;
  const std::string head = R"(parameter k = 4, d = 0.5, target = 1
body upper mass 1 inertia (0.2, 0.2, 0.1)
body arm mass 2 inertia (0.1, 0.2, 0.2) at (0, 0, 1)
joint fixed wall from ground to upper
joint revolute elbow from upper axis (0, 1, 0) to arm point (0, 0, -1)
)";
  const std::string tail = R"(observe load: elbow.force
observe moment: elbow.moment
observe angle: elbow.angle
observe rate: elbow.rate
solve gauss(4) step 0.01 end 2
)";
  Expected expected = {
      {"/observed/angle/final", {x}},
      {"/observed/rate/final", {v}},
      {"/observed/moment/final", {0, 0, 0}},
      {"/observed/load/final",
       {2 * (a * std::cos(x) - v * v * std::sin(x)), 0, -2 * (a * std::sin(x) + v * v * std::cos(x))}}};
  expect(head + "drive servo joint elbow torque k*(target - elbow.angle) - d*elbow.rate\n" + tail, expected);
  expect(head + "torsion coil joint elbow stiffness k rest target damping d\n" + tail, expected);

  // A force of 3 against a damper, positive on the second body, also where that is the ground.
  const std::string cart = "body cart mass 2 inertia (1, 1, 1)\n";
  const std::string seen = "observe d: rail.distance\nobserve s: rail.speed\nobserve r: rail.rate\n";
  const std::string solved = "solve gauss(3) step 0.05 end 2\n";
  expected = {{"/observed/d/final", {6 - 6 * (1 - std::exp(-1))}},
              {"/observed/s/final", {3 * (1 - std::exp(-1))}},
              {"/observed/r/final", {3 * (1 - std::exp(-1))}}};
  for (const char* joint : {"joint prismatic rail from ground axis (1, 0, 0) to cart\n",
                            "joint prismatic rail from cart axis (1, 0, 0) to ground\n"})
    expect(cart + joint + "drive push joint rail force 3 - rail.speed\n" + seen + solved, expected);
  // Angles go on through any number of turns.
  expect(
      "body wheel mass 1 inertia (1, 1, 2)\njoint revolute axle from ground axis (0, 0, 1) to wheel\n"
      "drive motor joint axle torque 8*pi\nobserve turns: axle.angle/(2*pi)\nsolve gauss(4) step 0.005 end 3\n",
      {{"/observed/turns/final", {9}}}, {}, 1e-6);
}

TEST_F(Contract, FamiliesOfBodies) {
  // Two links about one axis in their angles. The first hinge is set in motion, and the second follows freely: the
  // momentum of its link stays 0.
  const long double across = 0.5L, own = 0.35L;
  Reference reference(
      [](long double, const Reference::State& x, Reference::State& rates) {
        const long double d = x[0] - x[1], A = 0.1L + 0.25L + 1, B = std::cos(d) / 2, C = 0.1L + 0.25L;
        const long double p = -std::sin(d) / 2 * x[3] * x[3] - 9.81L * 1.5L * std::sin(x[0]);
        const long double q = std::sin(d) / 2 * x[2] * x[2] - 9.81L / 2 * std::sin(x[1]);
        rates = {x[2], x[3], (C * p - B * q) / (A * C - B * B), (A * q - B * p) / (A * C - B * B)};
      },
      {0, 0, 2, -2 * across / own});
  const Reference::State& x = reference.at(1);
  expect(
      R"(parameter N = 2, m = 1, J = 0.1, J0 = 0.01, l = 1
family i = 1..N
body link[i] mass m inertia (J, J, J0) at (0, 0, -(i - 1/2)*l)
joint revolute hinge[1] from ground axis (1, 0, 0) to link[1] point (0, 0, l/2)
joint revolute hinge[i] from link[i-1] point (0, 0, -l/2) axis (1, 0, 0) to link[i] point (0, 0, l/2) for i = 2..N
gravity (0, 0, -9.81)
initial hinge[1].rate = 2
observe bend[i]: hinge[i].angle
solve lobatto(4) step 0.005 end 1
)",
      {{"/observed/bend[1]/final", numbers(x, 0, 1)}, {"/observed/bend[2]/final", {static_cast<double>(x[1] - x[0])}}});
}

TEST_F(Contract, AssembliesOfAFile) {
  folder.write("leg.alm",
               "parameter length = 1\nbody thigh mass length inertia (length^3/12, length^3/12, 0.01) at (0, 0, "
               "-length/2)\n");
  // Six pendulums of length 2 about their ends: J = 2 l^2/3, from 0.1, 0.2, ...
  const auto angle = [](int i) {
    Reference pendulum(
        [](long double, const Reference::State& x, Reference::State& rates) {
          rates = {x[1], -9.81L * 3 / 4 * std::sin(x[0])};
        },
        {0.1L * i, 0});
    return static_cast<double>(pendulum.at(1)[0]);
  };
  Expected expected;
  for (int i = 1; i <= 6; ++i) expected.push_back({"/observed/angle[" + std::to_string(i) + "]/final", {angle(i)}});
  expected.push_back({"/observed/tip/final", {3 - 2 * std::sin(angle(3)), 0, -2 * std::cos(angle(3))}});
  for (const char* name : {"leg[i]", "leg"})
    expect(
        "body trunk mass 10 inertia (1, 1, 1)\njoint fixed hold from ground to trunk\ngravity (0, 0, -9.81)\n"
        "component " +
            std::string(name) +
            " = \"leg.alm\" with length = 2 for i = 1..6          # a file of bodies and joints: an assembly\n"
            "joint revolute hip[i] from trunk point (i, 0, 0) axis (0, 1, 0) to leg[i].thigh point (0, 0, 1) for i = "
            "1..6\ninitial hip[i].angle = 0.1*i for i = 1..6\nobserve angle[i]: hip[i].angle for i = 1..6\n"
            "observe tip: leg[3].thigh.point(0, 0, -1)\nsolve gauss(4) step 0.01 end 1\n",
        expected);
  // Placed and turned.
  for (const char* name : {"leg[i]", "leg"})
    expect("component " + std::string(name) +
               " = \"leg.alm\" at (i, 0, 0) turned 20*deg about (0, 0, 1) with length = 2 for i = 1..6\n"
               "observe p: leg[4].thigh.point(1, 0, -1)\nsolve gauss(4) step 0.01 end 0.1\n",
           {{"/observed/p/final", {4 + std::cos(20 * degree), std::sin(20 * degree), -2}}});
}

TEST_F(Contract, InputsTablesAndFirstOrderStates) {
  const std::string pushed = "input F = 0\ncoordinate x\nkinetic x'^2/2\nforce x = F\nsolve gauss(3) step 0.1 end 2\n";
  expect(pushed, {{"/q/x", {0}}});
  // Rises to 1 and falls to 0: x = 1/6 + 1/2 + 1/3. Behind its last row a file holds.
  expect(pushed, {{"/q/x", {1}}}, {"--input", "F=" + folder.write("wind.csv", "t,F\n0,0\n1,1\n2,0\n")});
  expect(pushed, {{"/q/x", {2}}}, {"--input", "F=" + folder.write("calm.csv", "t,F\n0,1\n1,1\n")}, 1e-10, false);

  // Inputs may be made of others, in any order: x'' = 2 t.
  expect("coordinate x\nkinetic x'^2/2\nforce x = F\ninput F = 2*G\ninput G = t\nsolve gauss(3) step 0.1 end 2\n",
         {{"/q/x", {8.0 / 3}}});

  // Through (0,0), (1,1), (2,0) the natural spline is 3/2 x - x^3/2, and the same backwards. The monotone cubic of a
  // ramp that becomes level has the slopes 8/3 (of three points) and 0: 1 + 8/3/8 in the middle.
  folder.write("road.csv", "x,z\n0,0\n1,1\n2,0\n");
  expect(R"(table road(x) = "road.csv" column 2 spline                         # or:
table ramp(t) = (0, 0), (1, 2), (3, 2) linear
table named(x) = "road.csv" column z
table flat(x) = (0, 0), (1, 2), (3, 2) monotone
coordinate x
kinetic x'^2/2
observe a: road(0.5)
observe b: ramp(0.25) + ramp(2)
observe c: named(1.25)
observe d: road(t)
observe e: flat(1.7) + flat(0.5)
observe f: ramp(-1) + ramp(7)
solve gauss(3) step 0.1 end 1.5
)",
         {{"/observed/a/final", {0.6875}},
          {"/observed/b/final", {2.5}},
          {"/observed/c/final", {0.75}},
          {"/observed/d/final", {0.6875}},
          {"/observed/e/final", {2 + 4.0 / 3}},
          {"/observed/f/final", {2}}},
         {}, 1e-12, false);

  // The shape as it is shown: the state is (1 - x)/T - z with x = t/2; y falls onto the road and is pushed back.
  const auto road = [](long double x) {
    const long double s = x < 1 ? x : 2 - x;
    return 1.5L * s - 0.5L * s * s * s;
  };
  bool below = false;
  Reference falls(
      [&](long double, const Reference::State& x, Reference::State& rates) {
        rates = {x[2], x[3], 0, -9.81L - (below ? 20 * (x[1] - road(x[0])) : 0), (1 - x[0]) / 2 - x[4]};
      },
      {0, 1, 0.5L, 0, 0});
  // Where it meets the road: 1 - g t^2/2 = road(t/2), by bisection.
  long double low = 0, high = 1;
  for (int i = 0; i < 200; ++i) {
    const long double middle = (low + high) / 2;
    (1 - 9.81L * middle * middle / 2 > road(middle / 2) ? low : high) = middle;
  }
  falls.at(static_cast<double>(low));
  below = true;
  const Reference::State& x = falls.at(0.6);
  expect(R"(parameter k = 20, T = 2, target = 1, m = 1
coordinate x, y = 1
kinetic m/2*(x'^2 + y'^2)
potential m*9.81*y
initial x' = 0.5
input F = 0                                                        # may be set from outside: --input F=wind.csv
table road(x) = "road.csv" column 2 spline
force y = if(y < road(x), -k*(y - road(x)), 0) + F
variable z = 0                                                     # a first-order state beside the mechanics
rate z' = (target - x)/T - z
solve gauss(4) step 0.01 end 0.6
)",
         {{"/q/y", numbers(x, 1, 1)}, {"/v/y", numbers(x, 3, 1)}, {"/variables/z", numbers(x, 4, 1)}});
}

TEST_F(Contract, EventsThatAct) {
  // Half the amplitude 1/2 cos t until t = 5, then with twice the stiffness: maxima at 5 + (phase + 2 pi n)/sqrt(2).
  const std::string text = R"(parameter count = 0, k = 1
coordinate theta = 0.5
kinetic theta'^2/2
potential k*theta^2/2
event top: theta' = 0 falling                                      # or rising; both where nothing is said
when top: count = count + 1                                        # parameters and states may be set
when t = 5: k = 2*k
stop after 10 top
observe n: count
solve gauss(4) step 0.05 end 100
)";
  const double w = std::sqrt(2), x = std::cos(5) / 2, v = -std::sin(5) / 2, phase = std::atan2(v / w, x);
  expect(
      text,
      {{"/t", {5 + phase / w + 9 * 2 * M_PI / w}}, {"/observed/n/final", {10}}, {"/q/theta", {std::hypot(x, v / w)}}},
      {}, 1e-10);
  const auto times = [&](const std::string& direction) {
    std::string other = text;
    other.replace(other.find("falling"), 7, direction);
    std::vector<double> list;
    const json report = run(other);
    for (const json& event : report["events"])
      if (event["name"] == "top") list.push_back(event["t"].get<double>());
    return list;
  };
  const double top = 5 + phase / w, half = M_PI / w;
  const std::vector<double> rising = times("rising"), both = times("");
  ASSERT_EQ(rising.size(), 10u);
  ASSERT_EQ(both.size(), 10u);
  EXPECT_NEAR(rising[0], M_PI, 1e-12);
  EXPECT_NEAR(rising[1], top + half, 1e-12);
  EXPECT_NEAR(both[1], top, 1e-12);
  EXPECT_NEAR(both[2], top + half, 1e-12);

  // What is assigned is kept, the others change least in the mass metric: v2 = s n/m2, y1' = -s sin/m1 along the rod.
  const double c = std::cos(0.3), s = std::sin(0.3), pull = 2 * c / (1.0 / 3 + s * s);
  const json pulled = run(R"(parameter m1 = 1, m2 = 3
coordinate x1, y1, x2 = cos(0.3), y2 = sin(0.3)
kinetic m1/2*(x1'^2 + y1'^2) + m2/2*(x2'^2 + y2'^2)
constraint (x2 - x1)^2 + (y2 - y1)^2 = 1
when t = 1: x1' = 2
solve gauss(3) step 0.1 end 1.5
)");
  const json& after = pulled["events"][0]["v"];
  EXPECT_NEAR(after["x1"].get<double>(), 2, 1e-13);
  EXPECT_NEAR(after["y1"].get<double>(), -pull * s, 1e-12);
  EXPECT_NEAR(after["x2"].get<double>(), pull * c / 3, 1e-12);
  EXPECT_NEAR(after["y2"].get<double>(), pull * s / 3, 1e-12);

  // Several use the values before; where a mass changes, place and velocity stay.
  expect(
      "parameter a = 1, b = 2\ncoordinate x\nkinetic x'^2/2\nevent tick: t = 2\nwhen tick: a = a + b\n"
      "when tick: b = a\nobserve a: a\nobserve b: b\nsolve gauss(2) step 0.1 end 3\n",
      {{"/observed/a/final", {3}}, {"/observed/b/final", {1}}});
  expect(
      "parameter m = 1\ncoordinate x = 1\nkinetic m*x'^2/2\npotential x^2/2\nwhen t = 1: m = 4\n"
      "solve gauss(4) step 0.05 end 2\n",
      {{"/q/x", {std::cos(1) * std::cos(0.5) - 2 * std::sin(1) * std::sin(0.5)}}}, {}, 1e-11);
  // What cannot be ends the run with the names.
  const Outcome outcome = program({"run", folder.write("model.alm",
                                                       "coordinate x = 1, y\nkinetic (x'^2 + y'^2)/2\n"
                                                       "constraint rod: x^2 + y^2 = 1\nwhen t = 1: x = 3\n"
                                                       "solve gauss(2) step 0.1 end 3\n")});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(outcome.err.find("rod"), std::string::npos) << outcome.err;
}

TEST_F(Contract, ContactsLimitsAndRopes) {
  // A fall of 1, thrown back with 0.8, and the slip lessened by 0.3 of the impulse.
  const double fall = std::sqrt(2 / g), hit = g * fall, left = 1 - fall, slip = 3 - 0.3 * 1.8 * hit;
  expect(R"(parameter m = 1
coordinate x, y = 1
kinetic m/2*(x'^2 + y'^2)
potential m*9.81*y
contact floor: y >= 0 restitution 0.8 friction 0.3 along x'        # unilateral; slip velocities after `along`
initial x' = 3
solve gauss(3) step 0.01 end 1
)",
         {{"/q/x", {3 * fall + slip * left}},
          {"/q/y", {0.8 * hit * left - g * left * left / 2}},
          {"/contacts/floor/impacts", {1}}});
  // A ball that slides until it rolls, with 5/7 of its speed, after 2 v/(7 mu g).
  const double rolls = 2 * 2 / (7 * 0.5 * g), there = 2 * rolls - 0.5 * g * rolls * rolls / 2;
  expect(R"(body ball mass 1 inertia (0.004, 0.004, 0.004) at (0, 0, 0.1) velocity (2, 0, 0)
gravity (0, 0, -9.81)
contact ground from ball sphere 0.1 to ground plane axis (0, 0, 1) friction 0.5
observe w: ball.omega
solve gauss(3) step 0.01 end 1
)",
         {{"/q/ball.r", {there + 10.0 / 7 * (1 - rolls), 0, 0.1}}, {"/observed/w/final", {0, 100.0 / 7, 0}}}, {}, 1e-8);
  // A quarter of the period of a pendulum from a right angle: K(1/2)/w0 (K by the arithmetic-geometric mean).
  double a = 1, b = std::sqrt(0.5);
  for (int i = 0; i < 10; ++i) {
    const double mean = (a + b) / 2;
    b = std::sqrt(a * b);
    a = mean;
  }
  const json arm = run(R"(body upper mass 1 inertia (1, 1, 1)
body lower mass 1 inertia (0.1, 0.1, 0.1) at (0, 0, -0.5)
joint fixed shoulder from ground to upper
joint revolute elbow from upper axis (0, 1, 0) to lower limits (0, 150*deg) restitution 0.2 point (0, 0, 0.5)
gravity (0, 0, -9.81)
initial elbow.angle = 90*deg
solve gauss(3) step 0.005 end 0.6
)");
  EXPECT_EQ(arm["events"][0]["name"], "elbow.lower");
  EXPECT_NEAR(arm["events"][0]["t"].get<double>(), M_PI / (2 * a) * std::sqrt(0.35 / (0.5 * g)), 1e-11);
  // A rope that becomes tight shares the momentum.
  expect(
      "parameter l = 1\ncoordinate r1[2], r2[2]\nkinetic norm2(r1')/2 + norm2(r2')/2\n"
      "contact rope: l - norm(r1 - r2) >= 0\ninitial r2 = (0.5, 0), r2' = (1, 0)\nsolve gauss(3) step 0.1 end 2\n",
      {{"/v/r1", {0.5, 0}}, {"/v/r2", {0.5, 0}}, {"/q/r1", {0.75, 0}}});
}

TEST_F(Contract, DrawingsAndUnits) {
  const json report = run(R"(body arm mass 2 inertia (1, 1, 1) velocity (3, 0, 0)
draw box arm size (0.1, 0.1, 1) colour "steelblue"
solve gauss(2) step 0.1 end 1
)");
  EXPECT_NEAR(report["q"]["arm.r"][0].get<double>(), 3, 1e-13);
  const std::string csv = folder / "fall.csv";
  run("parameter m = 3 \"kg\", g = 9.81 \"m/s^2\"                             # units are carried\n"
      "coordinate y \"m\"\nkinetic m/2*y'^2\npotential m*g*y\nsolve gauss(2) step 0.1 end 1\n",
      {"--out", csv});
  const json beside = json::parse(file_text(folder / "fall.run.json"));
  std::map<std::string, std::string> units;
  for (std::size_t i = 0; i < beside["columns"].size(); ++i) units[beside["columns"][i]] = beside["units"][i];
  EXPECT_EQ(units["y"], "m") << beside;
  EXPECT_EQ(units["y'"], "m/s") << beside;
  EXPECT_EQ(units["energy"], "J") << beside;
  const Outcome wrong = program({"run", folder.write("model.alm",
                                                     "parameter m = 3 \"kg\", g = 9.81 \"m/s^2\"\n"
                                                     "coordinate y \"m\"\nkinetic m/2*y'^2\n"
                                                     "potential m*y\nsolve gauss(2) step 0.1 end 1\n")});
  EXPECT_EQ(wrong.code, 2);
  EXPECT_NE(wrong.err.find("model.alm:4"), std::string::npos) << wrong.err;
}

}  // namespace
}  // namespace alembert::internal::apps_test
