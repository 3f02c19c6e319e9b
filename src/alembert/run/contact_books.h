#pragma once

// The books of a run with contacts: the reports of its segments made into one, the energy with what impacts and
// friction took.

#include <string>
#include <vector>

#include "alembert/report.h"
#include "alembert/run/engine.h"

namespace alembert::internal {

class ContactBooks {
 public:
  /// report: names and description of the whole run. moves: contacts move by themselves, and supply what they do.
  ContactBooks(const Engine& base, Report report, bool moves);

  /// The energy with which the run begins, before any impact.
  void begin(double energy);
  /// A segment has ended. meter: of the work done in it; null where none is.
  void add(const Report& part, const std::vector<int>& sliding, const WorkMeter* meter, bool conserves);
  /// An impact: what it took at a contact, and what moving surfaces supplied.
  void impact(int contact, double lost, double supplied);
  /// What was set at an event has changed the energy.
  void set(double jump);
  void count(int contact) { ++report_.contacts[static_cast<std::size_t>(contact)].impacts; }

  /// The contact whose friction has added energy, beyond what the account can be off by; -1 where none has.
  int creating() const;

  /// What the account does not explain in the end, relative to all that was moved in it.
  double unexplained() const;

  /// Whether the accuracy of another segment is to be looked at.
  bool asks_for_accuracy() const;

  /// What the whole run is off by, relative to the range of motion.
  void put_error(double error);

  void archive(Archive& fields);

  Report& report() { return report_; }
  /// The report of the whole.
  Report finished();

 private:
  void add_energy(const Report& part, const std::vector<int>& sliding, const WorkMeter* meter, bool conserves);
  void rub(int contact, double taken);
  void add_watched(const Report& part);
  void add_accuracy(const Report& part);

  const Engine& base_;
  Report report_;
  bool moves_;
  EnergyAccount account_;
  double most_ = 0, least_ = 0;  // power that was supplied
  std::vector<double> rubbed_;   // what friction took at each contact while it slid
  double off_ = 0;               // what the account does not explain, with its sign
  double last_ = 0;              // energy at the end of the last segment
  bool first_ = true;
  int known_ = 0;  // segments whose steps were compared
};

}  // namespace alembert::internal
