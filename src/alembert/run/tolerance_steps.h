#pragma once

// Steps as long as a tolerance allows. Two equal steps are compared with one of twice their size now and then; in
// between, where the method has stages on the motion, each step is judged for itself: the slopes of the curve through
// its stages are compared with the accelerations at both ends, and what that says of the error is known from the last
// comparison. Newton starts from the curve of the last step, and steps that it does not find soon are made again,
// shorter. Steps are handed out only when the next were made: where these had to be very much shorter, something
// came up at the end of the former that they did not see, and they are made again, shorter. A step ends where the
// equations have a kink.

#include <optional>

#include "alembert/run/control.h"
#include "alembert/run/error_scale.h"
#include "alembert/run/newton_economy.h"

namespace alembert::internal {

class ToleranceSteps final : public StepControl {
 public:
  /// smallest: where steps would become shorter the control fails. step: the first.
  ToleranceSteps(Engine& engine, const StepOptions& options, int order, double smallest, double end, double step,
                 const GridPoint& start);

  int advance(const GridPoint& from, GridPoint* to, bool& last) override;
  NewtonStatistics statistics() const override;
  const std::vector<double>& internal() override { return internal_; }
  std::span<const double> error() const override { return error_; }
  const SolvedStep<double>* solved(int i) const override { return &(i == 0 ? handed_out_ : now_.last); }
  void archive(Archive& fields) override;

 private:
  /// The last comparison: what is known of the error of a step from the defect of its curve.
  struct Ratio {
    double error = 0, defect = 0;  // in units of what is allowed; 0: nothing is known
    int alone = 0;                 // steps that may be made before the next one
    std::vector<double> errors;    // of every entry of the state, in two steps
    double recent = 0, h = 0;      // the defect of the last step, and its size
    int trust = 0;                 // how many steps may be made alone where comparisons were as foreseen

    void archive(Archive& fields) { fields(error, defect, alone, errors, recent, h, trust); }
  };
  /// What the control knows where the motion stands.
  struct Course {
    double h;          // to be tried
    long good = 0;     // comparisons that went well, one after the other
    double error = 1;  // of the last step, or two
    ErrorScale scale;
    std::vector<double> rates;   // accelerations and multipliers
    std::vector<double> slopes;  // y', z'
    ZeroSearch::Values kinks;
    Ratio ratio;
    NewtonEconomy economy;
    SolvedStep<double> last;  // the step that led here; none behind a kink

    void archive(Archive& fields) { fields(h, good, error, scale, rates, slopes, kinks, ratio, economy, last); }
  };
  /// Steps that were accepted, one or two.
  struct Pair {
    GridPoint middle, end;
    double h = 0;   // of each
    int count = 2;  // 1: there is no middle
    bool last = false;
    Course course;             // behind them
    SolvedStep<double> first;  // the solution of the first
    std::vector<double> internal;
    std::vector<double> error;  // of every entry of the state
    std::string held;           // why no step leads on from the end, where that is known
    std::vector<double> sides;  // of kinks on which they were made

    void archive(Archive& fields) { fields(middle, end, h, count, last, course, first, internal, error, held, sides); }
  };
  /// A kink at which two steps shall end.
  struct Aim {
    double length = 0;                    // of both together; 0: none
    int function = 0;                     // that is zero there
    double before = 0, before_value = 0;  // the length tried before, and the function there
    int tries = 0;
  };

  /// Kinks on the way of the steps that are made.
  struct KinkSearch {
    DenseOutput* dense;
    ZeroSearch* zeros;  // null where the equations have none
    std::span<double> sides;
    bool turned = false;              // the steps that were looked at were made on a wrong side
    ZeroSearch::Values from, middle;  // where the steps begin, and between both
    std::vector<ZeroSearch::Zero> found, passed;
  };

  // Differences fall by 2^order where steps are short enough for it. Longer ones, and stiff forces, fall short of high
  // orders: on a wall exp(-1000 y), four stages with 255 in place of 15 lets a tolerance of 1e-4 pass where half is
  // wrong.
  static constexpr int trusted_order = 4;
  // Steps aim at this part of the size that would just do.
  static constexpr double safety = 0.9;

  bool make(const GridPoint& from, const Course& course, Pair& pair);
  double size_now(const GridPoint& from, const Aim& aim, Pair& pair) const;
  bool solve(const GridPoint& from, double h, double t_end, Pair& pair);
  void prepare(const GridPoint& from, double h, const Course& course);
  void hold(std::vector<double>& sides);
  bool look_for_kinks(const GridPoint& from, double h, Pair& pair, Aim& aim);
  bool on_kink(double h, Pair& pair, Aim& aim);
  double judge(const GridPoint& from, double h, Pair& pair);
  void look_at_rates(const Pair& pair);
  bool look_at_defects(const GridPoint& from, double h, Pair& pair);
  double share_of_error() const;
  double foreseen(const Ratio& ratio, double defect) const;
  double judge_alone(const GridPoint& from, double h, Pair& pair);
  double defect(const GridPoint& from, const SolvedStep<double>& step, const std::vector<double>& slopes_from,
                const std::vector<double>& slopes_to, const GridPoint& to, ErrorScale& scale);
  bool fits(const GridPoint& from, double h, Pair& pair);
  void settle(const GridPoint& from, double h, double error, Pair& pair);
  void take_ratio(double h, double error, Pair& pair);
  bool sees_on();
  bool goes_on(Pair& pair);
  bool dead_end(const GridPoint& from, bool solved);
  bool cross_kink(const GridPoint& from, Pair& pair);
  void begin(const GridPoint& from, double h);
  double limited(double h) const;
  void look_ahead(const GridPoint& start, double step);
  void slopes_at(const GridPoint& point, const std::vector<double>& rates, std::vector<double>& slopes);

  StepOptions options_;
  int order_;
  double smallest_, largest_, end_;
  double share_;                         // of a difference that is the error of the two steps, at most
  double made_ = 0;                      // the size that the predictions are for
  double made_until_ = 0;                // the time at which the last of these steps ended
  double defect_ = 0, wide_defect_ = 0;  // of the two steps that were judged last, and of the one beside them
  bool staged_;                          // steps can be guessed and judged by the curves of their stages
  int defect_order_;                     // defects vanish with this power of h
  Motion& motion_;
  Step<double> check_, ahead_;
  GridPoint check_to_, beyond_[2];
  KinkSearch kinks_;
  std::vector<double> middle_rates_, end_rates_, middle_slopes_, end_slopes_, defects_;
  SolvedStep<double> tried_;  // the step that was made last from where this one begins; none at first
  SolvedStep<double> first_, second_;
  GridPoint moved_;
  NewtonLabour labour_;
  int failures_ = 0;   // steps from there that had no solution
  bool lone_ = false;  // the two were made, the one beside them not
  Course now_, shorter_;
  Pair pair_, next_, again_;
  std::optional<GridPoint> behind_;  // where the first steps begin, where the motion begins in a kink
  bool ready_ = false;               // pair_ is made
  std::string dead_end_;             // why there is nothing behind the pair that was made last
  std::vector<double> internal_, error_;
  SolvedStep<double> handed_out_;  // the first of the steps that were
};

}  // namespace alembert::internal
