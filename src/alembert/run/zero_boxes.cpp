#include "alembert/run/zero_boxes.h"

#include <algorithm>
#include <cmath>

namespace alembert::internal {

namespace {

// A box at whose ends the function has different signs is halved so often: zeros that come in threes are farther apart.
constexpr int deep = 14;
// One at whose ends it has the same sign: until then a dip is not seen.
constexpr int deepest = 40;
// So many boxes are a matter of a millisecond.
constexpr std::size_t most_boxes = 4000;
// And each place costs a step of the dense output: these, some milliseconds.
constexpr std::size_t most_shares = 512;
// Where the margin beside the curve is wider than the curve itself, boxes are not halved any more, but for these: time
// goes on in them.
constexpr int shallow = 6;
// The same where the margin alone leaves a function as open as the whole box does.
constexpr int open_depth = 8;

}  // namespace

ZeroBoxes::ZeroBoxes(const Tape& tape, std::size_t states)
    : tape_(tape),
      curves_(states),
      margin_(states),
      in_(static_cast<std::size_t>(tape.inputs), Interval{-INFINITY, INFINITY}),
      whole_(tape.outputs.size()),
      out_(tape.outputs.size()),
      work_(tape.registers()) {}

void ZeroBoxes::begin(const End& from, const End& to, std::span<const double> margin, std::span<const double> fixed,
                      const double* parameters) {
  t_ = from.t;
  h_ = to.t - from.t;
  parameters_ = parameters;
  for (std::size_t i = 0; i < fixed.size(); ++i) in_[in_.size() - fixed.size() + i] = {fixed[i], fixed[i]};
  std::copy(margin.begin(), margin.end(), margin_.begin());
  std::size_t next = 0;
  const auto add = [&](double a, double b, double leave, double arrive) {
    Cubic& curve = curves_[next++];
    curve = {{a, a + h_ * leave / 3, b - h_ * arrive / 3, b}};
    // Without rates: straight.
    if (!std::isfinite(curve.points[1]) || !std::isfinite(curve.points[2]))
      curve = {{a, a + (b - a) / 3, b - (b - a) / 3, b}};
  };
  for (std::size_t i = 0; i < from.y.size(); ++i) add(from.y[i], to.y[i], from.y_rates[i], to.y_rates[i]);
  for (std::size_t i = 0; i < from.z.size(); ++i) add(from.z[i], to.z[i], from.z_rates[i], to.z_rates[i]);
  enclose_part(0, 1);
  whole_ = out_;
}

// The control points of a part of a cubic surround it: its blossom at (l, l, l), (l, l, r), (l, r, r), (r, r, r).
void ZeroBoxes::enclose_part(double left, double right) {
  const double one = t_ + left * h_, other = t_ + right * h_;
  in_[0] = {std::min(one, other), std::max(one, other)};
  const auto between = [](double a, double b, double s) { return a + s * (b - a); };
  for (std::size_t i = 0; i < curves_.size(); ++i) {
    const double* const p = curves_[i].points;
    const auto blossom = [&](double u, double v, double w) {
      const double a = between(p[0], p[1], u), b = between(p[1], p[2], u), c = between(p[2], p[3], u);
      return between(between(a, b, v), between(b, c, v), w);
    };
    const auto [low, high] = std::minmax({blossom(left, left, left), blossom(left, left, right),
                                          blossom(left, right, right), blossom(right, right, right)});
    in_[1 + i] = {low - margin_[i], high + margin_[i]};
  }
  enclose(tape_, in_, out_, work_, parameters_);
}

// Of the box that was enclosed last.
bool ZeroBoxes::margin_dominates() const {
  for (std::size_t i = 0; i < margin_.size(); ++i)
    if (in_[1 + i].high - in_[1 + i].low > 4 * margin_[i]) return false;
  return true;
}

// 0 where the margin leaves it open.
int ZeroBoxes::sign_at(int function, double share) {
  enclose_part(share, share);
  const Interval bounds = out_[static_cast<std::size_t>(function)];
  return bounds.low > 0 ? 1 : bounds.high < 0 ? -1 : 0;
}

// Whether halving a box with these bounds does not help: a point in it is as open.
bool ZeroBoxes::as_open_at(int function, double share, Interval bounds) {
  enclose_part(share, share);
  const Interval here = out_[static_cast<std::size_t>(function)];
  return here.contains(0) && 2 * (here.high - here.low) >= bounds.high - bounds.low;
}

bool ZeroBoxes::find(int function, int side, std::vector<double>& shares) {
  places_.clear();
  boxes_.assign(1, {0, 1, 0});
  bool all = true;
  for (std::size_t next = 0; next < boxes_.size(); ++next) {
    const Box box = boxes_[next];
    enclose_part(box.left, box.right);
    const Interval bounds = out_[static_cast<std::size_t>(function)];
    const double middle = (box.left + box.right) / 2;
    if (!bounds.contains(0)) {
      places_.push_back({middle, bounds.low > 0 ? 1 : -1});
      continue;
    }
    const bool stuck = (box.depth >= shallow && margin_dominates()) ||
                       (box.depth >= open_depth && as_open_at(function, middle, bounds));
    if (box.depth >= deep) {
      const int left = sign_at(function, box.left), right = sign_at(function, box.right);
      if (left * right < 0) {
        places_.push_back({box.left, left});
        places_.push_back({box.right, right});
        continue;
      }
    }
    if (boxes_.size() >= most_boxes) all = false;
    if (stuck || box.depth >= deepest || !all) {
      places_.push_back({middle, 0});
      continue;
    }
    boxes_.push_back({box.left, middle, box.depth + 1});
    boxes_.push_back({middle, box.right, box.depth + 1});
  }
  return one_of_each(side, shares) && all;
}

// Of neighbours that have the same sign the first says all. Where there are too many, some of them all over the step.
bool ZeroBoxes::one_of_each(int side, std::vector<double>& shares) {
  std::sort(places_.begin(), places_.end(), [](const Place& a, const Place& b) { return a.share < b.share; });
  shares.clear();
  int last = side;
  for (const Place& place : places_) {
    if (place.sign != 0 && place.sign == last) continue;
    shares.push_back(place.share);
    last = place.sign;
  }
  if (shares.size() <= most_shares) return true;
  for (std::size_t i = 0; i < most_shares; ++i) shares[i] = shares[i * shares.size() / most_shares];
  shares.resize(most_shares);
  return false;
}

}  // namespace alembert::internal
