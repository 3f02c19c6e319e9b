#include "alembert/run/step_maker.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace alembert::internal {

namespace {

/// Without the checks of assign(): once a step.
void copy_list(const std::vector<double>& from, std::vector<double>& to) {
  if (to.size() != from.size()) to.resize(from.size());
  std::copy(from.begin(), from.end(), to.begin());
}

void take(const Step<double>& step, GridPoint& to) {
  copy_list(step.carried(), to.carried);
  to.energy_change = step.energy_change();
  to.discrete = step.discrete();
  to.energy_parts = step.energy_parts();
  copy_list(step.work(), to.work);
  copy_list(step.contacts(), to.contacts);
}

}  // namespace

/// Makes a step again that ended at a singular position of the constraints, in the way that suits it. The rounding of
/// the first attempt is magnified there, a little in its positions and much in its velocities: the second counts where
/// it ends at the same position and changes the velocities no more.
void StepMaker::end_singular(Step<double>& step, const GridPoint& from, double h, GridPoint& to) const {
  constexpr double same = 1e-6;  // far above rounding, far below any motion in a step
  GridPoint other = from;
  step.carry_on(from.carried);
  const StepResult result = step.again_singular(from.t, h, other.state.data(), other.compensation.data());
  double size = 0, moved = 0, change = 0, change_before = 0, speed = 0;
  for (std::size_t i = 0; i < to.state.size(); ++i) {
    if (i < positions_) {
      size = std::max(size, std::abs(to.state[i]));
      moved = std::max(moved, std::abs(other.state[i] - to.state[i]));
    } else {
      speed = std::max(speed, std::abs(from.state[i]));
      change = std::max(change, std::abs(other.state[i] - from.state[i]));
      change_before = std::max(change_before, std::abs(to.state[i] - from.state[i]));
    }
  }
  const bool better = result.newton.outcome == Outcome::converged && result.newton.singular_position &&
                      moved <= same * size && change <= 2 * change_before + same * speed;
  if (!better) return step.carry_on(to.carried);
  other.t = to.t;
  take(step, other);
  to = std::move(other);
}

bool StepMaker::make(Step<double>& step, const GridPoint& from, double h, double t_end, GridPoint& to) {
  copy_list(from.state, to.state);
  copy_list(from.compensation, to.compensation);
  to.t = t_end;
  step.carry_on(from.carried);
  const StepResult result = step.advance(from.t, h, to.state.data(), to.compensation.data());
  take(step, to);
  to.prediction_error = result.newton.first_correction;
  if (result.newton.outcome == Outcome::converged) {
    if (ends_singular_ && ends_singular_(t_end, to.state)) end_singular(step, from, h, to);
    return true;
  }
  // At a singular position itself no other way leads there. What is found must be one.
  if (ends_singular_ && result.newton.outcome != Outcome::not_finite) {
    step.carry_on(from.carried);
    const StepResult singular = step.again_singular(from.t, h, to.state.data(), to.compensation.data());
    take(step, to);
    if (singular.newton.outcome == Outcome::converged && singular.newton.singular_position &&
        ends_singular_(t_end, to.state))
      return true;
  }
  failed.result = result;
  failed.t = from.t;
  failed.h = h;
  failed.state.assign(from.state.begin(), from.state.end());
  return false;
}

}  // namespace alembert::internal
