#include "alembert/run/contact_rows.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "alembert/base/archive.h"
#include "alembert/run/contact_system.h"
#include "alembert/run/report_names.h"

namespace alembert::internal {

ContactState state_of(const ContactMode& mode) {
  if (!mode.closed) return ContactState::open;
  if (mode.friction.empty()) return ContactState::closed;
  return mode.friction[0].kind == FrictionMode::Kind::sticks ? ContactState::sticking : ContactState::sliding;
}

const char* word_of(ContactState state) {
  switch (state) {
    case ContactState::open: return "open";
    case ContactState::closed: return "closed";
    case ContactState::sliding: return "sliding";
    case ContactState::sticking: return "sticking";
  }
  return "";
}

ContactRows::ContactRows(const Engine& base, ContactSystem& system, std::vector<Observer*> to)
    : base_(base), system_(system), to_(std::move(to)), columns_(columns_with_contacts(base.model, base.e, false)) {
  const int own = make_columns(base.model, base.e, false).count();
  names_.assign(columns_.names.begin() + own, columns_.names.end());
}

void ContactRows::follow(const CompiledMode& compiled, const Mode& mode) {
  compiled_ = &compiled;
  mode_ = &mode;
}

void ContactRows::begin(const Columns& columns, const RunDescription& run) {
  given_ = columns;
  if (std::exchange(begun_, true)) return;
  for (Observer* observer : to_) observer->begin(columns_, described(run));
}

RunDescription ContactRows::described(RunDescription run) const {
  run.observed_columns.insert(run.observed_columns.end(), names_.begin(), names_.end());
  return run;
}

Observer::Mark ContactRows::mark() {
  std::vector<Mark> marks;
  for (Observer* observer : to_)
    if (Mark one = observer->mark(); !one.empty()) marks.push_back(std::move(one));
  ByteWriter out;
  Archive fields(out);
  fields(marks);
  return out.bytes();
}

void ContactRows::go_on(const Columns& columns, const RunDescription& run, std::span<const Mark> marks) {
  given_ = columns;
  begun_ = true;
  std::vector<Mark> own;
  if (!marks.empty()) {
    ByteReader in(marks[0]);
    Archive fields(in);
    fields(own);
    in.finish();
  }
  for (Observer* observer : to_) observer->go_on(columns_, described(run), own);
}

void ContactRows::finish() {
  for (Observer* observer : to_) observer->end();
}

void ContactRows::follow(std::function<ContactForces(int contact)> forces) { forces_ = std::move(forces); }

ContactForces ContactRows::forces_of(int number, std::span<const double> multipliers) const {
  if (forces_) return forces_(number);
  const auto i = static_cast<std::size_t>(number);
  const ContactLayout& contact = system_.contacts()[i];
  const ContactMode& mode = (*mode_)[i];
  ContactForces found;
  found.state = state_of(mode);
  found.normal = compiled_->normal_force(i, multipliers);
  if (system_.loaded(number)) found.normal = loads_[i];
  if (contact.friction.empty()) return found;
  const SlipRows& f = contact.friction[0];
  const int psi = compiled_->friction[i][0];
  double size = 0;
  for (int j = 0; j < f.size; ++j) size = std::hypot(size, system_.rate(f.first + j));
  for (int j = 0; j < f.size; ++j) {
    double& tangential = found.tangential[static_cast<std::size_t>(j)];
    if (psi >= 0) {
      tangential = -multipliers[psi + j];
    } else if (mode.closed) {
      const bool turns = mode.friction[0].kind == FrictionMode::Kind::turns;
      const double direction = !turns     ? mode.friction[0].direction[static_cast<std::size_t>(j)]
                               : size > 0 ? system_.rate(f.first + j) / size
                                          : 0;
      tangential = -system_.coefficient(system_.first_friction(number)) * found.normal * direction;
    }
  }
  return found;
}

void ContactRows::add_contact(int number, std::span<const double> multipliers) {
  const ContactLayout& contact = system_.contacts()[static_cast<std::size_t>(number)];
  const ContactForces forces = forces_of(number, multipliers);
  if (!system_.loaded(number)) row_.push_back(system_.gap(number));
  row_.push_back(forces.normal);
  if (!contact.friction.empty()) {
    const SlipRows& f = contact.friction[0];
    for (int j = 0; j < f.size; ++j) row_.push_back(system_.rate(f.first + j));
    for (int j = 0; j < f.size; ++j) row_.push_back(forces.tangential[static_cast<std::size_t>(j)]);
  }
  row_.push_back(static_cast<double>(forces.state));
}

void ContactRows::make(std::span<const double> values) {
  const auto at = [&](int column) { return values.begin() + column; };
  row_.assign(at(0), at(given_.multipliers.begin));
  const std::span<const double> state = values.subspan(1, base_.e.y.size() + base_.e.z.size());
  multipliers_.assign(at(given_.multipliers.begin), at(given_.multipliers.end));
  if (share_) share_(values[0], state, multipliers_);
  const std::span<const double> multipliers = multipliers_;
  const std::size_t lambdas = forces_ ? base_.e.lambda.size() : compiled_->e.lambda.size();
  const auto psi = multipliers.begin() + static_cast<std::ptrdiff_t>(lambdas);
  std::vector<double> own(multipliers.begin(),
                          multipliers.begin() + static_cast<std::ptrdiff_t>(base_.e.lambda.size()));
  own.insert(own.end(), psi, psi + static_cast<std::ptrdiff_t>(base_.e.psi.size()));
  row_.insert(row_.end(), own.begin(), own.end());
  row_.insert(row_.end(), at(given_.multipliers.end), values.end());
  system_.glance(values[0], state);
  if (system_.any_load()) loads_ = system_.loads(own);
  for (int i = 0; i < static_cast<int>(system_.contacts().size()); ++i) add_contact(i, multipliers);
}

void ContactRows::row(std::span<const double> values) {
  if (to_.empty()) return;
  make(values);
  for (Observer* observer : to_) observer->row(row_);
}

void ContactRows::event(int number, std::span<const double> values) {
  const int own = static_cast<int>(base_.model.events.size());
  if (to_.empty() || number >= own) return;
  make(values);
  for (Observer* observer : to_) observer->event(number < 0 ? own - 1 - number : number, row_);
}

}  // namespace alembert::internal
