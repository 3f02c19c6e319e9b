#include "alembert/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "alembert/numerics.h"
#include "alembert/output/report_words.h"

namespace alembert::internal {
namespace {

using Values = std::vector<double>;

constexpr std::size_t listed = 6;         // entries of a list that are written out
constexpr std::size_t listed_lines = 12;  // joints, events and invariants, which have lines of their own

/// A few digits, for the eye: errors and residuals.
std::string brief(double value) { return value == 0 ? "0" : fmt::format("{:.2g}", value); }
/// A value that is read, not compared: six digits, and no negative zero.
std::string plain(double value) { return value == 0 ? "0" : fmt::format("{:.6g}", value); }

std::string plural(long count, const std::string& noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

/// "(1.2 ± 3.1)e-12": both with the power of ten of the larger, the uncertainty with two digits.
std::string with_uncertainty(double value, double uncertainty) {
  if (!std::isfinite(value) || !std::isfinite(uncertainty)) return brief(value) + " ± " + brief(uncertainty);
  const double largest = std::max(std::abs(value), uncertainty);
  if (largest == 0) return "0";
  const int exponent = static_cast<int>(std::floor(std::log10(largest)));
  const double unit = std::pow(10.0, exponent);
  const double share = uncertainty / unit;
  const int digits = share > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(share))), 1, 8) : 1;
  return fmt::format("({:.{}f} ± {:.{}f})e{:+03d}", value / unit, digits, share, digits, exponent);
}

/// "a, b, c and 4 more".
std::string shortened(const std::vector<std::string>& parts, const char* between = ", ", std::size_t most = listed) {
  const std::size_t shown = std::min(parts.size(), most);
  std::string text = fmt::format("{}", fmt::join(parts.begin(), parts.begin() + shown, between));
  if (parts.size() > shown) text += fmt::format(" and {} more", parts.size() - shown);
  return text;
}

/// Lines of the form "  topic       what is said", continued below with the same indent.
class Lines {
 public:
  explicit Lines(std::string title) : text_(std::move(title) + "\n") {}
  void add(const std::string& topic, const std::string& said) {
    text_ += fmt::format("  {:<12}", topic);
    for (const char c : said) text_ += c == '\n' ? "\n" + std::string(14, ' ') : std::string(1, c);
    text_ += "\n";
  }
  const std::string& text() const { return text_; }

 private:
  std::string text_;
};

std::string title(const Report& report) {
  const std::string name = report.model.empty() ? "Model without a name" : report.model;
  std::string steps = plural(report.steps, "step") + " of ";
  if (report.control == Control::fixed || report.steps == 0) steps += to_text(report.step);
  else steps += brief(report.smallest_step) + " to " + brief(report.largest_step);
  if (report.ending == Ending::done)
    return fmt::format("{}: {}, {} to t = {}", name, report.method, steps, plain(report.t));
  return fmt::format("{}: {}, {} after {}, at t = {}", name, report.method, word_of(report.ending), steps,
                     to_text(report.t));
}

std::string energy_line(const Report& report) {
  if (!report.has_energy) return "none in this model";
  if (report.account)
    return fmt::format("{} initially, {} finally: supplied {}, dissipated {}; the account is off by {} at most",
                       plain(report.energy.initial), plain(report.energy.final), plain(report.account->supplied),
                       plain(report.account->dissipated), brief(report.account->error));
  std::string said =
      fmt::format("{} initially, max error {}", plain(report.energy.initial), brief(report.energy.max_error));
  if (!std::isfinite(report.drift.per_time) || !std::isfinite(report.drift.uncertainty)) return said;
  said += ", drift " + with_uncertainty(report.drift.per_time, report.drift.uncertainty) + " per time";
  if (report.drift.uncertainty == 0) return said;
  // Two standard errors: what chance exceeds once in twenty runs.
  const bool seen = std::abs(report.drift.per_time) > 2 * report.drift.uncertainty;
  return said + (seen ? ": beyond its uncertainty" : ": none beyond its uncertainty");
}

/// The energies of the components that change most.
std::string component_line(const PortReport& port) {
  constexpr std::size_t most = 4;  // as fit into a line
  std::vector<std::size_t> order(port.energies.size());
  std::iota(order.begin(), order.end(), 0);
  const auto change = [&](std::size_t i) { return std::abs(port.energies[i] - port.first_energies[i]); };
  if (order.size() > most) {
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return change(a) > change(b); });
    order.resize(most);
    std::sort(order.begin(), order.end());
  }
  std::string said = "energy of";
  for (const std::size_t i : order)
    said += fmt::format("{} {} from {} to {}", i == order[0] ? "" : ",", port.components[i],
                        plain(port.first_energies[i]), plain(port.energies[i]));
  if (port.energies.size() > most) said += fmt::format(" and of {} more", port.energies.size() - most);
  return said;
}

std::string balance_line(const EnergyBalance& balance) {
  return fmt::format("stored {} = supplied {} - dissipated {}; largest residual of a step {}", plain(balance.actual),
                     plain(balance.supplied), plain(balance.dissipated), brief(balance.max_residual));
}

std::string predicted_line(const EnergyBalance& balance) {
  return fmt::format("change of energy by the stages {}, actual {}; in one step they differ by {} at most",
                     brief(balance.predicted), brief(balance.actual), brief(balance.max_residual));
}

std::string residual_line(const Report& report) {
  std::vector<std::string> parts, of;
  if (!report.names.holonomic.empty()) {
    parts.push_back("position " + brief(report.position));
    parts.push_back("velocity " + brief(report.velocity));
    of.insert(of.end(), {"g", "g'"});
  }
  if (!report.names.nonholonomic.empty()) {
    parts.push_back((report.port ? "hidden " : "nonholonomic ") + brief(report.nonholonomic));
    of.push_back(report.port ? "the algebraic rows without algebraic states" : "k");
  }
  if (report.has_discrete) {
    parts.push_back("discrete " + brief(report.discrete));
    of.push_back("k in the mean of a step");
  }
  return fmt::format("{}   (largest residual of {} over all steps)", fmt::join(parts, "   "), fmt::join(of, ", "));
}

/// How g' moves where the method does not hold it.
std::string velocity_lines(const Report& report) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < report.velocity_ranges.size() && i < listed; ++i) {
    const Extremes& range = report.velocity_ranges[i];
    parts.push_back(fmt::format("{}: from {:.6g} to {:.6g}", report.names.holonomic[i], range.least, range.most));
  }
  if (report.velocity_ranges.size() > listed)
    parts.push_back(fmt::format("and {} more", report.velocity_ranges.size() - listed));
  return fmt::format("{}", fmt::join(parts, "\n"));
}

std::string invariant_lines(const Report& report) {
  std::vector<std::string> parts;
  const int known = static_cast<int>(report.invariants.size());
  for (const Quantity& quantity : report.names.invariants) {
    double error = 0;
    std::vector<std::string> initial;
    for (int i = quantity.first; i < std::min(quantity.first + quantity.size(), known); ++i) {
      // Not max() alone: a NaN must not be swallowed.
      const double entry = report.invariants[i].max_error;
      error = std::isnan(entry) || std::isnan(error) ? std::nan("") : std::max(error, entry);
      initial.push_back(plain(report.invariants[i].initial));
    }
    const std::string value = quantity.shape.empty() ? shortened(initial) : "(" + shortened(initial) + ")";
    parts.push_back(fmt::format("{}: {} initially, max error {}", quantity.name, value, brief(error)));
  }
  return shortened(parts, "\n", listed_lines);
}

/// "tip: (0.1, 2) finally, from (0, 1) to (0.2, 2)".
std::string observed_lines(const Report& report) {
  std::vector<std::string> parts;
  for (const Quantity& quantity : report.names.observed) {
    std::vector<std::string> final, least, most;
    for (int i = quantity.first; i < quantity.first + quantity.size(); ++i) {
      const ObservedRange& range = report.observed.at(static_cast<std::size_t>(i));
      final.push_back(plain(range.final));
      least.push_back(plain(range.least));
      most.push_back(plain(range.most));
    }
    const auto text = [&](const std::vector<std::string>& list) {
      return quantity.shape.empty() ? list[0] : "(" + shortened(list) + ")";
    };
    const std::string unit = quantity.unit.empty() || quantity.unit == "1" ? "" : " " + quantity.unit;
    parts.push_back(
        fmt::format("{}: {}{} finally, from {} to {}", quantity.name, text(final), unit, text(least), text(most)));
  }
  return shortened(parts, "\n");
}

std::string joint_lines(const Report& report) {
  std::vector<std::string> parts;
  const auto vector = [](const Values& values) {
    std::vector<std::string> numbers;
    for (const double v : values) numbers.push_back(plain(v));
    return numbers.size() == 1 ? numbers[0] : fmt::format("({})", fmt::join(numbers, ", "));
  };
  for (const JointForces& j : report.joints)
    parts.push_back(fmt::format("{} ({}) on {}: force {}, moment {}\nin its own frame: force {}, moment {}", j.name,
                                j.kind, j.body, vector(j.force), vector(j.moment), vector(j.force_in_joint),
                                vector(j.moment_in_joint)));
  return shortened(parts, "\n", listed_lines);
}

/// "floor: 12 impacts, sticks from t = 3, took 9.81; sticking at the end", and what is to be said of some.
std::string contact_lines(const Report& report) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < report.contacts.size(); ++i) {
    const ContactReport& contact = report.contacts[i];
    std::string said = fmt::format("{}: {}, {} dissipated, {} at the end", contact.name,
                                   plural(contact.impacts, "impact"), plain(contact.dissipated), contact.state);
    std::vector<std::string> changes;
    const int number = static_cast<int>(report.names.events.size() - report.contacts.size() + i);
    for (const EventRecord& record : report.events)
      if (record.event == number && record.kind != "impact")
        changes.push_back(record.kind + " at t = " + plain(record.t));
    if (!changes.empty()) said += "\n" + shortened(changes);
    for (const EventRecord& record : report.events)
      if (record.event == number && !record.note.empty()) {
        said += "\nat t = " + plain(record.t) + ": " + record.note;
        break;
      }
    parts.push_back(said);
  }
  return shortened(parts, "\n");
}

std::string event_lines(const Report& report) {
  std::vector<std::string> parts;
  const std::size_t own = report.names.events.size() - report.contacts.size();
  for (std::size_t i = 0; i < own; ++i) {
    std::vector<double> times;
    for (const EventRecord& record : report.events)
      if (record.event == static_cast<int>(i)) times.push_back(record.t);
    std::string said = report.names.events[i] + ": ";
    if (times.empty()) said += "never";
    else if (times.size() == 1) said += "at t = " + to_text(times[0]);
    else said += fmt::format("{} times, from t = {} to {}", times.size(), plain(times.front()), plain(times.back()));
    parts.push_back(said);
  }
  return shortened(parts, "\n", listed_lines);
}

std::string singular_line(const Report& report) {
  const Report::SingularPosition& first = report.singular_positions.front();
  std::string said = "passed before t = " + plain(first.t);
  if (!first.words.empty()) said += " (constraint " + first.words + ")";
  if (report.singular_positions.size() > 1)
    said += fmt::format(" and {} more times", report.singular_positions.size() - 1);
  return said;
}

std::string newton_line(const Report& report) {
  const SolverStatistics& n = report.newton;
  std::string said = fmt::format("{:.1f} iterations a step",
                                 static_cast<double>(n.iterations) / static_cast<double>(std::max(report.steps, 1L)));
  if (n.factorizations > 0) {
    said += ", " + plural(n.factorizations, "factorisation");
    if (!n.factorization_sizes.empty()) {
      std::vector<std::string> sizes;
      for (const int size : n.factorization_sizes) sizes.push_back(fmt::format("{0} x {0}", size));
      said += " of " + shortened(sizes);
    }
  }
  if (report.rejected > 0) said += ", " + plural(report.rejected, "step") + " rejected";
  if (report.kinks > 0) said += ", " + plural(report.kinks, "kink");
  return said;
}

std::string moved_line(const InitialState& initial) {
  std::vector<std::string> moved;
  for (const InitialState::Change& c : initial.changes) moved.push_back(moved_text(c.name, c.from, c.to));
  return "moved onto the constraints: " + shortened(moved);
}

void add_start(Lines& lines, const Report& report) {
  if (!report.reason.empty()) lines.add(word_of(report.ending), report.reason);
  if (!report.initial.changes.empty()) lines.add("initial", moved_line(report.initial));
  if (!report.initial.redundant.empty()) lines.add("redundant", shortened(report.initial.redundant, "\n"));
  if (!report.singular_positions.empty()) lines.add("singular", singular_line(report));
}

/// "1.5e-06 a unit of time, relative to the range of motion (12 of 2000 steps made again in parts)".
std::string accuracy_line(const Report& report) {
  const Accuracy& a = *report.accuracy;
  const std::string said = brief(a.per_time) + " a unit of time, relative to the range of motion ";
  if (!report.contacts.empty()) return said + "(from the run made again with other steps)";
  if (report.control == Control::tolerance)
    return said + "(from the errors of the steps and from what becomes of errors beside the run)";
  return said + fmt::format("({} of {} made again in parts)", a.compared, plural(report.steps, "step"));
}

void add_energy(Lines& lines, const Report& report) {
  lines.add("energy", energy_line(report));
  if (report.port && !report.port->energies.empty()) lines.add("components", component_line(*report.port));
  if (report.balance.parted) lines.add("balance", balance_line(report.balance));
  else if (report.balance.steps > 0) lines.add("predicted", predicted_line(report.balance));
}

void add_watched(Lines& lines, const Report& report) {
  const ReportNames& names = report.names;
  if (!names.holonomic.empty() || !names.nonholonomic.empty()) lines.add("constraints", residual_line(report));
  if (!report.velocity_ranges.empty()) lines.add("g' moves", velocity_lines(report));
  if (!names.invariants.empty()) lines.add("invariants", invariant_lines(report));
  if (!report.observed.empty()) lines.add("observed", observed_lines(report));
  if (!report.joints.empty()) lines.add("joints", joint_lines(report));
  if (!report.contacts.empty()) lines.add("contacts", contact_lines(report));
  if (names.events.size() > report.contacts.size()) lines.add("events", event_lines(report));
}

}  // namespace

std::string moved_text(const std::string& name, double from, double to) {
  constexpr int usual = 6, most = 17;  // digits; 17 tell any two doubles apart
  const auto text = [](double value, int digits) { return value == 0 ? "0" : fmt::format("{:.{}g}", value, digits); };
  int digits = usual;
  while (digits < most && text(from, digits) == text(to, digits)) ++digits;
  // Two more where it was close, so that the size of the move shows.
  if (digits > usual) digits = std::min(digits + 2, most);
  return fmt::format("{} from {} to {}", name, text(from, digits), text(to, digits));
}

}  // namespace alembert::internal

namespace alembert {

int Quantity::size() const { return std::accumulate(shape.begin(), shape.end(), 1, std::multiplies<int>()); }

std::string to_text(const Report& report) {
  internal::Lines lines(internal::title(report));
  internal::add_start(lines, report);
  internal::add_energy(lines, report);
  internal::add_watched(lines, report);
  if (report.accuracy) lines.add("accuracy", internal::accuracy_line(report));
  lines.add("Newton", internal::newton_line(report));
  lines.add("time", fmt::format("{:.2f} s (+ {:.2f} s compiling)", report.run_seconds, report.compile_seconds));
  if (!report.choice.empty()) lines.add("chosen", report.method + ": " + report.choice);
  if (!report.note.empty()) lines.add("note", report.note);
  for (const Warning& warning : report.warnings) lines.add("warning", warning.text);
  return lines.text();
}

}  // namespace alembert
