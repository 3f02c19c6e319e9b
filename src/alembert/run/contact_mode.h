#pragma once

// Which contacts are closed, which of them slip and which stick: for each such mode a model of its own, with bilateral
// constraints in place of what is closed and friction as a force, and events where the mode ends.

#include <array>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "alembert/run/engine.h"

namespace alembert::internal {

struct FrictionMode {
  enum class Kind { sticks, slips, turns };  // slips in the direction below; turns: in the direction of its slip
  Kind kind = Kind::sticks;
  std::array<double, 2> direction{};
  bool plane = false;  // its slip has two entries
};

struct ContactMode {
  bool closed = false;
  bool touches = false;  // not closed, but at rest at the surface
  // Its load is shared with others in more than one way: whether forces and bounds allow it is looked at for all of
  // them together, beside the mode.
  bool shared = false;
  // It shares its load with one that slides, so that the motion depends on how: as between springs of the same
  // stiffness, and those that would pull leave it to the others.
  bool decides = false;
  // Then its normal force may follow from those of others: their numbers, and how many times theirs are part of it.
  std::vector<std::pair<int, double>> by_others;
  std::vector<FrictionMode> friction;

  template <class A>
  void archive(A& fields) {
    fields(closed, touches, shared, decides, by_others, friction);
  }
};
using Mode = std::vector<ContactMode>;

/// Whether what a contact bears is asked of the mode itself, in events.
inline bool bears_alone(const ContactMode& mode) { return !mode.shared || mode.decides; }

/// Whether something is closed, or touches: then kinks are for the laws of contact.
bool keeps_contact(const Mode& mode);

/// open, closed, sliding, sticking: in columns the numbers 0 to 3.
enum class ContactState { open, closed, sliding, sticking };
ContactState state_of(const ContactMode& mode);

/// Where a mode ends.
struct ModeEvent {
  enum class Kind { gap, force, slip, bound };  // becomes 0, or the friction reaches its bound
  Kind kind = Kind::gap;
  int contact = 0, friction = 0;
};

/// The model of a mode. Its constraints and events begin with those of the model.
struct ModeModel {
  Model model;
  std::vector<ModeEvent> events;
  // Parameters of its own: how loads are shared, and the directions of slips in space that keep them.
  std::vector<std::string> numbers;
};
/// gap_slack: for every contact the penetration that a contact which only touches may have. rates: where slip turns,
/// the rate of the gap is constrained in place of the gap: reactions of such a constraint may depend on velocities with
/// every method.
ModeModel mode_model(const Model& model, const Mode& mode, const std::vector<double>& gap_slack, bool rates);
/// Where a motion of a model begins.
void start_at(Model& model, std::span<const double> state);

/// For what a mode was compiled: its code is the same where these are.
struct ModeOrigin {
  Mode mode;
  double t = 0;
  std::vector<double> state, parameters;
  double acceleration = 0;  // the largest that was known

  template <class A>
  void archive(A& fields) {
    fields(mode, t, state, parameters, acceleration);
  }
};

/// What was compiled for a mode.
struct CompiledMode {
  CompiledMode(ModeOrigin from, ModeModel made, Equations equations, const Method& method, const EngineOptions& options)
      : origin(std::move(from)),
        model(std::move(made)),
        e(std::move(equations)),
        engine(model.model, e, method, options) {}
  ModeOrigin origin;
  ModeModel model;
  Equations e;
  Engine engine;
  /// Of a contact that is closed and has no load, where the multipliers begin here.
  double normal_force(std::size_t contact, std::span<const double> multipliers) const;
  /// Where the multipliers stand in lambda, then psi: -1 where there is none.
  std::vector<int> normal;                                  // of each contact
  std::vector<std::vector<std::pair<int, double>>> shares;  // what is part of its normal force of those of others
  std::vector<std::vector<int>> friction;                   // the first of each friction of each contact
};

class ContactModes {
 public:
  /// All references outlive this. Throws InputError where the method cannot take what contacts ask of it.
  ContactModes(const Model& model, const Equations& e, const Method& method, const EngineOptions& options);
  /// The largest acceleration seen so far: what at rest stays 0 in a step is measured by what it would change.
  double acceleration = 0;
  /// The mode, beginning at a state; compiled where it is new.
  CompiledMode& at(const Mode& mode, const std::vector<double>& gap_slack, double t, std::span<const double> state,
                   const std::vector<double>& parameters);
  /// All modes, which are compiled again where they are read.
  void archive(Archive& fields, const std::vector<double>& gap_slack);

 private:
  std::unique_ptr<CompiledMode> compiled(ModeOrigin origin, const std::vector<double>& gap_slack);

  const Model& model_;
  const Equations& e_;
  const Method& method_;
  EngineOptions options_;
  DeriveOptions derive_;
  bool rates_;
  std::map<std::string, std::unique_ptr<CompiledMode>> known_;
};

/// Modes are shared by runs of which not all ask for rows between steps: so many are asked for now.
void prepare_samples(Engine& engine, double count);

/// A motion of a mode begins.
void begin(Engine& engine, double t, std::span<const double> state);

/// Why a method cannot follow contacts that are closed, slide or stick; "" where it can.
std::string contact_refusal(const Model& model, const Method& method, const DeriveOptions& options = {});

/// The gaps at a state where a motion begins. Throws InputError, with depths and names, where that is inside contacts.
std::vector<double> gaps_at(const Model& model, const Equations& e, double t, std::span<const double> state);

/// For what makes models or equations of one that several threads read.
class ModelLock {
 public:
  ModelLock();
  ~ModelLock();
  ModelLock(const ModelLock&) = delete;
  ModelLock& operator=(const ModelLock&) = delete;
};

}  // namespace alembert::internal
