// Random mechanisms: trees of rods in Cartesian coordinates with constraints, beside the same in the angles of the
// rods, where nothing is constrained.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>

#include "alembert/derive/equations.h"
#include "alembert/run/simulate.h"

namespace alembert::internal {
namespace {

struct Tree {
  std::vector<int> parent;  // of each rod; -1: the ground
  std::vector<double> length, mass, angle, rate;
};

Tree tree_of(const std::vector<unsigned>& numbers) {
  Tree tree;
  const std::size_t count = 1 + numbers.size() % 4;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned n = numbers.empty() ? 7 : numbers[i % numbers.size()] + 31 * static_cast<unsigned>(i);
    tree.parent.push_back(static_cast<int>(n % (i + 1)) - 1);
    tree.length.push_back(0.5 + n / 8 % 8 * 0.125);
    tree.mass.push_back(0.5 + n / 64 % 8 * 0.25);
    tree.angle.push_back(-1 + n / 512 % 16 * 0.125);
    tree.rate.push_back(-1 + n / 8192 % 16 * 0.125);
  }
  return tree;
}

struct Place {
  double x = 0, y = 0, vx = 0, vy = 0;
};

std::vector<Place> places_of(const Tree& tree, const std::vector<double>& angle, const std::vector<double>& rate) {
  std::vector<Place> list;
  for (std::size_t i = 0; i < tree.parent.size(); ++i) {
    const Place from = tree.parent[i] < 0 ? Place() : list[static_cast<std::size_t>(tree.parent[i])];
    const double s = tree.length[i] * std::sin(angle[i]), c = tree.length[i] * std::cos(angle[i]);
    list.push_back({from.x + s, from.y - c, from.vx + c * rate[i], from.vy + s * rate[i]});
  }
  return list;
}

std::string constrained(const Tree& tree) {
  std::string text, kinetic = "kinetic 0", potential = "potential 0";
  const std::vector<Place> start = places_of(tree, tree.angle, tree.rate);
  for (std::size_t i = 0; i < tree.parent.size(); ++i) {
    text += fmt::format("coordinate x{0} = {1:.17g}, y{0} = {2:.17g}\n", i, start[i].x, start[i].y);
    text += fmt::format("initial x{0}' = {1:.17g}, y{0}' = {2:.17g}\n", i, start[i].vx, start[i].vy);
    kinetic += fmt::format(" + {1:.17g}/2*(x{0}'^2 + y{0}'^2)", i, tree.mass[i]);
    potential += fmt::format(" + {1:.17g}*9.81*y{0}", i, tree.mass[i]);
    const std::string from = tree.parent[i] < 0 ? "" : std::to_string(tree.parent[i]);
    text += from.empty()
                ? fmt::format("constraint x{0}^2 + y{0}^2 = {1:.17g}^2\n", i, tree.length[i])
                : fmt::format("constraint (x{0} - x{2})^2 + (y{0} - y{2})^2 = {1:.17g}^2\n", i, tree.length[i], from);
  }
  return text + kinetic + "\n" + potential + "\n";
}

/// Velocities written out: nothing of what the first model uses is used here but the kinetic energy itself.
std::string free_angles(const Tree& tree) {
  std::string text, kinetic = "kinetic 0", potential = "potential 0";
  std::vector<std::string> y, vx, vy;
  for (std::size_t i = 0; i < tree.parent.size(); ++i) {
    text += fmt::format("coordinate a{0} = {1:.17g}\ninitial a{0}' = {2:.17g}\n", i, tree.angle[i], tree.rate[i]);
    const auto from = static_cast<std::size_t>(std::max(tree.parent[i], 0));
    const bool ground = tree.parent[i] < 0;
    const auto add = [&](const std::vector<std::string>& list, const std::string& own) {
      return ground ? own : list[from] + " + " + own;
    };
    y.push_back(add(y, fmt::format("(0 - {1:.17g}*cos(a{0}))", i, tree.length[i])));
    vx.push_back(add(vx, fmt::format("{1:.17g}*cos(a{0})*a{0}'", i, tree.length[i])));
    vy.push_back(add(vy, fmt::format("{1:.17g}*sin(a{0})*a{0}'", i, tree.length[i])));
    kinetic += fmt::format(" + {}/2*(({})^2 + ({})^2)", tree.mass[i], vx[i], vy[i]);
    potential += fmt::format(" + {}*9.81*({})", tree.mass[i], y[i]);
  }
  return text + kinetic + "\n" + potential + "\n";
}

Report run_of(const std::string& text) {
  const Model model = read_model(std::make_shared<const Source>(Source{"random.alm", text}), {}, {}, {});
  SimulateOptions options;
  options.end = 0.5;
  options.step = 0.01;
  options.newton.kernel = interpreted;
  // Of order 8: with three stages the fastest of the random trees differ by 1e-6, which is what steps of 0.01 leave.
  return simulate(model, derive(model), find_method("gauss(4)"), options);
}

RC_GTEST_PROP(RandomMechanisms, ConstraintsGiveTheMotionOfFreeAngles, (const std::vector<unsigned>& numbers)) {
  const Tree tree = tree_of(numbers);
  const Report bound = run_of(constrained(tree)), free = run_of(free_angles(tree));
  RC_ASSERT(bound.ending == Ending::done);
  RC_ASSERT(free.ending == Ending::done);
  const std::vector<Place> expected = places_of(tree, free.y, free.z);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    RC_ASSERT(std::abs(bound.y[2 * i] - expected[i].x) < 1e-7);
    RC_ASSERT(std::abs(bound.y[2 * i + 1] - expected[i].y) < 1e-7);
    RC_ASSERT(std::abs(bound.z[2 * i] - expected[i].vx) < 1e-6);
    RC_ASSERT(std::abs(bound.z[2 * i + 1] - expected[i].vy) < 1e-6);
  }
}

}  // namespace
}  // namespace alembert::internal
