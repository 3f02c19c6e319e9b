#include "alembert/run/newton_economy.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

namespace {

// Of the size of a step that was too long for a comparison. The next ones are of about this size: without a tenth of
// distance the same failure would be found again and again.
constexpr double wide_part = 0.9;
// Iterations of a step from which on it is too long for Newton, with a matrix at every iterate and with one that is
// kept: beyond, it soon finds nothing any more, and ways that cost ten times as much follow. The first numbers are
// those from which on steps grow no longer.
constexpr double exact_enough = 4, exact_labour = 6, simplified_enough = 15, simplified_labour = 21;
// A step of twice the size is made for comparison in one of eight: it may cost so much more.
constexpr double comparison_labour = 3;
// What follows where Newton labours: steps by so much shorter; later they grow again, little by little.
constexpr double shorter_for_newton = 0.8, longer_again = 1.1;
// Longer steps are tried again after so many stretches, and twice as late where that goes on.
constexpr int fewest_stretches = 4, most_stretches = 64;

}  // namespace

bool NewtonEconomy::too_wide(double h) const { return wide_ > 0 && 2 * std::abs(h) > wide_; }

void NewtonEconomy::lost(double h) { wide_ = 2 * wide_part * std::abs(h); }

double NewtonEconomy::next(double h, double wanted, int count, const NewtonLabour& labour, bool guessed) {
  const bool exact = labour.factorizations >= labour.iterations;
  const double each = static_cast<double>(labour.iterations) / count;
  const double limit = exact ? exact_labour : simplified_labour;
  const bool labours = each > limit || labour.compared > comparison_labour * limit;
  double next = wanted;
  if (wide_ > 0 && count == 2) wide_ *= longer_again;
  if (guessed_ && (labours || labour.unsolved)) {
    longest_ = shorter_for_newton * std::abs(h);
    if (labour.unsolved) longest_ = std::max(shorter_for_newton * std::abs(labour.too_long), std::abs(h));
    again_ = std::clamp(2 * again_, fewest_stretches, most_stretches);
    left_ = again_;
  } else if (longest_ > 0 && --left_ <= 0) {
    longest_ *= longer_again;
    if (longest_ > 2 * std::abs(next)) longest_ = 0;
  }
  guessed_ = guessed;
  const bool enough = each > (exact ? exact_enough : simplified_enough);
  if (enough && std::abs(next) > std::abs(h)) next = h;
  if (longest_ > 0 && std::abs(next) > longest_) next = std::copysign(longest_, next);
  return next;
}

}  // namespace alembert::internal
