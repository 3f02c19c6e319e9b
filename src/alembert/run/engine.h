#pragma once

// Everything that is compiled for a model and a method, with its working memory: the step, what is watched, the
// multipliers, the motion between grid points, events. Made once for any number of motions: a copy shares the code and
// has a memory, parameters and initial values of its own.

#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "alembert/base/archive.h"
#include "alembert/methods/method.h"
#include "alembert/model/model.h"
#include "alembert/run/density.h"
#include "alembert/run/events.h"
#include "alembert/run/failure.h"
#include "alembert/run/motion.h"
#include "alembert/run/observed.h"
#include "alembert/run/rank_watch.h"
#include "alembert/run/step_maker.h"
#include "alembert/run/time_input.h"
#include "alembert/run/work_meter.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

struct EngineOptions {
  double t0 = 0;
  double step = 0.01;  // of the size that will be made: pivots are chosen for it
  // How often things will be asked for, as far as one knows; that decides how much compiling pays off.
  double steps = 1e9;
  double rows = 0;          // with multipliers, at grid points
  double samples = 0;       // between grid points
  bool reversible = false;  // steps that follow the density of the model
  bool at_once = false;     // steps of one size that are made many at a time, where that pays
  bool dirac = false;       // flows and efforts of a port-Hamiltonian system too
  NewtonOptions newton;
};

/// Values by name, as a user gives them: parameters, inputs, initial values ("m2", "F", "x1", "x1'").
using NamedValues = std::map<std::string, double>;

class StepKernel;

class Engine {
 public:
  /// model and equations outlive the engine and its copies. Throws InputError where the method refuses the model, or
  /// the model has no consistent start.
  Engine(const Model& model, const Equations& equations, const Method& method, const EngineOptions& options);
  /// For another motion, from the same start with the same parameters.
  Engine(const Engine& other);
  Engine& operator=(const Engine&) = delete;

  /// Another motion, with these values in place of the model's; t0 as compiled. Throws InputError for unknown names and
  /// where there is no consistent start. False where the values ask for other code than was compiled (constraints that
  /// are redundant now and were not, masses that vanish): then the engine must not be used.
  [[nodiscard]] bool begin(const NamedValues& values);
  /// The motion begins at this point, which is on the constraints, on a grid of steps that begins at grid_start.
  void begin_at(const GridPoint& point, double grid_start);
  std::vector<long> events_before;  // of each event, where the motion began earlier; empty: none
  /// Sets open parameters and entries of the state at a point; where the constraints need it, the other entries move
  /// the shortest way in the mass metric. Whether the state moved. Throws InputError for unknown names, and where there
  /// is no such state.
  bool set(const NamedValues& values, GridPoint& point);
  /// The whole state at a point, y then z; no entry is held while they move onto the constraints.
  void set_state(std::span<const double> state, GridPoint& point) const;
  /// All open parameters as the model has them.
  void reset_parameters();
  /// Another one whose motion begins with these values in place of the model's: with the same code, or compiled anew
  /// where they have no start in it or ask for other code. Throws InputError where there is no consistent start.
  std::unique_ptr<Engine> begun(const NamedValues& values) const;
  /// Makes what a run with these options needs beyond what there is: the motion between grid points, the density.
  void prepare(const EngineOptions& asked);

  // What it was made for.
  const Model& model;
  const Equations& e;
  const Method method;
  const EngineOptions asked;    // as they were given
  const EngineOptions options;  // with the linear solver that redundant constraints ask for

  double t0;                // where the motion begins
  double grid_start;        // of fixed steps; the motion may begin behind it
  const bool conservative;  // nothing does work

 private:
  std::vector<double> table_;  // of what compiled code reads

 public:
  /// The open parameters in it, in the order of Equations::parameters. May be written at any time.
  std::span<double> parameters;
  /// Those that say on which sides of kinks a step is (sides.h); whoever looks for kinks sets them.
  std::span<double> sides;

  InitialValues initial;
  GridPoint point() const;  // where a motion begins

  Step<double> step;
  Watch watch;
  RankWatch rank;
  Multipliers multipliers;
  Motion motion;
  ObservedValues observed;
  std::optional<PortValues> ports;
  std::optional<DenseOutput> dense;
  std::optional<EventWatch> events;
  std::optional<ZeroSearch> kinks;  // of the equations; empty where they have none
  std::optional<DensityRate> density;
  FailureAnalysis failure;
  LightMasses light;
  JointReactions joints;
  TimeInputs inputs;
  std::optional<WorkMeter> work;  // where something does work
  StepMaker maker;
  std::shared_ptr<const StepKernel> kernel;  // the step as one function; null where there is none

  /// Everything in it that the next steps of a run depend on, and what a report says of those before.
  void archive(Archive& fields);

  /// What a user must know of the method on this model; "" where there is nothing.
  std::string remark;
  /// The numbers converge to the solution of another equation.
  bool inconsistent = false;
  /// The values of all the model's parameters, in the order of Model::parameter_symbols.
  std::vector<double> model_parameters() const;

  /// When the velocities last jumped because a constraint has a kink; nothing where they never did.
  std::optional<double> impulse;
  double impulse_energy = 0;  // what such jumps have added since someone looked
  // When the constraints themselves jumped, and by how much: no motion follows them there.
  std::optional<std::pair<double, double>> torn;
  /// Whether time alone passes kinks.
  bool has_kinks_in_time() const { return kinks_in_time_; }
  /// A time less than rounding away, before which a kink in time lies that may stand at t.
  double behind(double t) const;
  /// The same for a point from which the motion goes on, in a kink of any kind perhaps.
  GridPoint behind(const GridPoint& point);
  /// What velocities change by in a step of the usual size from where one failed, at most.
  double moves(const FailedStep& failed);
  /// The dense output speaks of the step between these points, where there is one.
  void begin_dense(const GridPoint& from, const GridPoint& to);

  /// Whether the equations keep their shape with these values: what it takes to be zero, or not, still is.
  bool keeps_shape(const NamedValues& values);

  /// The largest gradients of the constraints so far, where they are those of Newton's matrix.
  std::span<const double> longest() const;

 private:
  Engine(const Model& model, const Equations& equations, const Method& method, const StepPlan& plan,
         const ConsistentStart& start, const std::vector<double>& parameters, const EngineOptions& asked);
  Engine(const Model& model, const Equations& equations, const Method& method, const StepPlan& plan,
         const ConsistentStart& start, const InitialValues& initial, const std::vector<double>& parameters,
         const EngineOptions& asked);
  void bind();
  void make_kernel(double steps);
  void make_dense(const EngineOptions& asked);
  const double* table() const { return table_.empty() ? nullptr : table_.data(); }
  NamedValues take_parameters(const NamedValues& values);
  bool same_shape() const;
  std::unique_ptr<Engine> remade(const NamedValues& values) const;
  void give(StartValues& given, const NamedValues& values, bool pin) const;
  StartValues given_at(const GridPoint& point) const;
  void move_onto_constraints(const StartValues& given, GridPoint& point) const;
  void settle(GridPoint& point);
  void check_parameter(std::size_t number, double value) const;
  bool ends_singular(double t, std::span<const double> state);

  // Of an engine and its copies, which may run in threads of their own: held shared where expressions are read (what a
  // start that fails says of them), alone where new ones are made.
  std::shared_ptr<std::shared_mutex> expressions_;
  ConsistentStart start_;
  Kernel<double> zero_tests_, model_parameters_;
  FailureAnalysis::Room room_;         // of ends_singular()
  std::optional<GridPoint> begun_at_;  // where that is not at the initial values
  std::vector<bool> in_constraints_;   // which parameters the constraints depend on
  bool constraints_bend_ = false;      // they have kinks
  bool kinks_in_time_ = false;
  double no_kernel_for_ = 0;  // as many steps or fewer
};

}  // namespace alembert::internal
