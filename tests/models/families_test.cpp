// Families of bodies, joints, loads and springs, and assemblies, against the same models written out by hand.

#include <gtest/gtest.h>

#include <cmath>

#include "apps/program.h"
#include "models/follow.h"
#include "output/rows.h"

namespace alembert::internal::testing {
namespace {

Rows followed(const Model& model, double end = 0.5) {
  SimulateOptions options;
  options.step = 0.01;
  options.end = end;
  Rows rows;
  const Report report = run_rows(model, "lobatto(3)", options, rows);
  EXPECT_EQ(report.ending, Ending::done) << report.reason;
  return rows;
}

double last_of(const Rows& rows, const std::string& name) { return rows.at(rows.rows.back(), name); }

TEST(ElementFamilies, AreTheirMembersWrittenOut) {
  const Model family = model_from_text(
      "parameter N = 3, l = 0.5\nfamily i = 1..N\n"
      "body link[i] mass i inertia (0.1, 0.1, 0.01) at (0, (i - 1/2)*l, 0) rotated pi/2 about (1, 0, 0)\n"
      "gravity (0, 0, -9.81)\n"
      "joint revolute hinge[1] from ground axis (1, 0, 0) to link[1] point (0, 0, l/2)\n"
      "joint revolute hinge[i] from link[i-1] point (0, 0, -l/2) axis (1, 0, 0) to link[i] point (0, 0, l/2) for i = "
      "2..N\n"
      "load wind[i] on link[i] force (0, if(i = N, 2, 0), i)\nspring s[i] from ground point (0, 0, i) to link[i] "
      "stiffness 3*i\n"
      "torsion d[i] joint hinge[i] damping 0.2 stiffness i for i = 2..N\n"
      "drive m joint hinge[1] torque 3 - hinge[1].rate\n"
      "observe tip: link[N].point(0, 0, -l/2)\nobserve all[i]: link[i].r[3]\nobserve push: hinge[2].force\n"
      "observe sum: sum(i, link[i].r[2])\nobserve angle: hinge[2].angle\n");
  std::string text = "parameter l = 0.5\ngravity (0, 0, -9.81)\n";
  for (int i = 1; i <= 3; ++i) {
    const std::string n = std::to_string(i),
                      before = i == 1 ? "ground" : "link" + std::to_string(i - 1) + " point (0, 0, -l/2)";
    text += "body link" + n + " mass " + n + " inertia (0.1, 0.1, 0.01) at (0, (" + n +
            " - 1/2)*l, 0) rotated pi/2 about (1, 0, 0)\n";
    text += "joint revolute hinge" + n + " from " + before + " axis (1, 0, 0) to link" + n + " point (0, 0, l/2)\n";
    text += "load wind" + n + " on link" + n + " force (0, " + (i == 3 ? "2" : "0") + ", " + n + ")\n";
    text += "spring s" + n + " from ground point (0, 0, " + n + ") to link" + n + " stiffness 3*" + n + "\n";
    if (i > 1) text += "torsion d" + n + " joint hinge" + n + " damping 0.2 stiffness " + n + "\n";
  }
  text +=
      "drive m joint hinge1 torque 3 - hinge1.rate\nobserve tip: link3.point(0, 0, -l/2)\nobserve push: hinge2.force\n"
      "observe angle: hinge2.angle\n";
  const Rows one = followed(family), other = followed(model_from_text(text));
  for (const char* name : {"tip[2]", "tip[3]", "push[2]", "push[3]", "angle"})
    EXPECT_NEAR(last_of(one, name), last_of(other, name), 1e-10) << name;
  EXPECT_NEAR(last_of(one, "all[2]"), last_of(other, "link2.r[3]"), 1e-12);
  EXPECT_NEAR(last_of(one, "link[3].r[2]"), last_of(other, "link3.r[2]"), 1e-12);
  EXPECT_NEAR(last_of(one, "sum"),
              last_of(other, "link1.r[2]") + last_of(other, "link2.r[2]") + last_of(other, "link3.r[2]"), 1e-12);
}

TEST(ElementFamilies, AreCountedByParametersThatMayBeSet) {
  const auto source = std::make_shared<const Source>(
      Source{"m.alm",
             "parameter N = 2\nfamily i = 1..N\nbody b[i] planar mass 1 inertia 1 at (i, 0)\n"
             "joint revolute j[i] from ground point (i, 0) to b[i]\n"});
  EXPECT_EQ(read_model(source).joints.size(), 2u);
  const Model five = read_model(source, {"N=5", "b[3].phi=0.5"});
  EXPECT_EQ(five.joints.size(), 5u);
  EXPECT_TRUE(five.shapes_model[0]) << "N cannot stay open";
  EXPECT_EQ(static_cast<double>(five.q0[3 * 2 + 2]), 0.5);
}

/// A chain of rigid links that hangs and is pushed aside at its end, by so little that it is linear: in the places of
/// its joints the matrices of mass and stiffness have three diagonals.
class HangingChain {
 public:
  HangingChain(int links, long double m, long double l, long double J, long double push)
      : n_(links), push_(push), mass_(n_ + 1), mass_beside_(n_ + 1), pull_(n_ + 1), pull_beside_(n_ + 1) {
    for (int i = 1; i <= n_; ++i) {  // its middle is between two joints, its angle their distance over l
      const long double tension = m * 9.81L * (n_ - i + 0.5L) / l;
      for (const int joint : {i - 1, i}) {
        mass_[joint] += m / 4 + J / (l * l);
        pull_[joint] += tension;
      }
      mass_beside_[i] = m / 4 - J / (l * l);
      pull_beside_[i] = -tension;
    }
  }
  /// x: places of the joints 1..n, then their velocities.
  void rates(const Reference::State& x, Reference::State& out) const {
    const auto at = [&](int i) { return i < 1 || i > n_ ? 0.0L : x[static_cast<std::size_t>(i - 1)]; };
    out.resize(2 * n_);
    std::vector<long double> d = mass_, force(n_ + 2);
    for (int i = 1; i <= n_; ++i) {
      force[i] = -pull_[i] * at(i) - pull_beside_[i] * at(i - 1) - (i < n_ ? pull_beside_[i + 1] * at(i + 1) : 0);
      if (i == n_) force[i] += push_;
      if (i == 1) continue;
      const long double share = mass_beside_[i] / d[i - 1];
      d[i] -= share * mass_beside_[i];
      force[i] -= share * force[i - 1];
    }
    for (int i = n_; i >= 1; --i) {
      const long double beside = i < n_ ? mass_beside_[i + 1] * out[n_ + i] : 0;
      out[n_ + i - 1] = (force[i] - beside) / d[i];
      out[i - 1] = x[n_ + i - 1];
    }
  }

 private:
  int n_;
  long double push_;
  std::vector<long double> mass_, mass_beside_, pull_, pull_beside_;
};

TEST(ElementFamilies, AThousandLinksMoveAsTheirLinearTwin) {
  const Model model = model_from_text(
      "parameter N = 1000, m = 0.01, l = 0.01, J = 1e-7, J0 = 1e-8\nfamily i = 1..N\n"
      "body link[i] mass m inertia (J, J, J0) at (0, 0, -(i - 1/2)*l)\ngravity (0, 0, -9.81)\n"
      "joint revolute hinge[1] from ground axis (1, 0, 0) to link[1] point (0, 0, l/2)\n"
      "joint revolute hinge[i] from link[i-1] point (0, 0, -l/2) axis (1, 0, 0) to link[i] point (0, 0, l/2) for i = "
      "2..N\nload push on link[N] point (0, 0, -l/2) force (0, 1e-5, 0)\nobserve tip: link[N].point(0, 0, -l/2)\n");
  SimulateOptions options;
  options.step = 0.001;
  options.end = 0.005;
  const Report report = simulate(model, derive(model), method("gauss(2)"), options);
  ASSERT_EQ(report.ending, Ending::done) << report.reason;
  const HangingChain twin(1000, 0.01L, 0.01L, 1e-7L, 1e-5L);
  Reference reference([&](long double, const Reference::State& x, Reference::State& rates) { twin.rates(x, rates); },
                      Reference::State(2000, 0));
  for (int i = 1; i < 10; ++i) reference.at(0.0005 * i);  // its highest frequency is 2,000
  const double exact = static_cast<double>(reference.at(0.005)[999]);
  EXPECT_GT(exact, 3e-8);
  EXPECT_NEAR(report.observed[1].final, exact, 1e-6 * exact);
}

const char leg[] =
    "model \"A leg\"\nparameter length = 1, k = 50\n"
    "body thigh mass 1 inertia (0.1, 0.1, 0.01) at (0, 0, -length/2)\n"
    "body shank mass 0.5 inertia (0.05, 0.05, 0.01) at (0, 0, -3/2*length) omega (0, 0.3, 0)\n"
    "gravity (0, 0, -9.81)\njoint revolute knee from thigh point (0, 0, -length/2) axis (0, 1, 0) to shank point (0, "
    "0, length/2)\n"
    "torsion tendon joint knee stiffness k damping 1\nlet half(a) = a/2\nobserve foot: shank.point(0, 0, "
    "-half(length))\n"
    "solve gauss(2) step 0.01 end 1\n";

TEST(Assemblies, AreTheirFilesWithNamesOfTheirOwn) {
  const apps_test::Folder folder;
  folder.write("leg.alm", leg);
  const Model walker = read_model(folder.write(
      "walker.alm",
      "parameter N = 2\nbody trunk mass 10 inertia (1, 1, 1) at (1.5, 0, 1)\ngravity (0, 0, -9.81)\n"
      "component leg[i] = \"leg.alm\" at (i, 0, 1) with length = 1 + i/10 for i = 1..N\n"
      "joint revolute hip[i] from trunk point (i - 1.5, 0, 0) axis (0, 1, 0) to leg[i].thigh point (0, 0, (1 + "
      "i/10)/2) for i = 1..N\n"
      "joint fixed hold from ground point (1.5, 0, 1) to trunk\nobserve foot: leg[2].shank.point(0, 0, -0.6)\n"));
  const Model alone = model_from_text(
      "parameter length = 1.2, k = 50\n"
      "body thigh mass 1 inertia (0.1, 0.1, 0.01) at (2, 0, 1 - length/2)\n"
      "body shank mass 0.5 inertia (0.05, 0.05, 0.01) at (2, 0, 1 - 3/2*length) omega (0, 0.3, 0)\ngravity (0, 0, "
      "-9.81)\n"
      "joint revolute hip from ground point (2, 0, 1) axis (0, 1, 0) to thigh point (0, 0, length/2)\n"
      "joint revolute knee from thigh point (0, 0, -length/2) axis (0, 1, 0) to shank point (0, 0, length/2)\n"
      "torsion tendon joint knee stiffness k damping 1\nobserve foot: shank.point(0, 0, -length/2)\n");
  const Rows one = followed(walker), other = followed(alone);
  for (const char* name : {"foot[1]", "foot[2]", "foot[3]"}) {
    EXPECT_NEAR(last_of(one, name), last_of(other, name), 1e-9) << name;
    EXPECT_NEAR(last_of(one, "leg[2]." + std::string(name)), last_of(other, name), 1e-9) << "what the file observes";
  }
  const Model set = read_model(folder / "walker.alm", {"leg[2].k=0", "leg[1].thigh.r[1]=7"});
  EXPECT_EQ(set.parameters.size(), walker.parameters.size());
}

TEST(Assemblies, AreRotated) {
  const apps_test::Folder folder;
  folder.write("leg.alm", leg);
  // Rotated by a right angle about z: what moved along x moves along y.
  const auto model = [&](const std::string& placement, const std::string& axis) {
    return read_model(folder.write("one.alm", "gravity (0, 0, -9.81)\ncomponent a = \"leg.alm\" " + placement +
                                                  "\njoint revolute hip from ground axis " + axis +
                                                  " to a.thigh point (0, 0, 1/2) axis (0, 1, 0)\n"));
  };
  const Rows straight = followed(model("", "(0, 1, 0)"));
  const Rows turned = followed(model("rotated 90*deg about (0, 0, 1)", "(-1, 0, 0)"));
  EXPECT_GT(std::abs(last_of(straight, "a.foot[1]")), 1e-3);
  EXPECT_NEAR(last_of(turned, "a.foot[2]"), last_of(straight, "a.foot[1]"), 1e-9);
  EXPECT_NEAR(last_of(turned, "a.foot[1]"), -last_of(straight, "a.foot[2]"), 1e-9);
  EXPECT_NEAR(last_of(turned, "a.foot[3]"), last_of(straight, "a.foot[3]"), 1e-9);
}

TEST(Assemblies, InAssembliesArePlacedWithThem) {
  const apps_test::Folder folder;
  folder.write("ball.alm", "body ball mass 1 inertia (1, 1, 1) at (1, 0, 0)\n");
  folder.write("pair.alm", "body mid mass 1 inertia (1, 1, 1)\ncomponent in = \"ball.alm\" at (0, 1, 0)\n");
  const auto placed = [&](const std::string& placement) {
    const std::string text = "component out = \"pair.alm\" " + placement + "\nobserve ball: out.in.ball.r\n";
    return followed(read_model(folder.write("all.alm", text)), 0.02);
  };
  const Rows moved = placed("at (10, 0, 0)");
  EXPECT_NEAR(last_of(moved, "ball[1]"), 11, 1e-14);
  EXPECT_NEAR(last_of(moved, "ball[2]"), 1, 1e-14);
  // A quarter of a turn about z takes (1, 1, 0) to (-1, 1, 0), by the older word.
  const Rows turned = placed("at (10, 0, 0) turned pi/2 about (0, 0, 1)");
  EXPECT_NEAR(last_of(turned, "ball[1]"), 9, 1e-14);
  EXPECT_NEAR(last_of(turned, "ball[2]"), 1, 1e-14);
}

/// Every joint to the ground, springs, rolling and contact: turned and moved as a whole, the motion is turned and
/// moved, and what joints measure is the same.
TEST(Assemblies, OnTheGroundAreRotatedWithIt) {
  const apps_test::Folder folder;
  folder.write(
      "machine.alm",
      "body arm mass 1 inertia (0.1, 0.2, 0.3) at (0, 0.5, 0) spin (0, 0, 1)\n"
      "joint revolute hinge from ground point (0, 0, 0) axis (0, 0, 1) to arm point (0, -0.5, 0)\n"
      "body cart mass 2 inertia (1, 1, 1) at (1, 3, 0) velocity (0.4, 0, 0)\n"
      "joint prismatic rail from ground point (0, 3, 0) axis (1, 0, 0) to cart\n"
      "body block mass 2 inertia (1, 1, 1) at (0, 0, 4)\njoint fixed clamp from ground point (0, 0, 4) to block\n"
      "body tip mass 1 inertia (0.1, 0.1, 0.2) at (0, 0, 5) spin (0.3, 0, 0)\n"
      "joint universal cross from ground point (0, 0, 4.5) axis (1, 0, 0) to tip point (0, 0, -0.5) axis (0, 1, 0)\n"
      "body ball mass 1 inertia (0.4, 0.4, 0.4) at (0, 9, 1) velocity (1, 0.5, 0) spin (-0.5, 1, 0)\n"
      "joint rolling floor from ground axis (0, 0, 1) to ball radius 1\n"
      "body marble mass 1 inertia (0.4, 0.4, 0.4) at (5, 0, 1.2) velocity (0.3, 0, -1)\n"
      "contact table from marble sphere 0.5 to ground plane point (0, 0, 0.5) axis (0, 0, 1) restitution 0.5 friction "
      "0.3\n"
      "spring s from ground point (1, 1, 1) to arm stiffness 3 length 1\n"
      "observe angle: hinge.angle\nobserve d: rail.distance\nobserve a1: cross.angle1\nobserve a2: cross.angle2\n");
  const auto placed = [&](const std::string& placement) {
    return followed(read_model(folder.write("one.alm", "component m = \"machine.alm\" " + placement +
                                                           "\nlet R = rotation((1, 2, -1), 0.8)\n"
                                                           "observe p: m.arm.r - (1, 2, 3)\nobserve b: transpose(R)*p\n"
                                                           "let p = m.arm.r - (1, 2, 3)\n"
                                                           "observe roll: transpose(R)*(m.ball.r - (1, 2, 3))\n"
                                                           "observe fell: transpose(R)*(m.marble.r - (1, 2, 3))\n")));
  };
  const Rows straight = placed("at (1, 2, 3)"), turned = placed("at (1, 2, 3) rotated 0.8 about (1, 2, -1)");
  for (const char* name : {"m.angle", "m.d", "m.a1", "m.a2"})
    EXPECT_NEAR(last_of(turned, name), last_of(straight, name), 1e-8) << name;
  EXPECT_GT(std::abs(last_of(straight, "m.angle")), 0.1);
  for (const int i : {1, 2, 3}) {
    const std::string n = "[" + std::to_string(i) + "]";
    EXPECT_NEAR(last_of(turned, "b" + n), last_of(straight, "p" + n), 1e-8) << n;
    EXPECT_NEAR(last_of(turned, "roll" + n), last_of(straight, "m.ball.r" + n) - i, 1e-8) << n;
    EXPECT_NEAR(last_of(turned, "fell" + n), last_of(straight, "m.marble.r" + n) - i, 1e-8) << n;
  }
}

TEST(Assemblies, InThePlaneAreRotatedWithTheirGround) {
  const apps_test::Folder folder;
  folder.write("flat.alm",
               "body arm planar mass 1 inertia 0.1 at (0.5, 0) omega 1\njoint revolute hinge from ground to arm point "
               "(-0.5, 0)\n"
               "body cart planar mass 1 inertia 0.1 at (1, 2) velocity (0.3, 0)\n"
               "joint prismatic rail from ground point (0, 2) axis (1, 0) to cart\n"
               "body wheel planar mass 1 inertia 0.5 at (0, 6) velocity (1, 0) omega -1\n"
               "joint rolling floor from ground point (0, 5) to wheel radius 1\n"
               "body block planar mass 1 inertia 1 at (3, 3)\njoint fixed clamp from ground point (3, 3) to block\n"
               "spring s from cart to ground point (2, 2) stiffness 2 length 0.5\n"
               "observe angle: hinge.angle\nobserve d: rail.distance\n");
  const auto placed = [&](const std::string& placement) {
    return followed(read_model(folder.write("plane.alm", "component m = \"flat.alm\" " + placement +
                                                             "\nlet R = rotation(0.6)\n"
                                                             "observe roll: transpose(R)*m.wheel.r\n")));
  };
  const Rows straight = placed(""), turned = placed("rotated 0.6");
  for (const char* name : {"m.angle", "m.d"}) EXPECT_NEAR(last_of(turned, name), last_of(straight, name), 1e-9) << name;
  for (const char* n : {"[1]", "[2]"})
    EXPECT_NEAR(last_of(turned, std::string("roll") + n), last_of(straight, std::string("m.wheel.r") + n), 1e-9);
}

TEST(Matrices, AreThoseOfMathematics) {
  const auto value = [](const std::string& expression) {
    const Model model = model_from_text(
        "parameter A[2][2] = ((1, 2), (3, 4)), v[3] = (1, 2, 3), w[3] = (-2, 0.5, 4)\ncoordinate x\nkinetic x'^2/2\n"
        "observe v: " +
        expression + "\n");
    SimulateOptions options;
    options.step = 0.01;
    options.end = 0.01;
    return simulate(model, derive(model), method("gauss(1)"), options).observed[0].final;
  };
  EXPECT_EQ(value("(A*A)[2][1]"), 15);
  EXPECT_EQ(value("(A*(5, 6))[1]"), 17);
  EXPECT_EQ(value("transpose(A)[1][2]"), 3);
  EXPECT_EQ(value("(identity(2) + A)[2][2]"), 5);
  EXPECT_EQ(value("norm2(skew(v)*w - cross(v, w))"), 0);
  EXPECT_NEAR(value("norm(rotation((0, 0, 2), 90*deg)*(1, 0, 0) - (0, 1, 0))"), 0, 1e-15);
  EXPECT_NEAR(value("norm(rotation(v, 0.7)*transpose(rotation(v, 0.7))*w - w)"), 0, 1e-14);
  EXPECT_NEAR(value("norm(rotation(v, 0.7)*v - v)"), 0, 1e-14);
  EXPECT_NEAR(value("norm(rotation(30*deg)*(1, 0) - (sqrt(3)/2, 1/2))"), 0, 1e-15);
  EXPECT_EQ(value("sum(times(v, w))"), 11);
  EXPECT_EQ(value("over(v, w)[2]"), 4);
  EXPECT_EQ(value("(5, v)[4]"), 3);
}

TEST(DeclaredFamilies, MayHaveTheirRangesBehindThem) {
  const Rows with = followed(model_from_text(
      "parameter N = 3, m[i] = i for i = 1..N\ncoordinate r[i][2] = (i, 0) for i = 1..N\n"
      "coordinate s[j] = 1 for j = 1..2\nvariable z[k] = k for k = 1..N\ninput F[i] = i/2 for i = 1..N\n"
      "family n = 1..N, j = 1..2\nkinetic sum(n, m[n]/2*norm2(r[n]')) + sum(j, s[j]'^2)\npotential sum(j, s[j]^2)\n"
      "force r[n] = (F[n], 0)\nrate z[n]' = -z[n]\n"));
  for (const int i : {1, 2, 3}) {
    const std::string n = "[" + std::to_string(i) + "]";
    EXPECT_NEAR(last_of(with, "r" + n + "[1]"), i + 0.25 * 0.25, 1e-13) << "i/2 on the mass i";
    EXPECT_NEAR(last_of(with, "z" + n), i * std::exp(-0.5), 1e-9);
  }
  EXPECT_NEAR(last_of(with, "s[2]"), std::cos(0.5), 1e-9);
}

TEST(DeclaredFamilies, OfMomentaQuantitiesAndOutputs) {
  const Rows momenta = followed(model_from_text(
      "parameter N = 3\ncoordinate q[i] = i for i = 1..N\nmomentum p[i] of q[i] for i = 1..N\nfamily j = 1..N\n"
      "hamiltonian sum(j, p[j]^2 + q[j]^2)/2\n"));
  const Rows quantities = followed(
      model_from_text("parameter N = 3\nvariable y[i] = i for i = 1..N\nvariable z[i] for i = 1..N\nfamily j = 1..N\n"
                      "quantity p[i] = i*z[i] for i = 1..N\nrate y[j]' = z[j], p[j]' = -j*y[j]\n"));
  const Model ports = model_from_text(
      "family i = 1..3\nstate q[i] = i, p[i]\nhamiltonian sum(i, q[i]^2 + p[i]^2)/2\nstructure J(q[i], p[i]) = 1\n"
      "input u[i] = 0\nport B(p[i], u[i]) = 1\noutput w[i] of u[i]\nobserve speed: w[3]\n");
  SimulateOptions options;
  options.step = 0.01;
  options.end = 0.5;
  const Report report = simulate(ports, derive(ports), method("gauss_collocation(3)"), options);
  for (const int i : {1, 2, 3}) {
    const std::string n = "[" + std::to_string(i) + "]";
    EXPECT_NEAR(last_of(momenta, "q" + n), i * std::cos(0.5), 1e-8);
    EXPECT_NEAR(last_of(quantities, "y" + n), i * std::cos(0.5), 1e-8);
  }
  EXPECT_NEAR(report.observed[0].final, -3 * std::sin(0.5), 1e-12);
}

TEST(Assemblies, OfFamiliesHaveEventsInputsAndQuantitiesThatCanBeNamed) {
  const apps_test::Folder folder;
  folder.write("leg.alm",
               "parameter n = 0, m = 1\ninput push = 0\nbody box planar mass m inertia 1\n"
               "joint prismatic rail from ground axis (1, 0) to box\nload kick on box force (push, 0)\n"
               "variable z\nrate z' = rail.speed\nevent far: rail.distance = 1/2\nobserve place: rail.distance\n"
               "solve gauss(2) step 0.01 end 1\n");
  const std::string model = folder.write(
      "model.alm",
      "parameter c = 0\ncomponent leg[i] = \"leg.alm\" with m = i for i = 1..2\n"
      "initial leg[i].box.r' = (i, 0) for i = 1..2\n"
      "when leg[1].far: c = c + 10\nwhen leg[i].far: leg[i].n = leg[i].n + i for i = 1..2\n"
      "observe c: c\nobserve n: leg[2].n\nobserve x[i]: leg[i].rail.distance for i = 1..2\nobserve z: leg[2].z\n"
      "solve gauss(2) step 0.01 end 1\n");
  const std::string push = folder.write("push.csv", "t,leg[1].push\n0,2\n1,2\n");
  const apps_test::Outcome outcome = apps_test::program({"run", model, "--json", "--input", "leg[1].push=" + push});
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {R"("leg[1].far")", R"("leg[2].far")", R"("leg[1].place")"})
    EXPECT_NE(outcome.out.find(part), std::string::npos) << part;
  const auto final_of = [&](const std::string& name) {
    const std::size_t at = outcome.out.find("\"final\":", outcome.out.find("\"" + name + "\":{\"final\""));
    return std::stod(outcome.out.substr(at + 8));
  };
  EXPECT_EQ(final_of("c"), 10);
  EXPECT_EQ(final_of("n"), 2);
  EXPECT_NEAR(final_of("x[1]"), 2, 1e-12) << "t + t^2 by the input";
  EXPECT_NEAR(final_of("x[2]"), 2, 1e-12);
  EXPECT_NEAR(final_of("z"), 2, 1e-12);
}

TEST(Assemblies, ThatAreWrongHideNothingOfTheModel) {
  const apps_test::Folder folder;
  folder.write("leg.alm", "body thigh mass 1 inertia (1, 1, 1)\nload w on tigh force (1, 0, 0)\n");
  folder.write("arm.alm", "body hand mas 1 inertia (1, 1, 1)\n");
  const std::string model =
      folder.write("model.alm",
                   "component leg = \"leg.alm\"\ncomponent arm = \"arm.alm\"\nbody a mass 1 inertia (1, 1, 1)\n"
                   "joint revolute h from a axis (0, 0, 1) to leg.thigh\njoint spherical k from a to arm.hand\n"
                   "load w on b force (1, 0, 0)\nobserve q: unknwn\nobserve r: leg.thigh.r + arm.hand.r\n"
                   "solve gauss(2) step 0.1 end 1\n");
  const apps_test::Outcome outcome = apps_test::program({"run", model});
  EXPECT_EQ(outcome.code, 2);
  for (const char* part :
       {"there is no body 'tigh'", "a body has no 'mas'", "there is no body 'b'", "unknown name 'unknwn'"})
    EXPECT_NE(outcome.err.find(part), std::string::npos) << part << "\n" << outcome.err;
  EXPECT_EQ(outcome.err.find("unknown name 'leg"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("no body 'leg"), std::string::npos) << outcome.err;
}

}  // namespace
}  // namespace alembert::internal::testing
