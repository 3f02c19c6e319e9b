#pragma once

// Steps as long as a tolerance allows. Two equal steps are compared with one of twice their size. Two are handed out
// only when the next two were made: where these had to be very much shorter, something came up at the end of the former
// that they did not see, and they are made again, shorter. A step ends where the equations have a kink.

#include "alembert/run/control.h"
#include "alembert/run/error_scale.h"

namespace alembert::internal {

class ToleranceSteps final : public StepControl {
 public:
  /// smallest: where steps would become shorter the control fails. step: the first.
  ToleranceSteps(Engine& engine, const StepOptions& options, int order, double smallest, double end, double step,
                 const GridPoint& start);

  int advance(const GridPoint& from, GridPoint* to, bool& last) override;
  NewtonStatistics statistics() const override;
  const std::vector<double>& internal() override { return internal_; }

 private:
  /// What the control knows where the motion stands.
  struct Course {
    double h;          // to be tried
    long good = 0;     // comparisons that went well, one after the other
    double error = 1;  // of the last two steps
    ErrorScale scale;
    std::vector<double> rates;  // accelerations
    ZeroSearch::Values kinks;
  };
  /// Two steps that were accepted.
  struct Pair {
    GridPoint middle, end;
    double h = 0;  // of each
    bool last = false;
    Course course;  // behind them
    std::vector<double> internal;
  };
  /// A kink at which two steps shall end.
  struct Aim {
    double length = 0;                    // of both together; 0: none
    int function = 0;                     // that is zero there
    double before = 0, before_value = 0;  // the length tried before, and the function there
    int tries = 0;
  };

  bool make(const GridPoint& from, const Course& course, Pair& pair);
  bool solve(const GridPoint& from, double h, double t_end, Pair& pair);
  bool look_for_kinks(const GridPoint& from, double h, Pair& pair, Aim& aim);
  bool on_kink(double h, Pair& pair, Aim& aim);
  double judge(const GridPoint& from, double h, Pair& pair);
  bool fits(const GridPoint& from, double h, Pair& pair);
  void settle(const GridPoint& from, double h, double error, Pair& pair);
  bool sees_on();
  bool goes_on(Pair& pair);
  bool dead_end(const GridPoint& from, bool solved);
  void begin(const GridPoint& from, double h);
  double limited(double h) const;

  StepOptions options_;
  int order_;
  double smallest_, largest_, end_;
  double share_;     // of a difference that is the error of the two steps, at most
  double made_ = 0;  // the size that the predictions are for
  Step<double> check_, ahead_;
  GridPoint check_to_, beyond_[2];
  DenseOutput* dense_;
  ZeroSearch* kinks_;  // null where the equations have none
  ZeroSearch::Values from_kinks_, middle_kinks_;
  std::vector<ZeroSearch::Zero> found_, passed_;
  std::vector<double> middle_rates_, end_rates_;
  Course now_, shorter_;
  Pair pair_, next_, again_;
  bool ready_ = false;    // pair_ is made
  std::string dead_end_;  // why there is nothing behind the pair that was made last
  std::vector<double> internal_;
};

}  // namespace alembert::internal
