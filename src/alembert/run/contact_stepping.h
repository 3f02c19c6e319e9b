#pragma once

// A run with contacts by a method whose steps contain their laws: no event is looked for, any number of contacts may
// change in a step, and accumulating impacts are passed. What contacts do is taken from the steps into the books.

#include <memory>
#include <vector>

#include "alembert/run/contact_changes.h"
#include "alembert/run/contact_rows.h"
#include "alembert/run/segment.h"
#include "alembert/run/simulate.h"

namespace alembert::internal {

class ContactSystem;

class ContactStepping {
 public:
  /// options have been checked. The engine outlives this. Throws InputError where contacts or options are not for such
  /// methods.
  ContactStepping(Engine& engine, const SimulateOptions& options);
  ~ContactStepping();
  Report run();

 private:
  void archive(Archive& fields);
  void take(const GridPoint& from, const GridPoint& to);
  ContactForces forces(int contact) const;
  ContactState state_now(int contact) const;
  void measure_rates(const GridPoint& start);
  void check_law(int contact, const GridPoint& at);
  void announce(int contact, ContactState before, double approach, const GridPoint& to);
  void warn(const char* code, std::string text);
  void add_event(int contact, const char* kind, const GridPoint& to);

  Engine& engine_;
  const SimulateOptions& options_;
  std::unique_ptr<ContactSystem> system_;
  ContactRows rows_;
  Report report_;
  Segment segment_;
  ContactChanges changes_;
  std::vector<ContactState> state_;
  std::vector<int> first_;      // of each contact in what steps tell
  std::vector<double> values_;  // of the last step
  double h_ = 0;                // of the last step; 0 before the first
  std::vector<char> touched_;   // at the start
  std::vector<double> least_rate_;
  double impacts_ = 0, dissipated_ = 0, supplied_ = 0;
  bool changed_ = false;     // a contact has changed its state
  std::vector<double> cut_;  // a state
};

}  // namespace alembert::internal
