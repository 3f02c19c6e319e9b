#include "alembert/methods/shared/composition.h"

#include <algorithm>
#include <cmath>

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/methods/shared/coefficients.h"

namespace alembert::internal {

namespace {

// Newton doubles the 16 digits of the start: two rounds give the 34 of quadruple precision, the others cost nothing.
constexpr int root_rounds = 4;

Quad root(Quad x, int n) {  // x^(1/n) by Newton from the double value
  Quad y = std::pow(static_cast<double>(x), 1.0 / n);
  for (int round = 0; round < root_rounds; ++round) {
    Quad power = 1;
    for (int k = 1; k < n; ++k) power *= y;
    y -= (power * y - x) / (n * power);
  }
  return y;
}

}  // namespace

StepPlan compose(const StepPlan& plan, const std::vector<Quad>& shares) {
  StepPlan result;
  result.parts = plan.parts;
  for (const Quad share : shares)
    for (const StepPlan::Substep& sub : plan.sequence) result.sequence.push_back({sub.part, share * sub.share});
  return result;
}

StepPlan in_a_row(const std::vector<StepPlan>& plans) {
  StepPlan result;
  for (const StepPlan& plan : plans) {
    const int before = static_cast<int>(result.parts.size());
    append(result.parts, plan.parts);
    for (const StepPlan::Substep& sub : plan.sequence)
      result.sequence.push_back({before + sub.part, sub.share / static_cast<Quad>(plans.size())});
  }
  return result;
}

// Shares -------------------------------------------------------------------------------------------------------------

std::vector<Quad> triple_jump_shares(int p) {
  const Quad r = root(2, p + 1);
  const Quad gamma = 1 / (2 - r);
  return {gamma, -r * gamma, gamma};
}

std::vector<Quad> suzuki_shares(int p) {
  const Quad gamma = 1 / (4 - root(4, p + 1));
  return {gamma, gamma, 1 - 4 * gamma, gamma, gamma};
}

namespace {

/// What is left of the conditions of order 6 for a palindrome of nine shares g1 g2 g3 g4 g5 g4 ...: with each step
/// exp(g Y1 + g^3 Y3 + g^5 Y5), the coefficients of Y3, Y5 and [Y1,[Y1,Y3]].
QuadVector order_6_conditions(const std::vector<Quad>& shares) {
  QuadVector left(3, 0);
  Quad before = 0;
  for (const Quad g : shares) {
    const Quad cube = g * g * g;
    left[0] += cube;
    left[1] += cube * g * g;
    left[2] += cube * (before * before / 2 + before * g / 2 + g * g / 6);
    before += g;
  }
  return left;
}

std::vector<Quad> palindrome(const QuadVector& g, Quad g4) {
  const Quad g5 = 1 - 2 * (g[0] + g[1] + g[2] + g4);
  return {g[0], g[1], g[2], g4, g5, g4, g[2], g[1], g[0]};
}

}  // namespace

std::vector<Quad> nine_shares() {
  // Kahan and Li's solution has one free parameter, g4; the others follow by Newton's method from its first digits.
  const Quad g4 = 0.08221359629355080;
  QuadVector g{0.392161444, 0.332599137, -0.706246173};
  // Differences over the root of the precision; nine digits become 34 in two rounds with exact derivatives, and six
  // rounds are enough with these.
  constexpr int rounds = 6;
  const Quad difference = 1e-17;
  for (int round = 0; round < rounds; ++round) {
    const QuadVector left = order_6_conditions(palindrome(g, g4));
    QuadMatrix J(3, QuadVector(3)), right(3, QuadVector(1));
    for (int j = 0; j < 3; ++j) {
      QuadVector moved = g;
      moved[j] += difference;
      const QuadVector there = order_6_conditions(palindrome(moved, g4));
      for (int i = 0; i < 3; ++i) J[i][j] = (there[i] - left[i]) / difference;
    }
    for (int i = 0; i < 3; ++i) right[i][0] = -left[i];
    const QuadMatrix step = solve(J, right);
    for (int i = 0; i < 3; ++i) g[i] += step[i][0];
  }
  return palindrome(g, g4);
}

// Claims and capabilities --------------------------------------------------------------------------------------------

namespace {

std::string first_refusal(const std::vector<Method>& parts, const Equations& e) {
  for (const Method& part : parts) {
    const std::string reason = refusal(part, e);
    if (!reason.empty()) return parts.size() > 1 ? part.name + ": " + reason : reason;
  }
  return "";
}

std::string all_remarks(const std::vector<Method>& parts, const Equations& e) {
  std::vector<std::string> said;
  for (const Method& part : parts) {
    const std::string remark = part.remark ? part.remark(e) : "";
    if (!remark.empty() && std::find(said.begin(), said.end(), remark) == said.end()) said.push_back(remark);
  }
  std::string text;
  for (const std::string& remark : said) text += (text.empty() ? "" : "; ") + remark;
  return text;
}

/// What all parts preserve; the others are lost.
Momenta common_momenta(const std::vector<Method>& parts, const Equations& e, const InitialValues& initial) {
  Momenta common = parts.front().momenta(e, initial);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const Momenta other = parts[i].momenta(e, initial);
    const auto missing = [&](const Momenta::Preserved& one) {
      return std::none_of(other.preserved.begin(), other.preserved.end(),
                          [&](const Momenta::Preserved& its) { return its.name == one.name; });
    };
    std::erase_if(common.preserved, missing);
    for (const std::string& name : other.lost)
      if (std::find(common.lost.begin(), common.lost.end(), name) == common.lost.end()) common.lost.push_back(name);
  }
  return common;
}

}  // namespace

Method composition_of(const std::string& name, const std::vector<Method>& parts) {
  check(!parts.empty(), "a composition has parts");
  const Method& first = parts.front();
  Method method;
  method.name = name;
  method.stages = first.stages;
  method.claims = first.claims;
  method.capabilities = first.capabilities;
  method.capabilities.inclusions = false;  // contacts are followed from outside
  method.massless_reason = first.massless_reason;
  for (const Method& part : parts) {
    if (part.stages != method.stages) method.stages = 0;
    method.claims = intersection(method.claims, part.claims);
    method.capabilities = intersection(method.capabilities, part.capabilities);
    if (first.capabilities.massless && !part.capabilities.massless) method.massless_reason = part.massless_reason;
  }
  method.claims.symmetric = false;
  method.refuses = [parts](const Equations& e) { return first_refusal(parts, e); };
  method.remark = [parts](const Equations& e) { return all_remarks(parts, e); };
  if (std::all_of(parts.begin(), parts.end(), [](const Method& part) { return bool(part.momenta); }))
    method.momenta = [parts](const Equations& e, const InitialValues& initial) {
      return common_momenta(parts, e, initial);
    };
  return method;
}

Method raising_composition(const std::string& name, const Method& M) {
  Method method = composition_of(name, {M});
  method.claims.symmetric = M.claims.symmetric;
  if (M.claims.near_identity) return method;
  method.refuses = [M](const Equations& e) -> std::string {
    std::string why = refusal(M, e);
    if (!why.empty() || (e.g.empty() && e.k.empty())) return why;
    if (e.port)
      return "a step of " + M.name + " holds the constraints in its middle only, and compositions keep its order";
    return "a step of " + M.name +
           " turns velocities across the constraints round, or keeps their error, and compositions of such steps " +
           "keep their order; compose a method that holds the constraints at the grid points, or ask for the order " +
           "where a method has it: energy_momentum(4)";
  };
  return method;
}

Claims raised(Claims claims, int by) {
  const int p = claims.order_q;
  for (int* order : {&claims.order_q, &claims.order_v, &claims.order_multiplier})
    if (*order == p) *order += by;
  return claims;
}

// Families -----------------------------------------------------------------------------------------------------------

Term method_term(const std::string& name) {
  Term term;
  term.form = Term::Form::name;
  term.text = name;
  return term;
}

MethodFamily composed_family(MethodFamily family, std::function<Method(const std::string&, const Method&)> make) {
  family.signature = family.name + "(M)";
  family.composer = true;
  family.example = {method_term("true_euler")};
  family.make = [name = family.name, make = std::move(make)](const std::vector<Term>& arguments) {
    if (arguments.size() != 1) throw InputError("'" + name + "' takes one method", "write " + name + "(lobatto(2))");
    const Method M = find_method(arguments[0]);
    return make(name + "(" + M.name + ")", M);
  };
  return family;
}

namespace {

/// What a palindrome of substeps adds to the order p of M, where the powers p+1 of its shares add up to 0: the leading
/// error goes, and a symmetric method has no next one. For odd p the powers are all positive, and nothing is gained.
int gained_order(const Claims& M) {
  if (M.symmetric) return 2;
  return M.order_q % 2 == 0 ? 1 : 0;
}

}  // namespace

MethodFamily raising_family(MethodFamily family, std::vector<Quad> (*shares)(int order)) {
  family.orders = "p+2 (M symmetric), p+1 (p even), p";
  family = composed_family(std::move(family), [shares](const std::string& name, const Method& M) {
    Method method = raising_composition(name, M);
    method.claims = raised(method.claims, gained_order(M.claims));
    method.step = [shares, M](const Equations& e) { return compose(M.step(e), shares(M.claims.order_q)); };
    return method;
  });
  family.example = {method_term("rattle")};
  return family;
}

}  // namespace alembert::internal
