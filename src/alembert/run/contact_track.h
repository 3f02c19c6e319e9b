#pragma once

// The motion of a run with contacts, as far as another one is compared with it: some of its points, and the times of
// its events.

#include <span>
#include <vector>

#include "alembert/run/accuracy.h"
#include "alembert/trajectory.h"

namespace alembert::internal {

class ContactTrack {
 public:
  struct Point {
    double t = 0;
    std::vector<double> state;

    template <class A>
    void archive(A& fields) {
      fields(t, state);
    }
  };
  /// The time between two events.
  struct Piece {
    double begin = 0, end = 0;
    double length() const { return end - begin; }
  };

  ContactTrack(const ReportNames& names, std::size_t n_y, std::span<const double> start)
      : n_y_(n_y), ranges_(names, n_y, start) {}

  /// A point of the grid was reached. A few hundred are kept, evenly spaced.
  void pass(double t, std::span<const double> state);
  void piece(double begin, double end) { pieces_.push_back({begin, end}); }

  const StateRanges& ranges() const { return ranges_; }
  /// What is rounding of an entry: of a velocity also what moves no position by more than its own.
  double rounding(std::size_t i) const;
  const std::vector<Point>& points() const { return points_; }
  /// The piece that begins about here, as another run would meet it; null where there is none.
  const Piece* piece_from(double t) const;
  bool any_shorter(double length) const;

  template <class A>
  void archive(A& fields) {
    fields(ranges_, points_, pieces_, passed_, every_);
  }

 private:
  std::size_t n_y_;
  StateRanges ranges_;
  std::vector<Point> points_;
  std::vector<Piece> pieces_;  // in the order of time
  long passed_ = 0, every_ = 1;
};

/// Gets rows of another run at the times of a track, and tells how far they are from it.
class TrackComparison final : public Observer {
 public:
  explicit TrackComparison(const ContactTrack& track) : track_(track) {}

  /// At which it wants rows, up to an end from which rounding may take the last.
  std::vector<double> times(double end) const;
  void begin(const Columns&, const RunDescription&) override {}
  void row(std::span<const double> values) override;
  void end() override {}
  /// Instead of rows: a step of the other run, between whose ends times of the track may lie.
  void between(double t0, std::span<const double> from, double t1, std::span<const double> to);

  struct Apart {
    double error = 0;  // of a state, relative to its range
    double t = 0;      // where it was largest
  };
  /// The largest distance. Between an impact of one run and the same of the other they cannot be compared: a point
  /// counts where so many in a row are as far away. The ends of both always count.
  Apart largest(double t, std::span<const double> end, std::span<const double> other, std::size_t in_a_row = 2) const;

 private:
  double distance(std::span<const double> a, std::span<const double> b) const;

  const ContactTrack& track_;
  std::size_t next_ = 0;
  std::vector<Apart> seen_;
};

}  // namespace alembert::internal
