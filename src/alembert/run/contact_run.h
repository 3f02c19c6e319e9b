#pragma once

// A run with contacts by a smooth method, from event to event: between them every closed contact is a constraint; at
// them impacts happen, and contacts close, open, stick and slip.

#include <Eigen/Core>
#include <memory>
#include <utility>

#include "alembert/run/contact_books.h"
#include "alembert/run/contact_changes.h"
#include "alembert/run/contact_layout.h"
#include "alembert/run/contact_mode.h"
#include "alembert/run/contact_rows.h"
#include "alembert/run/contact_told.h"
#include "alembert/run/contact_track.h"
#include "alembert/run/resets.h"
#include "alembert/run/segment.h"
#include "alembert/run/simulate.h"

namespace alembert::internal {

struct ConeProblem;
struct ConeSolution;
class ContactSystem;

/// Rates below this part of the largest sizes seen are rounding.
constexpr double rounding_of_contacts = 1e-11;

class ContactRun {
 public:
  /// options have been checked. The engine is that of the model without contacts, and outlives this.
  ContactRun(Engine& engine, const SimulateOptions& options, std::shared_ptr<ContactModes> modes = {});
  ~ContactRun();
  Report run();

  /// In single parts, in place of run(): from a point, on a grid of steps. Throws InputError inside a contact.
  void begin_at(const GridPoint& point, double grid);
  /// To the end of the options, with the engine's parameters as they are now. False: the report says why.
  bool advance();
  void stand(GridPoint& point) const;
  const Report& report() { return books_.report(); }
  std::span<const EventRecord> events();  // of the last part
  const std::vector<long>& counts() const { return handed_.counts; }
  Engine& mode_engine();
  std::vector<double> rates();  // z', and the multipliers of the model itself
  void archive(Archive& fields);
  void take_up(Archive& fields);

 private:
  using Impacts = ImpactSeries;
  using Told = ContactTold;

  void follow();
  void take_up();
  void take_parameters();
  void list_reactions(Engine& engine);
  void assess();
  void assess_energy();
  bool accompany(double ratio);
  double size_of_error(double apart, double ratio);
  std::vector<double> end_seen_at(double t);
  void begin();
  bool begin_segment();
  bool segment();
  bool take(Report& part);
  bool can_retry(const Report& part);
  bool any_turns() const;
  bool slip_turned_far(const GridPoint& from, const GridPoint& to);
  void last_row();
  void warn(const std::string& code, std::string text);
  double piece_end();
  void react(const Report& part);
  void settle(const Told& told, bool report);
  bool impact(const Told& told);
  bool impact_once(const std::vector<int>& set);
  std::optional<Eigen::VectorXd> impulses(ConeProblem problem, const std::vector<int>& set, double factor);
  bool sound_laws(const std::vector<int>& set);
  void book(const std::vector<int>& set, const ConeProblem& problem, const Eigen::VectorXd& p,
            const Eigen::VectorXd& before, const std::vector<int>& rows, double factor);
  void book_impulses(const std::vector<int>& set, const ConeProblem& problem, const Eigen::VectorXd& p,
                     const Eigen::VectorXd& before, const Eigen::VectorXd& after, const std::vector<int>& rows);
  void choose_mode(const Told& told);
  bool choose_and_project(Told told);
  bool none_pulls();
  bool jam(const std::vector<int>& closed, const ConeProblem& forces);
  static std::optional<Eigen::VectorXd> jamming_impulses(const ConeProblem& problem, const Eigen::VectorXd& before);
  std::optional<ConeProblem> force_problem(const std::vector<int>& closed, const Told& told);
  std::optional<ConeSolution> solved(ConeProblem& problem, const std::vector<int>& contacts,
                                     const std::vector<double>* at_rest);
  void find_shared();
  void share_as_springs();
  std::vector<double> normal_forces(double ahead);
  int one_to_leave();
  void leave_to_others();
  void share(double t, std::span<const double> state, std::vector<double>& multipliers);
  Told as_it_is(const std::vector<int>& closed) const;
  Told behind_impact(Told told, const std::vector<double>& before) const;
  bool left(int contact);
  bool taken_away(int contact) const;
  Told nothing_told() const;
  bool falls(int contact, double acceleration, std::span<const double> z_dot) const;
  double shared_end(double end);
  bool shared_holds();
  void take_mode(const std::vector<int>& closed, const ConeProblem& problem, const ConeSolution& found);
  void project();
  void align_slips(const std::vector<std::pair<int, std::size_t>>& begun);
  void note_impact(int contact);
  bool accumulates(int contact) const;
  void forget_closing();
  double next_closing() const;
  bool end_accumulations();
  void close_accumulated(const std::vector<int>& set, double after);
  bool meets_others(const Eigen::VectorXd& change, std::vector<int>& contacts);
  Eigen::VectorXd ending_impulses(const std::vector<int>& contacts, const ConeProblem& problem,
                                  const Eigen::VectorXd& rates);
  bool laws_hold();
  void warn_of_shared_friction(int slipping, const Mode& before);
  bool nothing_missed(const Report& part);
  bool meets_unseen() const;
  std::string inside(int contact) const;
  void announce(const Mode& before);
  void add_event(int contact, const char* kind);
  void act();
  bool set(const std::vector<int>& changes);
  void fail(std::string reason);
  ConeProblem cone(const std::vector<int>& contacts, const std::vector<int>& rows);
  std::string names(const std::vector<int>& set) const;
  int frictions() const;
  void look();
  void behind(double ahead, std::vector<double>& state);
  std::span<const double> rates(Engine& engine);
  bool follows_kinks();
  void cross_kink(double t);
  void keep_bilateral();
  bool kink_loads();
  bool torn();
  bool at_surface(int contact) const;
  bool at_rest(int row) const;
  bool slips(const SlipRows& friction, std::array<double, 2>& direction) const;
  std::vector<int> rows_of(const std::vector<int>& contacts) const;
  const ContactLayout& contact(int i) const;
  int count() const { return static_cast<int>(mode_.size()); }
  std::span<const double> accelerations();

  Engine& base_;
  const SimulateOptions& options_;
  Equations e_;
  std::unique_ptr<ContactSystem> system_;
  std::shared_ptr<ContactModes> compiled_modes_;  // also of the runs beside this one
  ContactModes& modes_;
  ContactRows rows_;
  ContactBooks books_;
  ContactTrack track_;
  const ContactTrack* beside_ = nullptr;  // of the run that this one goes beside, if any
  double whole_step_ = 0;                 // of that run
  Segment handed_;
  Mode mode_;
  std::vector<double> slack_;
  double t_;
  std::vector<double> state_, parameters_;
  double ahead_ = 0;  // where it stands in a kink: what is so little later is looked at
  std::vector<double> behind_, limit_;
  std::vector<double> kink_impulses_;  // of the bilateral constraints, at the present instant
  double counted_from_ = -INFINITY;    // kinks are counted for a step at a time
  int kinks_ = 0;
  std::vector<double> free_multipliers_;  // without contacts, where forces were asked for last
  CompiledMode* compiled_ = nullptr;
  bool conserves_;                    // nothing but contacts does work, and none moves by itself
  std::vector<std::size_t> pending_;  // events of the report whose multipliers are not known yet
  ContactChanges changes_;
  std::optional<Resets> resets_;  // where changes set something
  std::vector<Impacts> impacts_;
  std::vector<bool> impacted_;                   // at the present instant
  std::vector<char> opens_;                      // contacts whose force was 0 at the last event, and that leave
  std::vector<std::string> notes_;               // of the contacts, at the present instant
  std::vector<std::pair<int, double>> closing_;  // contacts whose impacts accumulate, and when
  std::vector<int> ending_;                      // those of them whose bounces end now
  double event_t_ = -INFINITY;                   // of the last event, and how many there were at it
  int at_once_ = 0, jams_ = 0;
  double largest_force_ = 0;  // normal, that was seen
  bool going_ = true;
  bool in_parts_ = false;        // advance() makes it
  std::size_t told_ = 0;         // events of the last part; what was set behind it has made others
  bool turned_ = false;          // something slipped in space
  bool breaks_ = false;          // at the end of the segment shared loads are not held any more
  bool ended_ = false;           // the end is reached; what happens there has its rows
  double shortened_ = INFINITY;  // segments, where a step failed
  double piece_begin_;           // the time of the last event
  double end_ = 0;               // of the segment
  NewtonStatistics spent_;       // by the engine of its mode before it
  bool resumes_ = false;         // its first part was made by another process
};

}  // namespace alembert::internal
