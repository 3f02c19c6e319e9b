#pragma once

// The events of the model: looked for in every step, found on the dense output to rounding.

#include <span>

#include "alembert/base/archive.h"
#include "alembert/model/model.h"
#include "alembert/report.h"
#include "alembert/run/zero_search.h"

namespace alembert::internal {

/// Which count the event with this number is added to: families that stop a run are counted together.
inline int counter(const Event& event, int number) { return event.counted_with >= 0 ? event.counted_with : number; }

/// A step ends early, where an event lies. What it did to the energy is left as it was of the whole step.
void cut(GridPoint& step_end, const EventRecord& event, bool rest_follows);

class EventWatch {
 public:
  /// All references last longer than this.
  EventWatch(const Model& model, const Equations& equations, DenseOutput& dense, Multipliers& multipliers,
             KernelOptions options = {});
  /// For another run, with a memory of its own; the compiled code is shared.
  EventWatch(const EventWatch& other, DenseOutput& dense, Multipliers& multipliers);
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;
  void bind(const double* parameters) noexcept { zeros_.bind(parameters); }
  /// A motion begins here, and what happens here does not count; to be called before search.
  void begin(const GridPoint& start) {
    counts_.assign(counts_.size(), 0);
    zeros_.begin(start, here_);
  }

  /// The signs that events had last, 0 for none yet; and those they had before the motion began, for what is zero where
  /// it does: then it happens as the motion goes on.
  std::span<const int> sides() const { return here_.sides; }
  void come_from(std::span<const int> sides) {
    for (std::size_t i = 0; i < sides.size() && i < here_.sides.size(); ++i)
      if (here_.sides[i] == 0) here_.sides[i] = sides[i];
  }

  /// Events that were found before the motion began.
  void count_from(const std::vector<long>& counts) { counts_ = counts; }

  /// A motion goes on here after an event has set something: what is zero here does not count, all counts go on.
  void go_on(const GridPoint& from) { zeros_.begin(from, here_); }

  /// The events between two neighbouring grid points, of which `dense` has been told, in the order of time and up to
  /// the first that stops the run or sets something. Either direction counts; what touches zero and turns back does
  /// not. What is zero at a grid point is found when the motion leaves it, or at once where the run ends there
  /// (`last`). False where the dense output fails.
  bool search(const GridPoint& from, const GridPoint& to, bool last, std::vector<EventRecord>& found);

  /// Whether in the last search an event came too often for all to be found.
  bool unsure() const { return zeros_.unsure(); }

  /// An event that sets something and would come within this time, if the motion went on along straight lines; -1
  /// where there is none.
  int coming(const GridPoint& at, double dt);

  /// What is known beside the point where it stands.
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
  /// All that the next events depend on.
  void archive(Archive& fields) { fields(zeros_, here_, counts_); }

 private:
  void order_at_once(double rounding);

  const Model& model_;
  std::size_t n_z_, n_g_;
  DenseOutput& dense_;
  Multipliers& multipliers_;
  ZeroSearch zeros_;
  ZeroSearch::Values here_, next_;
  std::vector<ZeroSearch::Zero> crossed_;
  std::vector<long> counts_;  // of each event so far
};

}  // namespace alembert::internal
