// The gallery's nonholonomic and mixed models without a solution in closed form: against a second formulation, reduced
// by hand and followed by extrapolation, and against the figures of tests/reference.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>
#include <sstream>

#include "conformance/problems.h"
#include "models/follow.h"
#include "source_folder.h"

namespace alembert::internal::testing {
namespace {

using std::cos;
using std::sin;
using State = Reference::State;

double rounded(long double x) { return static_cast<double>(x); }

// Newton's and Euler's equations of the disk, see the head of the model; psi = -m (horizontal acceleration of the
// centre).
TEST(NonholonomicSecond, FallingDiskByNewtonAndEuler) {
  const long double m = 1, R = 1, gravity = 9.81L, A = 0.25L, C = 0.5L;
  enum { x, y, phi, theta, psi, e, d, u };
  const Reference::Rates rates = [&](long double, const State& s, State& r) {
    const long double turning = s[u] / cos(s[theta]), lean = A * s[u] * std::tan(s[theta]);
    r[psi] = s[d] + turning * sin(s[theta]);
    r[x] = R * r[psi] * cos(s[phi]);
    r[y] = R * r[psi] * sin(s[phi]);
    r[phi] = turning;
    r[theta] = -s[e];
    r[e] = ((lean + (C + m * R * R) * s[d]) * s[u] - m * gravity * R * sin(s[theta])) / (A + m * R * R);
    r[d] = -m * R * R * s[u] * s[e] / (C + m * R * R);
    r[u] = -(C * s[d] + lean) * s[e] / A;
  };
  const long double theta0 = 0.3L, roll = 3;
  for (const Trial& trial : {Trial{"gauss(2)", 0.001, 1e-9}, Trial{"lobatto(3)", 0.001, 1e-9},
                             Trial{"gauss(3)", 0.01, 1e-11}, Trial{"gauss(4)", 0.02, 1e-11}}) {
    const Followed followed = follow("falling_disk", trial.method, trial.step, 5);
    Reference reference(rates, {0, 0, 0, theta0, 0, 0, roll, 0});
    const auto exact = [&](double t) {
      const State& s = reference.at(t);
      State r(8);
      rates(t, s, r);
      const long double forward = R * (r[d] + s[u] * s[e]);
      const long double left =
          R * (cos(s[theta]) * (s[u] * s[d] - r[e]) + sin(s[theta]) * (r[phi] * sin(s[theta]) * s[d] - s[e] * s[e]));
      return Values{{"x", rounded(s[x])},
                    {"y", rounded(s[y])},
                    {"phi", rounded(s[phi])},
                    {"theta", rounded(s[theta])},
                    {"psi", rounded(s[psi])},
                    {"theta'", rounded(r[theta])},
                    {"psi'", rounded(r[psi])},
                    {"psi.along", rounded(-m * (forward * cos(s[phi]) - left * sin(s[phi])))},
                    {"psi.across", rounded(-m * (forward * sin(s[phi]) + left * cos(s[phi])))}};
    };
    expect_motion(followed, exact, trial.tolerance);
    EXPECT_LT(followed.report.energy.max_error, trial.tolerance);
    double least = 1, most = -1;
    for (std::size_t i = 0; i < followed.rows.size(); ++i) {
      least = std::min(least, followed.value(i, "theta"));
      most = std::max(most, followed.value(i, "theta"));
    }
    EXPECT_GT(most - least, 0.1) << "it rocks";
  }
}

// 2 lambda and psi from the twice differentiated rod and the once differentiated blade, with e = (cos phi, sin phi, 0):
//     d.(q'' - support'') + |q' - support'|^2 = 0,   n.q'' = w e.q',   m q'' = -m gravity e_z - 2 lambda d - psi n.
TEST(NonholonomicSecond, PendulumWithMovingSupportAndBlade) {
  const long double m = 1, gravity = 9.81L, a = 0.1L, nu = 5, w = 0.75L, swing = 0.5L;
  struct Reactions {
    long double d[3], n[3], lambda, psi;
  };
  const auto reactions = [&](long double t, const State& s) {
    Reactions r{{s[0] - a * sin(nu * t), s[1], s[2]}, {-sin(w * t), cos(w * t), 0}, 0, 0};
    const long double relative[3] = {s[3] - a * nu * cos(nu * t), s[4], s[5]}, pushed = -a * nu * nu * sin(nu * t);
    long double dd = 0, dn = 0, square = 0;
    for (int i = 0; i < 3; ++i) dd += r.d[i] * r.d[i], dn += r.d[i] * r.n[i], square += relative[i] * relative[i];
    // dd (2 lambda/m) + dn (psi/m) = square - gravity d_z - d_x support'', dn (2 lambda/m) + psi/m = -w e.q'
    const long double first = square - gravity * r.d[2] - r.d[0] * pushed;
    const long double second = -w * (cos(w * t) * s[3] + sin(w * t) * s[4]);
    const long double det = dd - dn * dn;
    r.lambda = m * (first - dn * second) / det / 2;
    r.psi = m * (dd * second - dn * first) / det;
    return r;
  };
  const Reference::Rates rates = [&](long double t, const State& s, State& out) {
    const Reactions r = reactions(t, s);
    for (int i = 0; i < 3; ++i) {
      out[i] = s[3 + i];
      out[3 + i] = -(2 * r.lambda * r.d[i] + r.psi * r.n[i]) / m - (i == 2 ? gravity : 0);
    }
  };
  for (const Trial& trial :
       {Trial{"gauss(2)", 0.0025, 1e-9}, Trial{"lobatto(3)", 0.0025, 1e-9}, Trial{"gauss(3)", 0.01, 1e-11}}) {
    const Followed followed = follow("moving_support_knife", trial.method, trial.step, 5);
    Reference reference(rates, {0.28L, 0, -0.96L, a * nu + 0.96L * swing, 0, 0.28L * swing});
    const auto exact = [&](double t) {
      const State& s = reference.at(t);
      const Reactions r = reactions(t, s);
      return Values{{"q[1]", rounded(s[0])},  {"q[2]", rounded(s[1])},           {"q[3]", rounded(s[2])},
                    {"q[1]'", rounded(s[3])}, {"q[2]'", rounded(s[4])},          {"q[3]'", rounded(s[5])},
                    {"phi", rounded(w * t)},  {"lambda.rod", rounded(r.lambda)}, {"psi.blade", rounded(r.psi)}};
    };
    expect_motion(followed, exact, trial.tolerance);
    ASSERT_TRUE(followed.report.account);
    EXPECT_GT(std::abs(followed.report.account->supplied), 0.01) << "the support does work";
    EXPECT_LT(followed.report.energy.max_error, 1e-8) << "and nothing else";
  }
}

// Affine and rheonomic: the belt swings. u as in the head of the model, x and y by quadrature.
TEST(NonholonomicSecond, SkateOnASwingingBelt) {
  const long double m = 1, a = 9.81L * sin(std::numbers::pi_v<long double> / 6), c = 2, nu = 3, u0 = 1, w = 2;
  const auto speed = [&](long double t) {
    return u0 + a / w * sin(w * t) + c * nu / 2 * (sin((w - nu) * t) / (w - nu) - sin((w + nu) * t) / (w + nu));
  };
  for (const Trial& trial :
       {Trial{"gauss(2)", 0.004, 1e-9}, Trial{"lobatto(3)", 0.004, 1e-9}, Trial{"gauss(3)", 0.02, 1e-10}}) {
    const Followed followed = follow("conveyor", trial.method, trial.step, 10, {"nu=3"});
    Reference place(
        [&](long double t, const State&, State& r) {
          r[0] = speed(t) * cos(w * t);
          r[1] = speed(t) * sin(w * t) + c * cos(nu * t);
        },
        {0, 0});
    const auto exact = [&](double t) {
      const State& s = place.at(t);
      // Across the blade: m (u w - c nu sin(nu t) cos(phi)) = -psi - m a sin(phi).
      const long double u = speed(t), phi = w * t;
      return Values{{"x", rounded(s[0])},
                    {"y", rounded(s[1])},
                    {"x'", rounded(u * cos(phi))},
                    {"y'", rounded(u * sin(phi) + c * cos(nu * t))},
                    {"psi.blade", rounded(-m * (u * w - c * nu * sin(nu * t) * cos(phi) + a * sin(phi)))}};
    };
    expect_motion(followed, exact, trial.tolerance);
  }
}

TEST(NonholonomicSecond, AppellAndHamelWithSpring) {
  const long double m = 1, c = 1.5L, gravity = 9.81L, spring = 1;
  const auto reaction = [&](const State& s) {
    const long double fx = -spring * s[0], fy = -spring * s[1], fz = -m * gravity;
    return (s[3] * fx + s[4] * fy - c * c * s[5] * fz) /
           (2 * (s[3] * s[3] + s[4] * s[4] + c * c * c * c * s[5] * s[5]));
  };
  const Reference::Rates rates = [&](long double, const State& s, State& r) {
    const long double psi = reaction(s);
    for (int i = 0; i < 3; ++i) r[i] = s[3 + i];
    r[3] = (-spring * s[0] - 2 * psi * s[3]) / m;
    r[4] = (-spring * s[1] - 2 * psi * s[4]) / m;
    r[5] = -gravity + 2 * psi * c * c * s[5] / m;
  };
  for (const Trial& trial :
       {Trial{"gauss(2)", 0.0025, 1e-9}, Trial{"lobatto(3)", 0.0025, 1e-9}, Trial{"gauss(3)", 0.01, 1e-11}}) {
    const Followed followed = follow("appell_hamel", trial.method, trial.step, 3, {"spring=1"});
    Reference reference(rates, {1, 0, 0, 0.6L, 0.8L, -1 / c});
    const auto exact = [&](double t) {
      const State& s = reference.at(t);
      return Values{{"x", rounded(s[0])},  {"y", rounded(s[1])},  {"z", rounded(s[2])},
                    {"x'", rounded(s[3])}, {"z'", rounded(s[5])}, {"psi.let_down", rounded(reaction(s))}};
    };
    expect_motion(followed, exact, trial.tolerance);
    EXPECT_LT(followed.report.energy.max_error, trial.tolerance);
  }
}

TEST(NonholonomicSecond, SnakeboardByItsMomentum) {
  const long double m = 6, J = 0.02L, Jr = 0.06L, Jw = 0.01L, l = 0.2L, swing = 0.7L, steer = 0.3L, nu = 3;
  const long double K = J + Jr + 2 * Jw;
  enum { x, y, theta, eta };
  const Reference::Rates rates = [&](long double t, const State& s, State& r) {
    const long double phi = steer * sin(nu * t), turning = steer * nu * cos(nu * t),
                      push = -swing * nu * nu * sin(nu * t);
    const long double C = cos(phi), S = sin(phi);
    r[x] = l * C * s[eta] * cos(s[theta]);
    r[y] = l * C * s[eta] * sin(s[theta]);
    r[theta] = S * s[eta];
    r[eta] = -((K - m * l * l) * S * C * turning * s[eta] + Jr * S * push) / (m * l * l * C * C + K * S * S);
  };
  for (const Trial& trial : {Trial{"gauss(2)", 0.005, 1e-9}, Trial{"lobatto(3)", 0.005, 1e-9},
                             Trial{"gauss(3)", 0.02, 1e-11}, Trial{"lobatto_abd(4)", 0.02, 1e-11}}) {
    const Followed followed = follow("snakeboard", trial.method, trial.step, 10);
    Reference reference(rates, {0, 0, 0, 0});
    const auto exact = [&](double t) {
      const State& s = reference.at(t);
      State r(4);
      rates(t, s, r);
      // The rotor's own equation gives what drives it: Jr (theta'' + psi'') = -lambda.
      const long double phi = steer * sin(nu * t), turning = steer * nu * cos(nu * t);
      const long double torque = Jr * (cos(phi) * turning * s[eta] + sin(phi) * r[eta] - swing * nu * nu * sin(nu * t));
      return Values{{"x", rounded(s[x])},          {"y", rounded(s[y])},  {"theta", rounded(s[theta])},
                    {"theta'", rounded(r[theta])}, {"x'", rounded(r[x])}, {"lambda.rotor", rounded(-torque)}};
    };
    expect_motion(followed, exact, trial.tolerance);
    EXPECT_GT(followed.value(followed.rows.size() - 1, "x"), 0.5) << "the gait drives it forward";
  }
}

TEST(NonholonomicSecond, WheeledRobotBySpeedAndTurning) {
  const long double m = 10, I = 0.4L, Iw = 0.01L, R = 0.1L, b = 0.25L, ahead = 0.08L;
  const long double right = 0.5L, left = 0.42L, brake = 0.01L;
  const long double M = m + 2 * Iw / (R * R), K = I + m * ahead * ahead + 2 * Iw * b * b / (R * R);
  enum { x, y, theta, u, w };
  const Reference::Rates rates = [&](long double, const State& s, State& r) {
    r[x] = s[u] * cos(s[theta]);
    r[y] = s[u] * sin(s[theta]);
    r[theta] = s[w];
    r[u] = (m * ahead * s[w] * s[w] + (right + left) / R - 2 * brake * s[u] / (R * R)) / M;
    r[w] = (-m * ahead * s[u] * s[w] + b * (right - left) / R - 2 * brake * b * b * s[w] / (R * R)) / K;
  };
  for (const Trial& trial :
       {Trial{"gauss(2)", 0.01, 1e-9}, Trial{"lobatto(3)", 0.01, 1e-9}, Trial{"gauss(3)", 0.02, 1e-11}}) {
    const Followed followed = follow("wheeled_robot", trial.method, trial.step, 10);
    Reference reference(rates, {0, 0, 0, 0.5L, 0});
    const auto exact = [&](double t) {
      const State& s = reference.at(t);
      State r(5);
      rates(t, s, r);
      // The right wheel's own equation: Iw wheel'' = right - brake wheel' + r psi.
      const long double wheel = (s[u] + b * s[w]) / R,
                        reaction = (Iw * (r[u] + b * r[w]) / R - right + brake * wheel) / R;
      return Values{{"x", rounded(s[x])},      {"y", rounded(s[y])},         {"theta", rounded(s[theta])},
                    {"theta'", rounded(s[w])}, {"wheel_r'", rounded(wheel)}, {"psi.rolls_r", rounded(reaction)}};
    };
    expect_motion(followed, exact, trial.tolerance);
    EXPECT_LT(followed.report.invariants.at(0).max_error, 1e-12);
  }
}

// The gallery's models of the reference are the reference's problems: the exact solutions in 32 digits.
TEST(NonholonomicSecond, ExactFigures) {
  const std::vector<std::pair<std::string, std::string>> models{
      {"exact_P81_particle_t2.0", "nonholonomic_particle"},
      {"exact_P82_skate_t1.0", "skate"},
      {"exact_P83_robot_t2.0", "mobile_robot"},
      {"exact_P83b_robot_turning_t2.0", "mobile_robot_turning"},
      {"exact_P84_as_printed_j3_t1.0", "mclachlan_perlmutter_printed"},
      {"exact_P84_corrected_j3_t1.0", "mclachlan_perlmutter"},
      {"exact_HN_knife_paraboloid_t1.0", "knife_paraboloid"}};
  const nlohmann::json data = reference("spark");
  for (const auto& [id, name] : models) {
    const auto found =
        std::find_if(data["exact"].begin(), data["exact"].end(), [&](const auto& e) { return e["id"] == id; });
    ASSERT_NE(found, data["exact"].end()) << id;
    const auto q = numbers((*found)["q"]), v = numbers((*found)["v"]);
    const auto psi = numbers((*found)["psi"]), lambda = numbers((*found)["lam"]);
    for (const Trial& trial :
         {Trial{"gauss(2)", 0.005, 2e-9}, Trial{"lobatto(3)", 0.005, 2e-9}, Trial{"gauss(3)", 0.01, 2e-12}}) {
      SCOPED_TRACE(name + " " + trial.method);
      const Report report = follow(name, trial.method, trial.step, number((*found)["t_end"])).report;
      ASSERT_EQ(report.y.size(), q.size());
      ASSERT_EQ(report.psi.size(), psi.size());
      ASSERT_EQ(report.lambda.size(), lambda.size());
      for (std::size_t i = 0; i < q.size(); ++i) EXPECT_NEAR(report.y[i], q[i], trial.tolerance);
      for (std::size_t i = 0; i < v.size(); ++i) EXPECT_NEAR(report.z[i], v[i], trial.tolerance);
      for (std::size_t i = 0; i < psi.size(); ++i) EXPECT_NEAR(report.psi[i], psi[i], 10 * trial.tolerance);
      for (std::size_t i = 0; i < lambda.size(); ++i) EXPECT_NEAR(report.lambda[i], lambda[i], 10 * trial.tolerance);
      EXPECT_LT(report.energy.max_error, 10 * trial.tolerance);
    }
  }
}

// Sections 8.1 to 8.3 of the paper as METHODS states them, to four digits, from the gallery's own files.
TEST(NonholonomicSecond, EnergyMaximaOfThePaper) {
  struct Maximum {
    const char *model, *method;
    double step, end, error;
  };
  for (const Maximum& m :
       {Maximum{"nonholonomic_particle", "gauss(1)", 0.2, 250, 6.6359e-3},
        Maximum{"nonholonomic_particle", "gauss(2)", 0.2, 250, 2.6996e-5},
        Maximum{"nonholonomic_particle", "gauss(3)", 0.2, 250, 1.6101e-7},
        Maximum{"skate", "lobatto(2)", 0.1, 100, 2.5031e-3}, Maximum{"skate", "lobatto(3)", 0.1, 100, 6.9545e-7},
        Maximum{"skate", "lobatto(4)", 0.1, 100, 9.2774e-11},
        Maximum{"mobile_robot", "lobatto_abd(2)", 0.2, 150, 2.4282e-1},
        Maximum{"mobile_robot", "lobatto_abd(3)", 0.2, 150, 4.6566e-4},
        Maximum{"mobile_robot", "lobatto_abd(4)", 0.2, 150, 1.0112e-6}}) {
    const Report report = follow(m.model, m.method, m.step, m.end).report;
    EXPECT_NEAR(report.energy.max_error, m.error, 5e-5 * m.error) << m.model << " " << m.method;
  }
}

// Section 8.4: the mean over j of the squared energy error over h^4, while rounding has not been amplified yet.
TEST(NonholonomicSecond, EnergyErrorOfTheParticles) {
  const nlohmann::json data = reference("spark");
  const std::vector<std::pair<std::string, std::string>> models{{"corrected", "mclachlan_perlmutter"},
                                                                {"as printed", "mclachlan_perlmutter_printed"}};
  const std::vector<std::pair<std::string, std::string>> methods{{"lobAB2", "lobatto(2)"},
                                                                 {"mp73", "mclachlan_perlmutter"}};
  const double h = 0.05;
  int compared = 0;
  for (const auto& [constraint, model] : models) {
    for (const auto& [key, name] : methods) {
      std::vector<Followed> runs;
      for (int j = 0; j <= 9; ++j) runs.push_back(follow(model, name, h, 20, {"j=" + std::to_string(j)}));
      for (const Followed& one : runs) EXPECT_NEAR(one.report.energy.initial, 3.06, 1e-14);
      for (const auto& point : data["fig84"]["points"]) {
        if (point["constraint"] != constraint || !point.contains("t") || point["t"].get<double>() > 20) continue;
        const auto row = static_cast<std::size_t>(std::lround(point["t"].get<double>() / h));
        double mean = 0;
        for (const Followed& one : runs) mean += std::pow(one.value(row, "energy") - 3.06, 2) / 10;
        const double expected = point[key].get<double>();
        EXPECT_NEAR(mean / std::pow(h, 4), expected, 1e-9 * expected) << constraint << " " << name << " " << point["t"];
        ++compared;
      }
    }
  }
  EXPECT_EQ(compared, 12);
}

// The printed constraint can be integrated: q[1] + (q[5]^2 + q[6]^2 + q[7]^2)/2 stays, while q[1] itself moves.
TEST(NonholonomicSecond, PrintedConstraintIsIntegrable) {
  const Followed printed = follow("mclachlan_perlmutter_printed", "gauss(3)", 0.05, 20);
  EXPECT_LT(printed.report.invariants.at(0).max_error, 1e-12);
  EXPECT_GT(std::abs(printed.value(printed.rows.size() - 1, "q[1]") - printed.value(0, "q[1]")), 0.1);
}

TEST(Gallery, EveryModelIsCanonicalAndReadable) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/models")) {
    if (entry.path().extension() != ".alm") continue;
    SCOPED_TRACE(entry.path().filename().string());
    std::ifstream file(entry.path());
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(print(parse(std::make_shared<Source>(Source{entry.path().string(), text.str()}))), text.str());
    EXPECT_EQ(text.str().front(), '#') << "the head says where the figures come from";
    EXPECT_NE(text.str().find("# Reference:"), std::string::npos);
    const Model model = read_model(entry.path().string());
    EXPECT_FALSE(model.title.empty());
    EXPECT_TRUE(model.solve.method && model.solve.step && model.solve.end);
    ++models;
  }
  EXPECT_GE(models, 28);
}

}  // namespace
}  // namespace alembert::internal::testing
