#pragma once

// Where expressions of the model go through zero: looked for in every step, found on the dense output to rounding.

#include "alembert/model/model.h"
#include "alembert/report.h"
#include "alembert/run/dense.h"

namespace alembert::internal {

class EventWatch {
 public:
  /// All references last longer than this.
  EventWatch(const Model& model, const Equations& equations, DenseOutput& dense, Multipliers& multipliers,
             KernelOptions options = {});
  /// For another run, with a memory of its own; the compiled code is shared.
  EventWatch(const EventWatch& other, DenseOutput& dense, Multipliers& multipliers);
  EventWatch(const EventWatch&) = delete;
  EventWatch& operator=(const EventWatch&) = delete;
  void bind(const double* parameters) noexcept;
  /// A motion begins here; to be called before search.
  void begin(const GridPoint& start);

  /// The events between two neighbouring grid points, of which `dense` has been told, in the order of time and up to
  /// the first that stops the run. Either direction counts; what touches zero and turns back does not. What is zero at
  /// a grid point is found when the motion leaves it, or at once where the run ends there (`last`). False where the
  /// dense output fails.
  bool search(const GridPoint& from, const GridPoint& to, bool last, std::vector<EventRecord>& found);

 private:
  /// An expression at a share of the step; its sign is 0 where the value may be rounding.
  struct Node {
    double share = 0, value = 0;
    int sign = 0;
  };
  /// What is known of a grid point.
  struct End {
    std::vector<double> v, rates, values;
    std::vector<int> signs;
  };

  void evaluate(double t, std::span<const double> state, double* values);
  void know(const GridPoint& point, End& end);
  void between(const GridPoint& from, const GridPoint& to, double share);
  void measure_noise();
  bool exact(int event, double share, Node& node);
  bool suspicious(int event) const;
  bool walk(int event, bool last, std::vector<EventRecord>& found);
  bool dip(int event, Node a, Node b, std::vector<Node>& more);
  bool locate(int event, Node a, Node b, double& share);

  const Model& model_;
  std::size_t n_y_, n_z_, n_g_;
  DenseOutput& dense_;
  Multipliers& multipliers_;
  bool needs_multipliers_;
  Kernel<double> kernel_, velocity_, slopes_;
  const double* parameters_ = nullptr;
  SparseExprs pattern_;        // of the slopes; the values are not kept
  std::vector<int> side_;      // the sign that each event had last, 0 while it has had none
  std::vector<double> noise_;  // what is rounding in each event, at the arguments in in_
  std::vector<double> sizes_;  // largest |y|, |z|, |multiplier| so far: what rounding of the state is measured by
  std::vector<double> in_, values_, slope_, work_, middle_;
  std::vector<std::vector<double>> scan_;  // one a node: all events there
  End left_, right_;
};

}  // namespace alembert::internal
