// A method's arguments are not ignored: members of one family differ on a model, or are refused, or say that they
// agree.

#include <gtest/gtest.h>

#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

struct Result {
  bool refused = false;
  std::string note;
  std::vector<double> state, internal;
};

Result result_of(const Model& model, const Equations& e, const std::string& name, double h) {
  Result result;
  result.refused = !refusal(method(name), e).empty();
  if (result.refused) return result;
  const Report report = run(model, name, h, 5 * h);
  result.note = report.note;
  result.state = report.y;
  result.state.insert(result.state.end(), report.z.begin(), report.z.end());
  return result;
}

void expect_apart(const Model& model, const std::vector<std::string>& names, double h) {
  const Equations e = derive(model);
  for (std::size_t i = 0; i < names.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Result a = result_of(model, e, names[i], h), b = result_of(model, e, names[j], h);
      if (a.refused || b.refused || a.state != b.state) continue;
      EXPECT_NE(a.note + b.note, "") << model.title << ": " << names[i] << " and " << names[j] << " are the same";
    }
}

TEST(MethodArguments, FormsOfTheConstraintsDiffer) {
  for (const char* name : {"pendulum", "knife_edge", "ph_pendulum", "ph_mass_spring_damper", "oscillator"}) {
    const Model model = gallery(name);
    for (const std::string family : {"gauss_collocation", "lobatto_c", "radau_collocation"})
      expect_apart(model, {family + "(3)", family + "(3, index1)", family + "(3, ggl)", family + "(2)"}, 0.05);
    expect_apart(model, {"murua(3)", "murua_ggl(3)"}, 0.05);
  }
}

TEST(MethodArguments, GearGuptaLeimkuhlerNeedsAConstraintToHold) {
  const Equations e = derive(gallery("ph_pendulum"));
  for (const char* name : {"murua_ggl(2)", "lobatto_c(3, ggl)", "gauss_collocation(3, ggl)", "symmetric(murua_ggl(2))"})
    EXPECT_NE(refusal(method(name), e), "") << name;
  for (const char* name : {"murua(2)", "lobatto_c(3)", "gauss_collocation(3, index1)"})
    EXPECT_EQ(refusal(method(name), e), "") << name;
  EXPECT_EQ(families_that_take(&Capabilities::port_hamiltonian).find("ggl"), std::string::npos);
}

TEST(MethodArguments, TwoMatricesAreMadeOrRefused) {
  NewtonOptions two;
  two.linear = LinearSolver::two_matrix;
  const Model pendulum = gallery("pendulum");
  for (const char* name : {"murua(2)", "energy_momentum", "true_euler(1/2)", "lobatto_c(3)"})
    EXPECT_THROW(run(pendulum, name, 0.01, 0.05, two), InputError) << name;
  EXPECT_EQ(run(pendulum, "gauss(2)", 0.01, 0.05, two).ending, Ending::done);
  EXPECT_THROW(run(gallery("parallel_four_bar"), "gauss(2)", 0.01, 0.05, two), InputError) << "redundant constraints";
}

}  // namespace
}  // namespace alembert::internal::testing
