#pragma once

// The only time loop. It advances, watches energy, constraints and invariants at every step, finds events, and hands
// rows to observers.

#include <cmath>

#include "alembert/run/accuracy.h"
#include "alembert/run/checkpoint.h"
#include "alembert/run/control.h"
#include "alembert/run/judge.h"
#include "alembert/run/resets.h"
#include "alembert/run/rows.h"
#include "alembert/run/sample_times.h"
#include "alembert/run/segment.h"
#include "alembert/run/short_steps.h"
#include "alembert/run/simulate.h"
#include "alembert/run/step_kernel.h"
#include "alembert/run/twin.h"

namespace alembert::internal {

/// A run of an engine from where its motion begins, from the first row to the report.
class Simulation {
 public:
  /// options have been checked. The report knows its names; all references outlive the simulation.
  /// segment: where this is a part of a longer run.
  Simulation(Engine& engine, const SimulateOptions& options, SampleTimes samples, Report& report,
             Segment* segment = nullptr);
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;

  void run();

 private:
  void start();
  void begin_watching();
  void take_up();
  bool checkpoint_due();
  bool leaves_checkpoints() const { return !options_.checkpoint.path.empty() && (!segment_ || segment_->archive); }
  void leave_checkpoint();
  std::string signature() const;
  long steps_so_far() const { return report_.steps + (segment_ ? segment_->steps : 0); }
  void archive(Archive& fields);
  void loop();
  void finish();
  void end(Ending ending, std::string reason);
  /// Once for every code. Ends a strict run.
  void warn(const std::string& code, std::string text, double t);
  bool warned(const std::string& code) const;
  void explain();
  void progress();

  bool act(GridPoint& at, bool looked);
  bool apply(int number, const Event& event, GridPoint& at);
  void go_on();
  void list_event(EventRecord& record);

  void assess();
  void assess_accuracy();
  std::optional<AccuracyProbe::Result> accuracy();
  void assess_energy();
  void assess_inputs();
  void assess_constraints();
  void assess_kinks();
  void assess_last_event(const AccuracyProbe::Result& found);
  bool arrive(const GridPoint& from, GridPoint& to, bool last);
  bool ends_in_kink(const GridPoint& to) const;
  bool passes_kink(const EventRecord& record, const GridPoint& to) const;
  bool stop_at_kink(double kink, GridPoint& to, bool last);
  void count_kink(const GridPoint& from);
  bool closes(bool last) const;
  bool look(const GridPoint& from, GridPoint& to, bool last);
  void count(double h);
  void watch(const GridPoint& to);
  void look_between(double to);
  void part_account(const GridPoint& to);
  void take_impulse();
  void observe(const GridPoint& point);
  void pass(const GridPoint& from, GridPoint& to);
  void follow(const GridPoint& from, const GridPoint& to);
  const SolvedStep<double>* solution_of(const GridPoint& from, const GridPoint& to);
  void react(const GridPoint& to, bool fine, RankWatch::Rank seen);
  void check_branch(const GridPoint& from, const GridPoint& to);
  bool is_plain() const;
  bool by_tolerance() const { return options_.steps.control == Control::tolerance; }
  const char* remedy() const { return by_tolerance() ? "ask for a smaller `tolerance`" : "try a smaller step"; }
  bool interrupted() const { return options_.interrupt && options_.interrupt->load(std::memory_order_relaxed); }
  void take_balance(const GridPoint& point);
  void look_for_accumulation(const Event& event, const EventRecord& record);
  bool between(const GridPoint& from, GridPoint& to, bool last);
  bool take_samples(const GridPoint& from, const GridPoint& to, double up_to, bool from_kept, bool to_kept);
  void sample(const GridPoint& from, const GridPoint& to, double up_to, bool from_kept, bool to_kept);
  void keep(const GridPoint& point);

  // Steps by the kernel (simulation_kernel.cpp).
  bool leap();
  bool take_off(const StepControl::Ahead& ahead);
  void land();
  void lend();
  void take_back();
  void feed_rank();
  void look_again(const GridPoint& at);
  long next_stretch(const StepControl::Ahead& ahead);
  void settle(long made);
  void look_closely();
  void retrace(long made);
  bool row_due() const { return every_ > 0 && report_.steps % every_ == 0; }
  void keep_rows(long made);
  void archive_flight(Archive& fields);

  static std::vector<double> list(std::span<const double> values) { return {values.begin(), values.end()}; }
  double taken() const { return segment_ ? segment_->taken : 0; }
  void take_account();
  void report_state();
  void report_ports(std::span<const double> psi);
  void report_internal();

  Engine& engine_;
  const SimulateOptions& options_;
  SampleTimes samples_;
  Report& report_;
  Segment* segment_;  // null: the run is whole
  double grid_;       // where the grid of fixed steps begins
  Rows rows_;
  std::unique_ptr<StepControl> control_;
  ShortSteps short_steps_;
  std::optional<Judge> judge_;
  std::optional<AccuracyProbe> probe_;  // of fixed steps
  std::optional<Twin> twin_;            // what becomes of errors
  SolvedStep<double> solved_;           // the last step, for both
  std::string light_;                   // a body whose velocity the method loses; "" where there is none
  std::size_t n_y_;
  long every_;  // 0: no rows for steps
  bool plain_;  // nothing happens between grid points, and nothing is asked of them but what pass() looks at
  GridPoint point_, next_[2];
  std::vector<EventRecord> found_;
  std::optional<Resets> resets_;     // where events set something
  std::vector<std::size_t> acting_;  // events of the report that do so at the present point
  std::vector<int> changing_;        // changes of contacts that do so, by their numbers
  std::vector<double> parameters_;   // as the run began
  std::vector<long> counts_;         // of each event
  struct Acted {
    double t = -INFINITY, passed = INFINITY;  // when, and how long after the time before
    int shrinking = 0;                        // times in a row that were shorter than the one before
  };
  std::vector<Acted> acted_;             // of every event
  NewtonStatistics spent_;               // by the controls before the present one
  long rejected_ = 0, comparisons_ = 0;  // by them
  std::vector<double> kink_times_;
  double gained_ = 0, lost_ = 0;  // energy, by what events set
  std::vector<double> sampled_;
  std::vector<double> times_;  // of the grid points, where something depends on time alone
  bool recorded_ = false;      // the present point has its row
  bool in_view_ = false;       // the watch looked at it last
  double energy_ = 0;          // at the last grid point
  Rows::Balance balance_;
  double started_ = 0, shown_ = 0;  // seconds
  CheckpointClock clock_;
  bool left_ = false;                   // the last checkpoint, because of an interrupt
  long shown_steps_ = 0;                // when the clock was looked at last for progress
  std::optional<KernelMotion> kernel_;  // where many steps are made at a time
  /// How it goes. It flies where its motion is that of the run; what a run adds up is then lent to it, or not where
  /// every step is looked at by the engine.
  struct Flight {
    std::vector<double> begin, before;  // rows at the start of the present stretch, and of the one before
    long made_before = 0;               // steps of the stretch before
    bool flying = false, lent = false;
    long slowly = 0;       // steps that the engine looks at
    long wait = 0;         // steps that the engine makes before the next start
    long pause = 0;        // how long it waited last
    long since_start = 0;  // steps of this flight

    template <class A>
    void archive(A& fields) {
      fields(begin, before, made_before, flying, lent, slowly, wait, pause, since_start);
    }
  } flight_;
};

}  // namespace alembert::internal
