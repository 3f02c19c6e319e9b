#pragma once

// The rows of a run with contacts: those of its modes, with the columns of the model and those of the contacts.

#include <array>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "alembert/run/contact_mode.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

class ContactSystem;

const char* word_of(ContactState state);

/// What acts at a contact.
struct ContactForces {
  double normal = 0;
  std::array<double, 2> tangential{};
  ContactState state = ContactState::open;
};

class ContactRows final : public Observer {
 public:
  /// All references outlive this.
  ContactRows(const Engine& base, ContactSystem& system, std::vector<Observer*> to);

  bool wanted() const { return !to_.empty(); }
  /// The rows that come are of this mode.
  void follow(const CompiledMode& compiled, const Mode& mode);
  /// Puts multipliers of a state of the mode in the place of others that do the same.
  using Share = std::function<void(double t, std::span<const double> state, std::vector<double>& multipliers)>;
  /// For loads that contacts share in more than one way. Empty: they stay as the motion has them.
  void share_by(Share share) { share_ = std::move(share); }
  /// The rows that come are of the model itself. forces: of a contact, at the state at which the system looks.
  void follow(std::function<ContactForces(int contact)> forces);
  void finish();

  void begin(const Columns& columns, const RunDescription& run) override;
  void row(std::span<const double> values) override;
  /// Negative numbers are contacts: -1 the first.
  void event(int number, std::span<const double> values) override;
  Mark mark() override;
  void go_on(const Columns& columns, const RunDescription& run, std::span<const Mark> marks) override;
  void end() override {}

 private:
  void make(std::span<const double> values);
  RunDescription described(RunDescription run) const;
  void add_contact(int number, std::span<const double> multipliers);
  ContactForces forces_of(int number, std::span<const double> multipliers) const;

  const Engine& base_;
  ContactSystem& system_;
  std::vector<Observer*> to_;
  Columns columns_, given_;
  std::vector<std::string> names_;
  const CompiledMode* compiled_ = nullptr;
  const Mode* mode_ = nullptr;
  std::function<ContactForces(int contact)> forces_;
  Share share_;
  bool begun_ = false;
  std::vector<double> row_, loads_, multipliers_;
};

}  // namespace alembert::internal
