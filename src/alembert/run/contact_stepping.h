#pragma once

// A run with contacts by a method whose steps contain their laws: no event is looked for, any number of contacts may
// change in a step, and accumulating impacts are passed. What contacts do is taken from the steps into the books. How
// accurate the run is another one tells, with other steps.

#include "alembert/run/contact_changes.h"
#include "alembert/run/contact_rows.h"
#include "alembert/run/contact_states.h"
#include "alembert/run/contact_track.h"
#include "alembert/run/segment.h"
#include "alembert/run/simulate.h"

namespace alembert::internal {

class ContactStepping {
 public:
  /// options have been checked. The engine outlives this. Throws InputError where contacts or options are not for such
  /// methods.
  ContactStepping(Engine& engine, const SimulateOptions& options);
  Report run();

 private:
  void archive(Archive& fields);
  void take(const GridPoint& from, const GridPoint& to);
  void check_law(int contact, const GridPoint& at);
  void warn(const char* code, std::string text);
  void follow();
  void close();
  void warn_at_end();
  void assess();
  bool accompany(double ratio);
  double size_of_error(double apart, double ratio) const;
  std::vector<double> end_seen_at(double t) const;
  void add_event(int contact, const char* kind, const GridPoint& to);

  Engine& engine_;
  const SimulateOptions& options_;
  ContactStates contacts_;
  ContactRows rows_;
  Report report_;
  Segment segment_;
  ContactChanges changes_;
  ContactTrack track_;
  TrackComparison* beside_ = nullptr;      // with the run that this one goes beside, if any
  bool pushes_ = false, changed_ = false;  // some contact has
  double impacts_ = 0, dissipated_ = 0, supplied_ = 0;
};

}  // namespace alembert::internal
