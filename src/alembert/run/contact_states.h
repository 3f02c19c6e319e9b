#pragma once

// The contacts of a motion whose steps contain their laws: what each step tells of them, the states that they are in,
// and the changes of these.

#include <memory>
#include <vector>

#include "alembert/run/contact_rows.h"
#include "alembert/run/engine.h"

namespace alembert::internal {

class ContactSystem;

class ContactStates {
 public:
  struct Change {
    int contact = 0;
    const char* kind = "";
  };

  /// step: the usual one. The engine outlives this.
  ContactStates(Engine& engine, double step);
  ~ContactStates();

  /// A motion begins here.
  void begin(const GridPoint& start);
  /// The step between these points was made; the changes of contacts in it, in the order of the text.
  const std::vector<Change>& take(const GridPoint& from, const GridPoint& to);

  int count() const { return static_cast<int>(state_.size()); }
  ContactState state(int contact) const { return state_[static_cast<std::size_t>(contact)]; }
  /// What the last step told (ContactValues).
  const double* told(int contact) const { return values_.data() + first_[static_cast<std::size_t>(contact)]; }
  /// Whether there was an impact in it.
  bool met(int contact) const { return met_[static_cast<std::size_t>(contact)] != 0; }
  /// Impulses of the last step over its length.
  ContactForces forces(int contact) const;
  /// At the end of the last step.
  ContactSystem& system() { return *system_; }

  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  ContactState state_now(int contact) const;
  void measure_rates(const GridPoint& start);
  void note(int contact, ContactState before);
  void tell_observed();

  Engine& engine_;
  const double step_;
  std::unique_ptr<ContactSystem> system_;
  std::vector<ContactState> state_;
  std::vector<int> first_;      // of each contact in what steps tell
  std::vector<double> values_;  // of the last step
  double h_ = 0;                // of the last step; 0 before the first
  std::vector<char> touched_;   // at the start
  std::vector<char> met_;
  std::vector<double> least_rate_;
  std::vector<Change> changes_;
  std::vector<double> cut_;  // a state
};

}  // namespace alembert::internal
