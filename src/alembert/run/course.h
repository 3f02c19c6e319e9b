#pragma once

// Steps of one size for a stepper whose model has events or kinks, or contacts whose changes set something: every step
// of the grid in as many parts as these ask for, with what events set.

#include <optional>
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
  /// Whether an engine's steps need this.
  static bool needed(const Engine& engine) { return engine.events || engine.kinks || changes_act(engine); }

  /// From a point on the grid t0 + n h. The engine outlives this.
  Course(Engine& engine, const GridPoint& start, double t0, double h);

  /// A whole step of the grid; less where an event stops the motion. False where there is none: the point stays, and
  /// failure() says why, or where that is empty, StepMaker::failed.
  bool advance(GridPoint& point);
  /// The grid begins anew at a point that was set from outside.
  void go_on(const GridPoint& point, double t0, double h);

  const std::string& failure() const { return failure_; }
  /// Of the last step.
  const std::vector<EventRecord>& events() const { return happened_; }
  /// How often each event has happened.
  const std::vector<long>& counts() const { return counts_; }
  /// The event that has stopped the motion; "" while none has.
  const std::string& stopped() const { return stopped_; }

  /// At a point of the grid.
  void save(ByteWriter& out) const;
  /// Of a course that stands at the point that was saved with it.
  void load(ByteReader& in);

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
