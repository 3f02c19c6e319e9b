#include "alembert/methods/shared/spark.h"

#include <algorithm>
#include <utility>

#include "alembert/methods/shared/euler.h"

namespace alembert::internal {

bool SparkCoefficients::last_column_zero() const {
  return std::all_of(A_hat.begin(), A_hat.end(), [](const QuadVector& row) { return row.back() == 0; });
}

SparkCoefficients with_lobatto_points(const Tableau& tableau) {
  const int s = static_cast<int>(tableau.b.size());
  const Quadrature points = lobatto_nodes(s + 1);
  SparkCoefficients k;
  k.A = k.A_hat = k.A_prime = tableau.A;
  k.b = k.b_hat = k.b_prime = tableau.b;
  k.c = tableau.c;
  k.c_tilde = points.c;
  k.b_tilde = points.b;
  k.A_bar = integrate_lagrange(tableau.c, points.c);
  k.A_bar.front().assign(s, 0);
  k.A_bar.back() = tableau.b;
  k.A_tilde.assign(s, QuadVector(s + 1));
  for (int i = 0; i < s; ++i)
    for (int j = 0; j <= s; ++j) k.A_tilde[i][j] = k.b_tilde[j] * (1 - k.A_bar[j][i] / k.b[i]);
  return k;
}

SparkCoefficients lobatto_pair(int s, const QuadMatrix& A_prime) {
  const Tableau a = lobatto_iiia(s), b = lobatto_iiib(s);
  SparkCoefficients k;
  k.A = k.A_bar = a.A;
  k.A_hat = k.A_tilde = b.A;
  k.A_name = "Lobatto IIIA";
  k.A_hat_name = "Lobatto IIIB";
  k.A_prime = A_prime;
  k.b = k.b_hat = k.b_prime = k.b_tilde = a.b;
  k.c = k.c_tilde = a.c;
  return k;
}

Claims symplectic_claims(int order) {
  Claims claims;
  claims.set_orders(order);
  claims.symplectic = true;
  claims.symmetric = true;
  return claims;
}

Capabilities spark_capabilities(const SparkCoefficients& k) {
  Capabilities capabilities;
  capabilities.velocity_reactions = false;
  capabilities.contact_points = k.nonholonomic != SparkCoefficients::Nonholonomic::middle;
  if (k.last_column_zero()) capabilities.light_mass = 1;
  return capabilities;
}

std::string spark_tableau(const SparkCoefficients& k) {
  return table_text("c", {k.c}) + table_text("b", {k.b}) + table_text("A (positions)", k.A) +
         table_text("A^ (forces)", k.A_hat) + table_text("A' (nonholonomic reactions)", k.A_prime) +
         table_text("c~ (points of the holonomic constraints)", {k.c_tilde}) +
         table_text("b~ (holonomic reactions)", {k.b_tilde}) + table_text("A~ (holonomic reactions)", k.A_tilde) +
         table_text("A- (positions at c~)", k.A_bar);
}

namespace {

/// The general form with rates alone has nothing for the second tableau: whoever chose a pair should know.
std::string no_pair(const Equations& e, const std::string& A_name) {
  if (e.form != Form::general || !e.z.empty()) return "";
  return "no variable has a reaction or a quantity, so all of them go with one tableau (" + A_name +
         "): this is no partitioned pair, and not symplectic";
}

Method spark_method(std::string name, const SparkCoefficients& k, const Claims& claims,
                    const Capabilities& capabilities) {
  Method method;
  method.name = std::move(name);
  method.stages = k.s();
  method.claims = claims;
  method.capabilities = capabilities;
  if (k.last_column_zero())
    method.massless_reason = "and the last column of " + k.A_hat_name +
                             " is zero, so no force at the end of a step determines it: the matrix of the step is "
                             "singular";
  if (k.A != k.A_hat) method.remark = [name = k.A_name](const Equations& e) { return no_pair(e, name); };
  method.step = [k](const Equations& e) { return spark_step(e, k); };
  method.tableau = [k] { return spark_tableau(k); };
  method.spark = std::make_shared<SparkCoefficients>(k);
  return method;
}

}  // namespace

MethodFamily spark_family(MethodFamily family, std::function<SparkCoefficients(int)> coefficients,
                          std::function<Claims(int)> claims) {
  family.signature = family.name + "(s)";
  family.make = [family, coefficients = std::move(coefficients),
                 claims = std::move(claims)](const std::vector<Term>& arguments) {
    const int s = stages_argument(family, arguments);
    const SparkCoefficients k = coefficients(s);
    return spark_method(family.name + "(" + std::to_string(s) + ")", k, claims(s), spark_capabilities(k));
  };
  return family;
}

MethodFamily losing_orders(MethodFamily family, int lost) {
  family.make = [make = family.make, lost](const std::vector<Term>& arguments) {
    Method method = make(arguments);
    const int claimed = method.claims.order_q, left = claimed - lost;
    method.claims.nonlinear_multiplier = left > 0;
    if (left > 0)
      method.remark = [=, name = method.name](const Equations& e) {
        return nonlinear_reaction(e) ? name + " has order " + std::to_string(left) + " here, not " +
                                           std::to_string(claimed) + ": the reactions are nonlinear in the multipliers"
                                     : "";
      };
    return method;
  };
  return family;
}

MethodFamily single_spark(MethodFamily family, const SparkCoefficients& k, const Claims& claims,
                          const Capabilities& capabilities) {
  family.signature = family.name;
  family.make = [name = family.name, k, claims, capabilities](const std::vector<Term>& arguments) {
    no_arguments(name, arguments);
    return spark_method(name, k, claims, capabilities);
  };
  return family;
}

MethodFamily euler_spark(std::string name, std::string summary, Quad a, Quad a_hat) {
  SparkCoefficients k;
  k.A = {{a}};
  k.c = {a};
  k.A_hat = k.A_prime = {{a_hat}};
  k.b = k.b_hat = k.b_prime = {1};
  k.A_tilde = {{}};
  Claims claims;
  claims.set_orders(1);
  claims.symplectic = true;                   // without k it is the symplectic Euler method
  claims.position = claims.velocity = false;  // refused
  Capabilities capabilities = spark_capabilities(k);
  capabilities.holonomic = false;
  return single_spark(
      {.name = std::move(name), .summary = std::move(summary), .source = "Jay 2009, section 7", .orders = "1"}, k,
      claims, capabilities);
}

}  // namespace alembert::internal
