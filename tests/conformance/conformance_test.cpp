// Every claim of every family, measured by verify from both sides: what is claimed holds wherever it applies, and what
// is not claimed is seen to fail somewhere. The methods are those that the families offer: a new one is measured
// without being named here.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "alembert/study/verify.h"
#include "problems.h"

namespace alembert::internal::testing {
namespace {

struct Problem {
  const char* name;
  const char* text;
  double step;
};

// Small, with forces and constraints that are not polynomials of degree two: on those, more holds than is claimed.
const Problem problems[] = {
    {"a particle in the plane", R"(
coordinate x, y
kinetic (x'^2 + y'^2)/2
potential x^2/2 + y^4/4 + x^2*y
initial x = 1, x' = 1/2, y' = 1
)",
     0.05},
    {"a bead on a curve", R"(
coordinate x, y
kinetic (x'^2 + y'^2)/2
potential y + x^4/4
constraint curve: y = x^2/2 + x^3/9
initial x = 1/2, y = 5/36, x' = 1, y' = 7/12
)",
     0.05},
    {"a bead whose mass depends on the place", R"(
coordinate x, y
kinetic (1 + x^2)*(x'^2 + y'^2)/2
potential y
constraint curve: y = x^2/2 + x^3/9
initial x = 1/2, y = 5/36, x' = 1, y' = 7/12
)",
     0.05},
    {"a nonholonomic particle", R"(
coordinate x, y, z
kinetic (x'^2 + y'^2 + z'^2)/2
potential (x^2 + y^2 + z^2)/2 + x^4/4
constraint plane: z' = (y + y^3/3)*x'
initial x = 1, y = 1/2, z = 0, x' = 1, y' = 1/2, z' = 13/24
)",
     0.05},
    {"a knife edge in a bowl", R"(
coordinate x, y, z, theta
kinetic (x'^2 + y'^2 + z'^2)/2 + theta'^2/4
potential z
constraint edge: sin(theta)*x' = cos(theta)*y'
constraint bowl: z = (x^2 + y^2)/2 + x^3/9
initial x = 1, z = 11/18, x' = 1/2, z' = 2/3, theta' = 1
)",
     0.05},
    {"a reaction nonlinear in the multiplier", R"(
variable y[2] = (1, 1), z[2] = (1, 1)
multiplier psi = 1
rate y' = (2*z[1], -z[2])
rate z' = (2*y[1]*y[2]*z[1]*z[2] - y[1]*z[1]*z[2], z[1] - y[1]*z[2]^3) +
    reaction((y[2]*z[1]*psi^2, -sqrt(y[1])*z[1]*z[2]^2*psi))
constraint curve(psi): y[1]*y[2]^2 = 1
)",
     0.01},
    {"a port-Hamiltonian pendulum", R"(
state x = 3/5, y = -4/5, u = 4/5, v = 3/5, lambda
flow E(lambda, lambda) = 0
structure J(x, u) = 1, J(y, v) = 1, J(u, lambda) = -2*x, J(v, lambda) = -2*y
hamiltonian (u^2 + v^2)/2 + y + x^4/4
)",
     0.05},
    {"a quartic oscillator with a port", R"(
state q = 1, p = 1/2
structure J(q, p) = 1
hamiltonian p^2/2 + q^2/2 + q^4/4
)",
     0.05},
};

constexpr double steps = 40;  // of the run that watches energy and constraints
// Beyond, what is violated is rounding at the usual steps: twice as large ones are taken.
constexpr int high_order = 4;

// Measured from both sides; other rows of verify follow from these (reversible) or are no claims (invariants, drift).
const char* const claimed_properties[] = {"order of q",
                                          "order of v",
                                          "order of the multiplier",
                                          "symplectic",
                                          "symmetric (h, then -h)",
                                          "discrete Lagrange-d'Alembert",
                                          "g = 0",
                                          "g' = 0",
                                          "k = 0",
                                          "energy to rounding"};

std::vector<std::string> measured_methods() {
  std::vector<std::string> names;
  for (const MethodFamily& family : all_families())
    for (const Method& method : sample_methods(family)) names.push_back(method.name);
  return names;
}

class Conformance : public ::testing::TestWithParam<std::string> {};

TEST_P(Conformance, ClaimsHoldAndNoMoreThanTheClaims) {
  const Method method = find_method(GetParam());
  std::map<std::string, std::multiset<Verdict>> verdicts;
  std::string tables;
  for (const Problem& problem : problems) {
    SCOPED_TRACE(problem.name);
    const Model model = model_from_text(problem.text);
    const Equations e = derive(model);
    if (!refusal(method, e).empty()) continue;
    VerifyOptions options;
    options.step = problem.step * (method.claims.order_q > high_order ? 2 : 1);
    options.end = steps * options.step;
    const Verification v = verify(model, e, method, options);
    EXPECT_EQ(v.failure, "");
    EXPECT_FALSE(v.has_false_claim()) << to_text(v);
    for (const Property& p : v.properties) verdicts[p.name].insert(p.verdict);
    tables += std::string(problem.name) + "\n" + to_text(v);
  }
  ASSERT_FALSE(verdicts.empty()) << "no problem for this method: add one";
  for (const char* property : claimed_properties) {
    const std::multiset<Verdict>& seen = verdicts[property];
    const bool better = seen.count(Verdict::holds) > 0 && seen.count(Verdict::does_not_hold) == 0;
    EXPECT_FALSE(better) << property << " is not claimed, and holds everywhere\n" << tables;
    const bool higher = seen.count(Verdict::higher) > 0 && seen.count(Verdict::ok) == 0;
    EXPECT_FALSE(higher) << property << " is higher than claimed everywhere\n" << tables;
  }
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name;
  for (const char c : info.param) {
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') name += c;
    else if (c != ')' && c != ' ') name += '_';
  }
  return name;
}

INSTANTIATE_TEST_SUITE_P(AllFamilies, Conformance, ::testing::ValuesIn(measured_methods()), test_name);

}  // namespace
}  // namespace alembert::internal::testing
