// One ConsistentStart for many given values: closed forms, equality with fresh ones, parameters, copies, threads.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <thread>
#include <vector>

#include "alembert/start/initial.h"
#include "model/support.h"

namespace alembert::internal {
namespace {

using test::model_of;

void expect_close(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << "entry " << i;
}

/// Every number and word the same.
void expect_same(const InitialValues& a, const InitialValues& b) {
  EXPECT_EQ(a.y, b.y);
  EXPECT_EQ(a.z, b.z);
  EXPECT_EQ(a.z_dot, b.z_dot);
  EXPECT_EQ(a.lambda, b.lambda);
  EXPECT_EQ(a.psi, b.psi);
  EXPECT_EQ(a.redundant, b.redundant);
  EXPECT_EQ(a.redundant_constraints, b.redundant_constraints);
  EXPECT_EQ(a.index, b.index);
  EXPECT_EQ(a.hidden, b.hidden);
  EXPECT_EQ(a.singular_position, b.singular_position);
  EXPECT_EQ(a.powerless, b.powerless);
  EXPECT_EQ(a.position_residual, b.position_residual);
  EXPECT_EQ(a.velocity_residual, b.velocity_residual);
  EXPECT_EQ(a.nonholonomic_residual, b.nonholonomic_residual);
  ASSERT_EQ(a.changes.size(), b.changes.size());
  for (std::size_t i = 0; i < a.changes.size(); ++i) {
    EXPECT_EQ(a.changes[i].name, b.changes[i].name);
    EXPECT_EQ(a.changes[i].from, b.changes[i].from);
    EXPECT_EQ(a.changes[i].to, b.changes[i].to);
  }
}

const char* const simple_pendulum = R"(parameter m = 1, l = 1, gravity = 9.81
coordinate x, y
kinetic m/2*(x'^2 + y'^2)
potential m*gravity*y
constraint rod: x^2 + y^2 = l^2
initial x = l
)";

/// Given values for the model, all but the multipliers free.
StartValues values(const Model& model, std::vector<double> y, std::vector<double> z) {
  StartValues given = start_values(model);
  given.y = std::move(y);
  given.z = std::move(z);
  return given;
}

TEST(ConsistentStart, CircleFromAnyGivenPoint) {
  const Model model = model_of(simple_pendulum);
  const ConsistentStart start(model, derive(model));
  for (int i = 0; i < 24; ++i) {
    const double angle = 0.1 + i * 0.26;
    const double radius = 0.6 + 0.1 * (i % 8);
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const double u = 1.5 - 0.1 * i;
    const double w = -0.4 + 0.05 * i;
    const InitialValues found = start.solve(0, values(model, {radius * c, radius * s}, {u, w}));
    const double along = -s * u + c * w;  // the tangential part stays
    expect_close(found.y, {c, s}, 1e-15);
    expect_close(found.z, {-s * along, c * along}, 2e-15);
    // Along the rod: -gravity s - 2 lambda = -along^2.
    const double lambda = (along * along - 9.81 * s) / 2;
    expect_close(found.lambda, {lambda}, 2e-14);
    expect_close(found.z_dot, {-2 * lambda * c, -9.81 - 2 * lambda * s}, 4e-14);
  }
}

TEST(ConsistentStart, TwoRodsHangingAtRest) {
  const Model model = model_of(test::double_pendulum, {"l1=0.8", "l2=1.5"});
  const ConsistentStart start(model, derive(model));
  const InitialValues found = start.solve(0, values(model, {0, -1, 0, -2.4}, {0, 0, 0, 0}));
  expect_close(found.y, {0, -0.8, 0, -2.3}, 1e-15);
  expect_close(found.z, {0, 0, 0, 0}, 0);
  expect_close(found.z_dot, {0, 0, 0, 0}, 1e-14);
  // 2 lambda l is the tension: 4 kg below the first rod, 1 kg below the second. In equilibrium -2 lambda l = -weight.
  expect_close(found.lambda, {4 * 9.81 / (2 * 0.8), 1 * 9.81 / (2 * 1.5)}, 1e-13);
}

TEST(ConsistentStart, MovingSupportAtSeveralTimes) {
  const Model model = model_of(R"(coordinate x, y
kinetic (x'^2 + y'^2)/2
constraint rod: (x - sin(t))^2 + y^2 = 1
initial y = -1
)");
  const ConsistentStart start(model, derive(model));
  for (const double t : {0.0, 0.4, 1.3, -2.0}) {
    const double angle = 0.3 + t;
    const double c = std::cos(angle);
    const double s = std::sin(angle);
    const InitialValues found = start.solve(t, values(model, {std::sin(t) + 1.2 * c, 1.2 * s}, {0, 0}));
    expect_close(found.y, {std::sin(t) + c, s}, 1e-15);
    // The smallest velocity with n . v = n . v_support.
    const double normal = c * std::cos(t);
    expect_close(found.z, {normal * c, normal * s}, 1e-15);
    EXPECT_NEAR(found.velocity_residual, std::abs(2.4 * c * std::cos(t)), 1e-14);
  }
}

TEST(ConsistentStart, PinsBelongToTheGivenValues) {
  const Model model = model_of(simple_pendulum);
  const ConsistentStart start(model, derive(model));
  StartValues given = values(model, {0.9, -0.6}, {1, 1});
  given.y_pinned = {false, true};
  given.z_pinned = {true, false};
  const InitialValues pinned = start.solve(0, given);
  expect_close(pinned.y, {0.8, -0.6}, 1e-15);
  expect_close(pinned.z, {1, 0.8 / 0.6}, 1e-15);
  EXPECT_EQ(pinned.y[1], -0.6);
  EXPECT_EQ(pinned.z[0], 1);
  given.y_pinned = {true, false};
  expect_close(start.solve(0, given).y, {0.9, -std::sqrt(1 - 0.81)}, 1e-15);
}

TEST(ConsistentStart, CorrectionsAreInverseToTheMasses) {
  const Model model = model_of(R"(parameter m1 = 1, m2 = 3
coordinate a, b
kinetic m1/2*a'^2 + m2/2*b'^2
constraint distance: b - a = 1
)");
  const ConsistentStart start(model, derive(model));
  const InitialValues found = start.solve(0, values(model, {0, 2}, {4, 0}));
  expect_close(found.y, {0.75, 1.75}, 4e-16);  // 1 shared 3 : 1
  expect_close(found.z, {1, 1}, 1e-15);        // momentum 4 over both masses
}

TEST(ConsistentStart, RedundantConstraintsShareTheForce) {
  const Model model = model_of(R"(coordinate x, y
kinetic (x'^2 + y'^2)/2
potential 9.81*y
constraint rod: x^2 + y^2 = 1
constraint again: 2*x^2 + 2*y^2 = 2
initial y = -1
)");
  const ConsistentStart start(model, derive(model));
  for (const double length : {1.0, 1.1, 0.7}) {
    const InitialValues found = start.solve(0, values(model, {0, -length}, {0, 0}));
    expect_close(found.y, {0, -1}, 1e-15);
    EXPECT_EQ(found.redundant, (std::vector<std::string>{"again follows from rod"}));
    EXPECT_FALSE(found.singular_position);
    // Smallest lambda with lambda_1 + 2 lambda_2 = 9.81/2.
    expect_close(found.lambda, {9.81 / 10, 9.81 / 5}, 1e-14);
  }
}

/// Values beside those of the model, without structure.
StartValues moved(const Model& model, double size) {
  StartValues given = start_values(model);
  int i = 0;
  for (std::vector<double>* list : {&given.y, &given.z})
    for (double& value : *list) value += size * std::sin(1 + 1.7 * ++i);
  return given;
}

class Again : public ::testing::TestWithParam<const char*> {};

TEST_P(Again, EqualsAFreshStartBitForBit) {
  const Model model = model_of(GetParam());
  const ConsistentStart start(model, derive(model));
  start.solve(0, moved(model, 0.03));
  for (const double size : {0.0, 0.01, 0.05}) {
    const StartValues given = moved(model, size);
    const InitialValues again = start.solve(0.25, given);
    expect_same(again, ConsistentStart(model, derive(model)).solve(0.25, given));
    expect_same(again, ConsistentStart(start).solve(0.25, given));
  }
  expect_same(start.solve(0, start.given_by_model()), make_consistent(model, derive(model)));
}

const char* const massless = R"(parameter k = 3
coordinate x, s
kinetic x'^2/2
potential k/2*(s - x)^2 + s^2
rayleigh s'^2
initial x = 1
)";

INSTANTIATE_TEST_SUITE_P(Models, Again,
                         ::testing::Values(simple_pendulum, test::double_pendulum, test::nonholonomic_particle,
                                           test::four_particles, test::steel_on_teflon, test::chain, massless));

TEST(ConsistentStart, OpenParametersAreThoseOfTheTable) {
  const Model model = model_of(test::double_pendulum);
  const Equations open = derive(model, {.inputs = {"m2", "l1", "gravity"}});
  ASSERT_EQ(open.parameters.size(), 3u);
  ConsistentStart start(model, open);
  for (const double l : {0.5, 2.0}) {
    const std::vector<double> table = {1.5 * l, l, 3.7};
    start.bind(table.data());
    const Model fixed = model_of(
        test::double_pendulum, {"m2=" + to_text(table[0]), "l1=" + to_text(table[1]), "gravity=" + to_text(table[2])});
    const StartValues given = start.given_by_model();
    expect_close(given.y, start_values(fixed).y, 0);  // x1 = l1, x2 = l1 + l2
    // What is folded there is worked out here, so that roundings may differ.
    for (const StartValues& values : {given, moved(fixed, 0.02)}) {
      const InitialValues a = start.solve(0, values);
      const InitialValues b = ConsistentStart(fixed, derive(fixed)).solve(0, values);
      expect_close(a.y, b.y, 1e-15);
      expect_close(a.z, b.z, 1e-15);
      expect_close(a.z_dot, b.z_dot, 2e-14);
      expect_close(a.lambda, b.lambda, 1e-13);
    }
    start.bind(nullptr);
    expect_close(start.solve(0, start_values(model)).lambda, make_consistent(model, derive(model)).lambda, 0);
  }
}

TEST(ConsistentStart, MessagesKnowTheTable) {
  const Model model = model_of(R"(parameter k = 1
coordinate x
kinetic x'^2/2
potential 1/k + x
)");
  ConsistentStart start(model, derive(model, {.inputs = {"k"}}));
  const double zero = 0;
  start.bind(&zero);
  try {
    start.solve(0, start.given_by_model());
    FAIL() << "1/0 passed";
  } catch (const InputError& e) {
    EXPECT_EQ(e.diagnostics()[0].message, "the potential is not finite at the start (inf)");
    EXPECT_EQ(e.diagnostics()[0].hint, "'1/k' is inf there");
  }
}

TEST(ConsistentStart, AFailureLeavesItAsItWas) {
  const Model model = model_of(simple_pendulum);
  const ConsistentStart start(model, derive(model));
  StartValues wrong = values(model, {2, 0}, {0, 0});
  wrong.y_pinned = {true, false};
  EXPECT_THROW(start.solve(0, wrong), InputError);
  wrong.y = {std::numeric_limits<double>::infinity(), 0};
  EXPECT_THROW(start.solve(0, wrong), InputError);
  wrong.y = {1, 0, 0};
  EXPECT_THROW(start.solve(0, wrong), std::logic_error);
  expect_same(start.solve(0, start_values(model)), make_consistent(model, derive(model)));
}

TEST(ConsistentStart, CopiesHaveParametersOfTheirOwnInThreads) {
  const Model model = model_of(test::double_pendulum);
  const ConsistentStart start(model, derive(model, {.inputs = {"m2"}}));
  constexpr int count = 4;
  std::vector<double> mass(count);
  std::vector<InitialValues> found(count);
  std::vector<ConsistentStart> copies(count, start);
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) {
    mass[i] = 1 + i;
    copies[i].bind(&mass[i]);
    threads.emplace_back([&, i] {
      for (int n = 0; n < 200; ++n) found[i] = copies[i].solve(0, moved(model, 0.02));
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (int i = 0; i < count; ++i) {
    ConsistentStart alone = start;
    alone.bind(&mass[i]);
    expect_same(found[i], alone.solve(0, moved(model, 0.02)));
    if (i > 0) { EXPECT_NE(found[i].lambda, found[0].lambda); }
  }
}

}  // namespace
}  // namespace alembert::internal
