#pragma once

// Steps of one size for a stepper whose model has contacts, by a method that does not solve them in its step: each is
// a short run from event to event.

#include <memory>

#include "alembert/run/course.h"

namespace alembert::internal {

class ContactModes;
class ContactRun;

class ContactCourse final : public Course {
 public:
  static bool needed(const Engine& engine) {
    return !engine.model.contacts.empty() && !engine.method.capabilities.inclusions;
  }
  /// Throws InputError where the method cannot follow these contacts, the point lies inside one, or time runs backward.
  ContactCourse(Engine& engine, const GridPoint& start, double t0, double h);
  ~ContactCourse() override;

  bool advance(GridPoint& point) override;
  void go_on(const GridPoint& point, double t0, double h) override;
  const std::string& failure() const override { return failure_; }
  std::span<const EventRecord> events() const override;
  const std::vector<long>& counts() const override;
  const std::string& stopped() const override;
  std::span<const double> rates(const GridPoint& point) override;
  Engine& engine() override;
  void save(ByteWriter& out) const override;
  void load(ByteReader& in) override;

 private:
  void begin(const GridPoint& point);

  Engine& engine_;
  SimulateOptions options_;  // the end is that of the next step
  double t0_;
  long made_ = 0;  // steps of the grid, from t0 on
  std::shared_ptr<ContactModes> modes_;
  std::unique_ptr<ContactRun> run_;
  std::string failure_;
  std::vector<double> rates_;
};

}  // namespace alembert::internal
