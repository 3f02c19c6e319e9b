#pragma once

// Consistent initial values: the point on the constraints that is nearest to what the user gave, in the mass metric.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/model/model.h"
#include "alembert/start/start_values.h"

namespace alembert::internal {

class AccelerationSystem;  // start/accelerations.h

struct InitialValues {
  std::vector<double> y, z;                // consistent on both levels
  std::vector<double> z_dot, lambda, psi;  // from the index-reduced system there
  struct Change {
    std::string name;
    double from, to;
  };
  std::vector<Change> changes;         // what had to be moved (by more than rounding); empty when all was consistent
  std::vector<std::string> redundant;  // "rod5 follows from rod1, rod2, rod4"
  std::vector<int> redundant_constraints;  // their numbers in Model::constraints
  std::vector<int> redundant_rows;         // their numbers in g, then k
  std::optional<int> index;                // of the equations, found out where masses vanish
  std::vector<std::string> hidden;         // algebraic equations that vanishing masses leave: "motion of x2'"
  bool singular_position = false;          // they are redundant at the start only
  std::vector<int> powerless;              // of them: those whose gradient vanishes
  double position_residual = 0, velocity_residual = 0, nonholonomic_residual = 0;  // of the values as given
};

/// Differentiates and makes kernels once, then finds consistent values for any number of given ones, times and
/// parameters. It has copies of the model and the equations. solve() changes nothing and touches no expression unless
/// it fails, so that threads may share one; threads with parameters of their own take copies, which share the code.
class ConsistentStart {
 public:
  /// The equations are those of the model.
  ConsistentStart(const Model& model, const Equations& equations);
  ConsistentStart(const ConsistentStart& other);
  ConsistentStart(ConsistentStart&&) noexcept;
  ConsistentStart& operator=(ConsistentStart other) noexcept;
  ~ConsistentStart();

  /// Throws InputError when the constraints contradict each other (with their names), when pinned values leave no
  /// solution, when the mass matrix is singular, or when something is not finite at the start (with what).
  InitialValues solve(double t0, const StartValues& given) const;

  /// Those that the model gives, as they are with the parameters that are bound; what nobody gave is 0.
  StartValues given_by_model() const;

  /// From now on parameters are read from this table, which must outlive the object; null: their usual values.
  void bind(const double* parameters);

  /// What z' and the multipliers are found by. A copy of it shares the code.
  const AccelerationSystem& accelerations() const;

 private:
  struct Body;
  std::unique_ptr<Body> body_;
};

struct InitialOptions {
  double t0 = 0;
};

/// ConsistentStart used once, with the values that the model gives.
InitialValues make_consistent(const Model& model, const Equations& equations, InitialOptions options = {});

}  // namespace alembert::internal
