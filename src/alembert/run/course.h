#pragma once

// Steps of one size for a stepper whose model has more than steps of the method: every step of the grid in as many
// parts as events, kinks and contacts ask for, with what they set.

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "alembert/base/bytes.h"
#include "alembert/run/contact_changes.h"
#include "alembert/run/contact_states.h"
#include "alembert/run/control.h"
#include "alembert/run/resets.h"

namespace alembert::internal {

class Course {
 public:
  virtual ~Course() = default;

  /// A whole step of the grid; less where an event stops the motion. False where there is none: the point stays, and
  /// failure() says why, or where that is empty, StepMaker::failed.
  virtual bool advance(GridPoint& point) = 0;
  /// The grid begins anew at a point that was set from outside. Throws InputError, and stays where it is, where no
  /// motion begins there.
  virtual void go_on(const GridPoint& point, double t0, double h) = 0;

  virtual const std::string& failure() const = 0;
  /// Of the last step.
  virtual std::span<const EventRecord> events() const = 0;
  /// How often each event has happened.
  virtual const std::vector<long>& counts() const = 0;
  /// The event that has stopped the motion; "" while none has.
  virtual const std::string& stopped() const = 0;
  /// z', lambda, psi where the motion stands, at this point, with all forces that act there.
  virtual std::span<const double> rates(const GridPoint& point) = 0;
  /// The engine that observes there.
  virtual Engine& engine() = 0;

  /// At a point of the grid.
  virtual void save(ByteWriter& out) const = 0;
  /// Of a course that stands at the point that was saved with it.
  virtual void load(ByteReader& in) = 0;
};

/// From a point on the grid t0 + n h; null where the steps of the engine need nothing of the kind. The engine outlives
/// it. Throws InputError where no motion begins there.
std::unique_ptr<Course> make_course(Engine& engine, const GridPoint& start, double t0, double h);

/// With events, kinks, and contacts that the method solves in its step and whose changes set something.
class EventCourse final : public Course {
 public:
  /// Whether an engine's steps need this.
  static bool needed(const Engine& engine) { return engine.events || engine.kinks || changes_act(engine); }
  EventCourse(Engine& engine, const GridPoint& start, double t0, double h);

  bool advance(GridPoint& point) override;
  void go_on(const GridPoint& point, double t0, double h) override;
  const std::string& failure() const override { return failure_; }
  std::span<const EventRecord> events() const override { return happened_; }
  const std::vector<long>& counts() const override { return counts_; }
  const std::string& stopped() const override { return stopped_; }
  std::span<const double> rates(const GridPoint& point) override {
    return engine_.multipliers.at(point.t, point.state);
  }
  Engine& engine() override { return engine_; }
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

 private:
  /// Whether something is set, or the motion ends, where contacts change.
  static bool changes_act(const Engine& engine) {
    return engine.method.capabilities.inclusions && !engine.model.contact_events.empty();
  }
  bool move(GridPoint& point);
  void meet_changes(const GridPoint& from, const GridPoint& to);
  bool apply(int number, const Event& event, GridPoint& at);
  bool meet_events(const GridPoint& from, GridPoint& to);
  bool act(GridPoint& at);
  void begin_steps(const GridPoint& start);
  bool fail(std::string words);

  Engine& engine_;
  double t0_, h_;
  std::unique_ptr<StepControl> control_;
  std::optional<Resets> resets_;
  std::unique_ptr<ContactStates> contacts_;  // where their changes act
  std::optional<ContactChanges> changes_;
  std::vector<long> counts_;  // of each event
  std::vector<EventRecord> found_, happened_;
  std::vector<std::size_t> acting_;  // of happened_: those that set something at the present point
  std::vector<int> changing_;        // changes of contacts that do so, numbers in Model::contact_events
  GridPoint next_[2], first_;
  std::string failure_, stopped_;
};

}  // namespace alembert::internal
