#pragma once

// Where functions of the motion go through zero inside a step. A scan that costs no step says where nothing can be; all
// else is looked at on the dense output, as finely as the function itself needs, and found to rounding.

#include <functional>

#include "alembert/run/dense.h"
#include "alembert/run/kinks.h"
#include "alembert/run/zero_boxes.h"

namespace alembert::internal {

class ZeroSearch {
 public:
  /// What is known of a grid point.
  struct Values {
    std::vector<double> v, rates, values;
    std::vector<double> noise;   // what is rounding in the values
    std::vector<int> signs;      // of the values; 0 where a value may be rounding
    std::vector<int> sides;      // the sign that each function had last, 0 while it has had none
    std::vector<double> places;  // of the tables that are watched: four an argument, those next to it

    /// What the motion had last elsewhere.
    void come_from(const Values& other) {
      sides = other.sides;
      places = other.places;
    }
    template <class A>
    void archive(A& fields) {
      fields(v, rates, values, noise, signs, sides, places);
    }
  };
  struct Zero {
    int function = 0;
    double share = 0;  // of the step
    int side = 0;      // the sign behind it; 0 where the run ends in it
  };

  /// Functions of t, y, z, lambda, psi. All references last longer than this.
  ZeroSearch(const Equations& equations, const Exprs& functions, DenseOutput& dense, Multipliers& multipliers,
             KernelOptions options = {});
  /// The same for kinks: the functions come first, then four for each table, which are the argument less a place of the
  /// table. A place keeps its function as long as it is one of the two next to the argument on either side.
  ZeroSearch(const Equations& equations, const Kinks& kinks, DenseOutput& dense, Multipliers& multipliers,
             KernelOptions options = {});
  /// For another run, with a memory of its own; the compiled code is shared.
  ZeroSearch(const ZeroSearch& other, DenseOutput& dense, Multipliers& multipliers);
  ZeroSearch(const ZeroSearch&) = delete;
  ZeroSearch& operator=(const ZeroSearch&) = delete;
  void bind(const double* parameters) noexcept;

  /// All but the sides, which stay where a value has no sign and are otherwise its sign.
  void know(const GridPoint& point, Values& values);
  /// The point a time dt later, which is so short that straight lines are exact to rounding. A step that ends, or
  /// begins, in the zero itself would see either side of it; this passes over it.
  /// behind: the part of dt that lies behind the zero.
  void pass(GridPoint& point, double dt, Values& values, double behind = 0.5);
  /// What is done to a point behind a zero that was passed, before it goes on.
  void settle_by(std::function<void(GridPoint&)> settle) { settle_ = std::move(settle); }
  void settle(GridPoint& point) const {
    if (settle_) settle_(point);
  }
  /// Across a jump of the forces a step may have no solution although the motion goes on behind it. Passes over the
  /// nearest zero ahead where it is at most `longest` away, so near that straight lines are exact enough: `to` lies
  /// behind it. False where there is none, or where the motion turns back there from either side: it sticks.
  bool cross(const GridPoint& from, const Values& before, double longest, GridPoint& to, Values& after);
  /// A motion begins: what is zero here has no side.
  void begin(const GridPoint& start, Values& values);

  /// The zeros between two neighbouring grid points, of which `dense` has been told, in the order of time; `after` is
  /// what is known of the second. What touches zero and turns back is none. What is zero at a grid point is found when
  /// the motion leaves it, or at once where the run ends there (`last`). False where the dense output fails.
  /// Of tables that are watched `before` gets those places that are next to its arguments.
  bool search(const GridPoint& from, Values& before, const GridPoint& to, Values& after, bool last,
              std::vector<Zero>& found);

  /// The sides (sides.h) of a step that begins with these values.
  void hold(Values& at, std::span<double> sides);
  /// Both sides of everything count.
  void let_go(std::span<double> sides) const;
  /// Whether the last search says that the step was made on a wrong side: zeros up to this share of it lead to others,
  /// which `before` then has, or it passes so many places of a table that none is looked for any more.
  bool turn(const std::vector<Zero>& found, double share, Values& before);

  std::size_t size() const { return noise_.size(); }
  /// Whether in the last search a function changed too often for all its zeros to be found.
  bool unsure() const { return unsure_; }

  /// What it has seen of the motion.
  template <class A>
  void archive(A& fields) {
    fields(noise_, slack_, sizes_, crowded_);
  }

 private:
  ZeroSearch(const Equations& equations, const Kinks& kinks, const Exprs& places, DenseOutput& dense,
             Multipliers& multipliers, KernelOptions options);
  ZeroSearch(const Equations& equations, const Exprs& functions, const Exprs& places, DenseOutput& dense,
             Multipliers& multipliers, KernelOptions options);

  /// A function at a share of the step; its sign is 0 where the value may be rounding.
  struct Node {
    double share = 0, value = 0;
    int sign = 0;
  };

  // The scan's places in a step. They crowd towards the ends, so that no oscillation in time is the same at all of
  // them.
  static constexpr int parts = 8;
  // Values up to so many times what rounding can do are zero.
  static constexpr double allowance = 16;
  /// 0 where the value may be rounding.
  static int sign(double value, double noise);

  void evaluate(double t, std::span<const double> state, double* values);
  void measure_noise();
  void watch_tables(Values& values) const;
  void use_places(const Values& values);
  void measure_slack(const GridPoint& from, const Values& before, const GridPoint& to, const Values& after);
  void scan(const GridPoint& from, const Values& before, const GridPoint& to, const Values& after);
  void between(const GridPoint& from, const Values& before, const GridPoint& to, const Values& after, double share);
  bool suspicious(int function, int side) const;
  bool exact(int function, double share, Node& node);
  bool sample(int function, const Values& before, const Values& after);
  bool add_extremes(int function);
  bool add_extreme(int function, double left, double right);
  void begin_boxes(const GridPoint& from, const Values& before, const GridPoint& to, const Values& after);
  bool add_places(int function, int side);
  int changes_of_sign() const;
  bool dip(int function, double left, double right, int sign);
  bool walk(int function, bool last, int& side, std::vector<Zero>& found);
  bool locate(int function, Node a, Node b, double& share);

  std::size_t n_y_, n_z_;
  std::function<void(GridPoint&)> settle_;
  DenseOutput& dense_;
  Multipliers& multipliers_;
  bool needs_multipliers_;
  std::vector<const std::vector<double>*> tables_;  // their places
  Kernel<double> kernel_, velocity_, slopes_;
  const double* parameters_ = nullptr;
  SparseExprs pattern_;        // of the slopes; the values are not kept
  std::vector<double> noise_;  // what is rounding in each function, at the arguments in in_
  std::vector<double> slack_;  // what the scan cannot see of each function
  std::vector<double> sizes_;  // largest |y|, |z|, |multiplier| so far: what rounding of the state is measured by
  std::vector<double> in_, values_, slope_, work_, middle_;
  std::vector<std::vector<double>> scan_;  // one a place: all functions there
  std::vector<Node> nodes_, more_;         // of the function that is looked at closely
  std::vector<double> series_, samples_;   // its Chebyshev coefficients over the step, and the values they are of
  double tail_ = 0;                        // what they leave out
  ZeroBoxes boxes_;
  std::vector<bool> enclosed_;  // functions of t and the state alone, which boxes can be asked for
  std::vector<double> margin_, shares_;
  bool unsure_ = false, turns_ = false;
  std::vector<char> crowded_;  // of each table: its places are closer than steps
};

}  // namespace alembert::internal
