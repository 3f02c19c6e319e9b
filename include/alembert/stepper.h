#pragma once

// A compiled step that one can hold in the hand: for control loops, real-time use, and whatever is not a plain run.

#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "alembert/equations.h"
#include "alembert/method.h"
#include "alembert/numerics.h"

namespace alembert {

namespace internal {
struct InsideStepper;
}

/// A value that was given and had to be moved for the constraints to hold.
struct MovedValue {
  std::string name;
  double from = 0, to = 0;
};

/// An event that was found. The constraints hold there as at every grid point.
struct EventRecord {
  int event = 0;  // its number in Stepper::event_names() and ReportNames::events
  double t = 0;
  double share = 0;           // of the step that it lies in
  std::vector<double> state;  // y, then z, behind what the event did
  std::vector<double> lambda, psi;
  std::vector<double> v;  // y'
  // Of contacts: impact, close, open, stick, slip, reverse; and what is to be said of it. "" else.
  std::string kind = {}, note = {};
};

struct CompileOptions {
  double start = 0;    // the time at which the motion begins
  double step = 0;     // the usual size of steps, negative for backward in time; 0: what the model says, else 0.01
  double steps = 1e6;  // how many will be made, roughly: that decides how much compiling pays off
  NewtonOptions newton = {};
};

/// A motion, the compiled code that makes it, and where it stands: on the constraints, with its multipliers. Advancing
/// neither throws nor allocates, but for the first steps and those that first ask for another way of Newton's, for
/// models with events, kinks or contacts, which are looked for in every step, and near a singular position of the
/// constraints, where their rank is looked at. A copy shares the code (not that of contacts, which it compiles as it
/// meets them) and goes its own way, in its own thread. One that was moved
/// from makes no step; all else throws InputError but to assign to it.
class Stepper {
 public:
  Stepper(const Stepper& other);
  Stepper(Stepper&&) noexcept;
  Stepper& operator=(Stepper other) noexcept;
  ~Stepper();

  // Advancing ---------------------------------------------------------------------------------------------------------
  /// One step of size h(). False where it has no solution: the state stays, failure() says why. Kinks and jumps of the
  /// model are met as in a run, contacts are followed from impact to impact; events act, and one that stops a run ends
  /// the step where it lies: no step follows.
  [[nodiscard]] bool step() noexcept;
  /// n steps, or as many as there are.
  [[nodiscard]] bool steps(long n) noexcept;
  /// Why the last step failed, in words.
  std::string failure() const;
  /// The events of the last step, in the order of time; their states are those behind what they did.
  std::span<const EventRecord> events() const;
  /// The names that EventRecord::event is the number of.
  const std::vector<std::string>& event_names() const;
  /// The name of the event that has stopped the motion; "" while none has.
  const std::string& stopped() const;

  double t() const;
  double h() const;
  /// The size of the steps from now on; negative: backward in time.
  void set_step(double h);
  long steps_made() const;  // since the start, or the last set_step or set of a state

  // Where it stands ---------------------------------------------------------------------------------------------------
  const std::vector<std::string>& names() const;  // of the entries of state(): "x1", "x1'"
  std::span<const double> state() const;          // y, then z
  /// z', lambda, psi at the present state, from the index-reduced system.
  std::span<const double> accelerations();
  std::span<const double> multipliers();
  /// NaN where the model has no energy.
  double energy();
  /// Largest |g|, |g'| and |k| at the present state.
  double position_residual();
  double velocity_residual();
  double nonholonomic_residual();

  /// The open parameters and inputs, by the order of Equations::inputs(); what is written holds from the next step on.
  std::span<double> parameters();
  std::span<const double> parameters() const;

  /// Any of these by name: a state, an open parameter, "energy", "t", a multiplier ("lambda.rod1", "psi.roll"), what
  /// the model observes ("height", "tip[2]"). Throws InputError for a name that it does not know.
  double value(const std::string& name);
  /// Sets an open parameter, or an entry of the state: then the other entries move the shortest way, in the mass
  /// metric, so that the constraints hold. Throws InputError where the name is unknown or no such state exists.
  void set(const std::string& name, double value);
  /// Several at once.
  void set(const std::map<std::string, double>& values);
  /// The whole state, in the order of names(): all of it moves the shortest way, in the mass metric, onto the
  /// constraints. One that is there already stays as it is given.
  void set_state(std::span<const double> state);

  // Starting again ----------------------------------------------------------------------------------------------------
  /// From the model's initial values, with these in their place and in that of open parameters; all others become the
  /// model's again. Compiles anew only where other code is needed (constraints that become redundant, masses that
  /// vanish: those parameters then stay as they are until the next restart). Returns what had to be moved by more than
  /// rounding, as InitialState::changes of a run's report.
  std::vector<MovedValue> restart(const std::map<std::string, double>& values = {});

  /// Everything that the next steps depend on. Loaded into a stepper that was compiled from the same model with the
  /// same parameters, inputs, method and options, in any process of the same program on the same kind of machine, it
  /// goes on with the same bits.
  std::vector<std::byte> save() const;
  /// Throws InputError where the bytes are damaged or not those of such a stepper; this one is as it was then.
  void load(std::span<const std::byte> bytes);

  const Equations& equations() const;
  const Method& method() const;
  double compile_seconds() const;

 private:
  friend struct internal::InsideStepper;
  struct Body;
  Body& body() const;  // throws where there is none
  friend Stepper compile(const Method& method, const Equations& equations, const CompileOptions& options);
  explicit Stepper(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

/// Compiles the step of a method for these equations and finds a consistent start. Throws InputError where the method
/// does not take them, or no start exists.
Stepper compile(const Method& method, const Equations& equations, const CompileOptions& options = {});

}  // namespace alembert
