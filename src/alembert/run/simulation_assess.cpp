// What a run that has ended says about itself: warnings.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "alembert/run/simulation.h"

namespace alembert::internal {

namespace {

// Errors above this part of the range of motion are no result: at the end, and in a single step.
constexpr double known_error = 0.1;
constexpr double good_step = 0.02;
// Below this one need not ask how Newton came there.
constexpr double good = 0.01;
// Errors of the energy above this part of the kinetic energy show that steps are too long.
constexpr double good_energy = 0.05;
// An account adds up the errors of all steps, also those that damping has forgotten.
constexpr double good_account = 0.25;
// The same for what is left in the end, against the mean of the kinetic energy: where it is large for a short time
// only.
constexpr double good_energy_in_the_end = 0.1;
// Rates of chaotic motions are not known better from the time of a run, whatever they scatter by.
constexpr double least_uncertainty = 0.02;
// Errors that grow by more than this power of e in a step are not those of a motion that the steps follow.
constexpr double resolved_growth = 0.3;
// A step that is short for the motion is solved in two to five iterations.
constexpr double laborious = 12;

/// "1.1 ± 0.2 units of time until t = 40"; where the mean was not seen or says little, what growth is not faster than.
std::string time_of_growth(const AccuracyProbe::Result& found) {
  const MeanRate& mean = found.mean;
  if (!(mean.rate > 2 * mean.uncertainty)) {
    const double fastest = mean.rate + mean.uncertainty;
    return fmt::format("more than {:.1g} units of time",
                       1 / (fastest > 0 ? std::min(fastest, found.growth) : found.growth));
  }
  const double time = 1 / mean.rate, uncertainty = std::max(mean.uncertainty * time, least_uncertainty) * time;
  const int digits = static_cast<int>(std::ceil(-std::log10(uncertainty)));
  return fmt::format("{:.{}f} ± {:.{}f} units of time until t = {:.3g}", time, std::max(0, digits), uncertainty,
                     std::max(0, digits), mean.until);
}

}  // namespace

// What may be wrong although every step was made.
void Simulation::assess() {
  if (engine_.inconsistent)
    warn("inconsistent",
         engine_.method.name +
             " is inconsistent here: the constraint forces are nonlinear in the multipliers, and the numbers converge "
             "to the "
             "solution of another equation, however short the steps are; choose another method",
         report_.t);
  assess_inputs();
  assess_accuracy();
  assess_energy();
  assess_constraints();
  assess_kinks();
  const double iterations = static_cast<double>(report_.newton.iterations) /
                            static_cast<double>(report_.steps * std::max(1, engine_.step.substeps()));
  const bool accurate = report_.accuracy && report_.accuracy->per_time * std::abs(report_.t - engine_.t0) <= good;
  // Steps that are compared with others, or cut at kinks and made again, have more of them.
  const bool alone = options_.steps.control != Control::tolerance && !segment_ && report_.kinks == 0;
  if (alone && iterations > laborious && !accurate && report_.warnings.empty())
    warn("newton",
         fmt::format("Newton needed {:.0f} iterations a step: the steps may be too long; try a smaller step",
                     iterations),
         report_.t);
}

// Steps end at kinks; the parts of a composition may lie beyond the ends of its step, where time has passed its kinks.
void Simulation::assess_kinks() {
  if (report_.kinks == 0 || !engine_.step.leaves_its_ends() || !engine_.has_kinks_in_time()) return;
  warn("kinks",
       "parts of a step of this method lie beyond its ends, and so beyond the kinks in time at which steps end: behind "
       "them no accuracy is known; take a method whose parts stay inside the step",
       kink_times_.empty() ? report_.t : kink_times_.front());
}

void Simulation::assess_inputs() {
  const auto jump = engine_.inputs.jumped_over(times_, engine_.method.claims.order_q);
  const double near = 2 * std::max(std::abs(options_.step), report_.largest_step);
  // Steps that end where it jumps do not pass over it.
  const auto met = [&](double t) { return std::abs(t - jump->t) <= near; };
  if (!jump || std::any_of(kink_times_.begin(), kink_times_.end(), met)) return;
  warn("input",
       fmt::format("the steps pass over what depends on time: near t = {} it changes within a step by {:.0f} % of its "
                   "range; {}",
                   time_text(jump->t), 100 * jump->share,
                   by_tolerance() ? "limit the steps with `largest`" : "try a smaller step"),
       jump->t);
}

void Simulation::assess_energy() {
  if (segment_ && segment_->rests) return;
  const double most = judge_->energy_error(), last = judge_->final_error();
  if (engine_.work && most <= good_account) return;
  if (engine_.work)
    return warn("energy",
                fmt::format("the energy is not what forces and damping made of it: at t = {} the account was off by "
                            "{:.0f} % of all that was moved in it; {}",
                            time_text(judge_->energy_error_t()), 100 * most, remedy()),
                judge_->energy_error_t());
  if (engine_.impulse) return;  // what it took is told by its own warning
  if (most > good_energy)
    return warn(
        "energy",
        fmt::format("the energy was off by {:.0f} % of the kinetic energy at t = {}, although nothing does work; {}",
                    100 * most, time_text(judge_->energy_error_t()), remedy()),
        judge_->energy_error_t());
  if (last > good_energy_in_the_end)
    warn("energy",
         fmt::format(
             "in the end the energy is off by {:.0f} % of the mean kinetic energy, although nothing does work; {}",
             100 * last, remedy()),
         report_.t);
}

// Where Newton stops at a tolerance, the constraints hold as it lets them.
void Simulation::assess_constraints() {
  const double off = judge_->loosely_held();
  if (off == 0) return;
  warn("newton",
       fmt::format("Newton stops at a tolerance of {:.1g}, so that the constraints hold to {:.1g} only, and not to "
                   "rounding as {} has them; leave the tolerance out",
                   engine_.options.newton.tolerance, off, engine_.method.name),
       report_.t);
}

std::optional<AccuracyProbe::Result> Simulation::accuracy() {
  const std::size_t singular = report_.singular_positions.size();
  if (!twin_) return {};
  std::optional<AccuracyProbe::Result> found =
      probe_ ? probe_->finish(point_, singular, twin_->growth_until(report_.t)) : twin_->finish(point_, singular);
  // A state whose energy is off is off itself.
  if (found) found->at_end = std::max(found->at_end, judge_->least_error());
  if (found) found->accuracy.per_time = std::min(found->at_end, 1.0) / std::abs(report_.t - engine_.t0);
  return found;
}

// An event that sets something is met a little earlier or later than it should be: next to the end that decides whether
// it is met at all.
void Simulation::assess_last_event(const AccuracyProbe::Result& found) {
  constexpr double sure = 10;  // times what is stated
  if (!engine_.events || engine_.e.actions.empty() || !report_.stopped.empty()) return;
  const double unsure = sure * found.at_end * found.moves;
  int number = engine_.events->coming(point_, std::copysign(unsure, options_.end - engine_.t0));
  const bool ahead = number >= 0;
  for (const EventRecord& record : report_.events)
    if (!engine_.model.events[record.event].actions.empty() && std::abs(report_.t - record.t) <= unsure)
      number = record.event;
  if (number < 0) return;
  warn("events",
       fmt::format("the event '{}' lies so near {} the end that the error decides whether it happens in the run: the "
                   "last values may be those of the other side of it; {}, or another end",
                   engine_.model.events[static_cast<std::size_t>(number)].name, ahead ? "behind" : "before", remedy()),
       report_.t);
}

void Simulation::assess_accuracy() {
  const std::optional<AccuracyProbe::Result> found = accuracy();
  if (!found) return;
  report_.accuracy = found->accuracy;
  report_.accuracy->compared = std::min(found->accuracy.compared, report_.steps);  // parts of them count once
  if (segment_ && !segment_->arrived) return;                                      // of the whole run more is known
  if (found->at_end <= known_error && found->accuracy.per_step <= good_step) return assess_last_event(*found);
  // Where the numbers themselves grow, smaller steps are the cure and not a while.
  const double h = by_tolerance() ? 0 : std::abs(options_.step);
  const bool unstable =
      judge_->energy_error() > (engine_.work ? good_account : good_energy) || found->growth * h > resolved_growth;
  if (found->growth > 0 && !unstable && found->accuracy.per_step <= good_step)
    return warn(
        "sensitive",
        fmt::format("the motion is sensitive: errors grow e-fold in {}, so that the end of the run is "
                    "one of many motions, and only what is conserved can be trusted there; {} for a while",
                    time_of_growth(*found),
                    by_tolerance() ? "a smaller `tolerance` helps" : "smaller steps or a method of higher order help"),
        report_.t);
  if (found->rounding > known_error && found->accuracy.per_step <= good_step)
    return warn("rounding",
                "what rounding makes of so many steps is not small against the range of motion; move the origin nearer "
                "to the motion, or measure angles and lengths from where it begins",
                report_.t);
  const std::string size = found->at_end < 1 ? fmt::format("about {:.2g} %", 100 * found->at_end) : "more than 100 %";
  const std::string where = time_text(found->accuracy.worst_t);
  if (by_tolerance())
    return warn("accuracy",
                fmt::format("what the tolerance allows each step may add up: by the end the error may be {} of the "
                            "range of motion (worst near t = {}); ask for a smaller `tolerance`",
                            size, where),
                found->accuracy.worst_t);
  // From an error that large nothing is known of a step that much shorter.
  const bool far = found->better < 1e-3 * std::abs(options_.step);
  const std::string shorter = far ? "a much smaller step" : fmt::format("`step` {:.1g}", found->better);
  warn("accuracy",
       fmt::format("the steps are too long for this motion: by the end the error is {} of the range of motion (worst "
                   "near t = {}); try {}",
                   size, where, shorter),
       found->accuracy.worst_t);
}

}  // namespace alembert::internal
