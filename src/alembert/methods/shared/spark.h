#pragma once

// The (s,s)-SPARK step (Jay 2009) for the general system, shared by all families that differ in coefficients only.

#include "alembert/derive/equations.h"
#include "alembert/methods/method.h"
#include "alembert/methods/shared/coefficients.h"
#include "alembert/methods/shared/frame.h"

namespace alembert::internal {

/// Coefficients as in Jay 2009: Y with A, f with A_hat, N with A_prime, r with A_tilde; the holonomic constraints are
/// taken at Y~_i, i = 0..m, with A_bar (row 0 is zero, row m is b).
struct SparkCoefficients {
  /// Where k = 0 is asked for: weighted over the stages and at the end (SPARK); weighted replaced by the middle
  /// k(t0 + h/2, y0 + h/2 Z_1, Z_1); at each stage and not at the end (the standard way, which loses k).
  enum class Nonholonomic { weighted, middle, stages };
  Nonholonomic nonholonomic = Nonholonomic::weighted;
  QuadMatrix A, A_hat, A_prime;           // s x s
  QuadMatrix A_bar;                       // (m+1) x s
  QuadMatrix A_tilde;                     // s x (m+1)
  QuadVector b, b_hat, b_prime, b_tilde;  // b_tilde: m+1
  QuadVector c, c_tilde;
  std::string A_name = "A";       // for messages: "Lobatto IIIA"
  std::string A_hat_name = "A^";  // for messages: "Lobatto IIIB"
  int s() const { return static_cast<int>(b.size()); }
  int m() const { return static_cast<int>(b_tilde.size()) - 1; }
  /// Whether no force at the last stage enters the momenta of the stages.
  bool last_column_zero() const;
};

/// One tableau for y, f and N, with the s+1 Lobatto points for the holonomic constraints and the symplectic choice
/// a~_ij = b~_j (1 - a-bar_ji / b_i).
SparkCoefficients with_lobatto_points(const Tableau& tableau);
/// Lobatto IIIA for y, IIIB for f and r; N with A_prime.
SparkCoefficients lobatto_pair(int s, const QuadMatrix& A_prime);

StepPlan spark_step(const Equations& equations, const SparkCoefficients& coefficients);
/// The constant transformation that splits the stages of a method whose constraints stand at Lobatto points
/// (docs/references.md); without what belongs to a model.
StageStructure stage_transformation(const SparkCoefficients& coefficients);
std::string spark_tableau(const SparkCoefficients& coefficients);

/// The claims of a symmetric, symplectic method of this order.
Claims symplectic_claims(int order);
/// What a SPARK step with these coefficients takes: no reactions r that depend on z.
Capabilities spark_capabilities(const SparkCoefficients& coefficients);

/// A family NAME(s): the given one with signature and members. It has its texts and numbers of stages already.
MethodFamily spark_family(MethodFamily family, std::function<SparkCoefficients(int)> coefficients,
                          std::function<Claims(int)> claims);
/// The same family, whose members say that they lose orders where reactions are nonlinear in their multipliers: they
/// converge no more where none is left. A multiplier at one point makes up for what the stages do there; that vanishes
/// in the sums of a step, but in nothing that is not linear.
MethodFamily losing_orders(MethodFamily family, int lost);
/// A family of one member without arguments.
MethodFamily single_spark(MethodFamily family, const SparkCoefficients& coefficients, const Claims& claims,
                          const Capabilities& capabilities);
/// One stage with A = c = a, A^ = A' = a_hat, no holonomic constraints.
MethodFamily euler_spark(std::string name, std::string summary, Quad a, Quad a_hat);

}  // namespace alembert::internal
