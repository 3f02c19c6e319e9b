#include "alembert/expr/piecewise.h"

#include <quadmath.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <tuple>

#include "alembert/error.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/places.h"

namespace alembert::internal {

namespace {

template <class T>
T at(const Piecewise::Piece<T>& p, T x) noexcept {
  const T u = x - p.at;
  return p.f + u * (p.b + u * (p.c + u * p.d));
}

/// The same cubic from another place.
Piecewise::Piece<Quad> moved(const Piecewise::Piece<Quad>& p, Quad place) {
  const Quad u = place - p.at;
  return {place, p.f + u * (p.b + u * (p.c + u * p.d)), p.b + u * (2 * p.c + 3 * u * p.d), p.c + 3 * u * p.d, p.d};
}

/// Differences this small, relative to what they are of, are rounding in quadruple precision.
bool differ(Quad a, Quad b, Quad size) { return fabsq(a - b) > Quad(1e-26) * size; }

void widen(std::pair<double, double>& range, double value) {
  range = {std::min(range.first, value), std::max(range.second, value)};
}

/// A piece between two arguments: its ends, and its turning points between them.
void widen(std::pair<double, double>& range, const Piecewise::Piece<double>& p, double low, double high) {
  widen(range, at(p, low));
  widen(range, at(p, high));
  if (p.c == 0 && p.d == 0) return;
  const double root = std::sqrt(p.c * p.c - 3 * p.b * p.d);  // b + 2 c u + 3 d u^2 = 0; nan where it never is
  const double q = -(p.c + std::copysign(root, p.c));
  for (const double u : {q / (3 * p.d), p.b / q})
    if (p.at + u > low && p.at + u < high) widen(range, at(p, p.at + u));
}

/// All functions, by their numbers: lists that only grow, so that readers need no lock.
constexpr std::size_t lists = 1024;
std::array<std::atomic<Piecewise*>, lists>& table_of_all() {
  static std::array<std::atomic<Piecewise*>, lists> all{};
  return all;
}
std::atomic<Piecewise*>& list_of(double number) {
  return table_of_all()[static_cast<std::size_t>(static_cast<std::uint64_t>(number)) % lists];
}

std::uint64_t mixed(std::uint64_t hash, Quad value) {
  std::uint64_t bits[2];
  std::memcpy(bits, &value, sizeof bits);
  return mix(mix(hash ^ bits[0]) + bits[1]);
}

}  // namespace

Piecewise::Piecewise(std::string name, int order, std::vector<Quad> knots, std::vector<Piece<Quad>> pieces)
    : name_(std::move(name)), order_(order), exact_knots_(std::move(knots)), exact_(std::move(pieces)) {
  check(!exact_knots_.empty() && exact_.size() == exact_knots_.size() + 1, "a piece on either side of each knot");
  check(std::is_sorted(exact_knots_.begin(), exact_knots_.end()), "knots ascend");
  for (const Quad knot : exact_knots_) knots_.push_back(static_cast<double>(knot));
  const auto rounded = [](Quad x) { return static_cast<double>(x); };
  for (const Piece<Quad>& p : exact_)
    pieces_.push_back({rounded(p.at), rounded(p.f), rounded(p.b), rounded(p.c), rounded(p.d)});
  make_grid();
  find_kinks();
  measure();
  std::uint64_t hash = static_cast<std::uint64_t>(order_) + 1;
  for (const char c : name_) hash = mix(hash + static_cast<unsigned char>(c));
  for (const Quad knot : exact_knots_) hash = mixed(hash, knot);
  for (const Piece<Quad>& p : exact_)
    for (const Quad x : {p.at, p.f, p.b, p.c, p.d}) hash = mixed(hash, x);
  constexpr int digits = 52;  // a whole number that a double holds exactly
  number_ = static_cast<double>(1 + (hash >> (64 - digits)));
}

// As many even places as knots: tables of even steps then need no search.
void Piecewise::make_grid() {
  const std::size_t n = knots_.size();
  const double width = knots_.back() - knots_.front();
  grid_scale_ = width > 0 ? static_cast<double>(n) / width : 0;
  if (!std::isfinite(grid_scale_)) grid_scale_ = 0;
  grid_.assign(n + 2, 0);
  for (std::size_t i = 0; i <= n; ++i) {
    // One place early, so that rounding cannot go beyond it.
    const double place = knots_.front() + (static_cast<double>(i) - 1) / (grid_scale_ > 0 ? grid_scale_ : 1);
    grid_[i] = static_cast<std::uint32_t>(std::upper_bound(knots_.begin(), knots_.end(), place) - knots_.begin());
  }
  grid_[n + 1] = static_cast<std::uint32_t>(n);
}

std::size_t Piecewise::piece_of(double x) const noexcept {
  const std::size_t n = knots_.size();
  if (!(x >= knots_.front())) return 0;
  if (x >= knots_.back()) return n;
  const auto place = std::min(static_cast<std::size_t>((x - knots_.front()) * grid_scale_), n - 1);
  const std::size_t low = grid_scale_ > 0 ? grid_[place] : 0;
  const std::size_t high = grid_scale_ > 0 && place + 3 <= n ? grid_[place + 3] : n;
  const auto first = knots_.begin() + static_cast<std::ptrdiff_t>(low);
  return static_cast<std::size_t>(std::upper_bound(first, knots_.begin() + static_cast<std::ptrdiff_t>(high), x) -
                                  knots_.begin());
}

double Piecewise::value(double x) const noexcept { return at(pieces_[piece_of(x)], x); }

Quad Piecewise::value(Quad x) const noexcept {
  const auto behind = std::upper_bound(exact_knots_.begin(), exact_knots_.end(), x);
  return at(exact_[static_cast<std::size_t>(behind - exact_knots_.begin())], x);
}

double Piecewise::size(double x) const noexcept {
  const Piece<double>& p = pieces_[piece_of(x)];
  const double u = std::abs(x - p.at);
  return std::abs(p.f) + u * (std::abs(p.b) + u * (std::abs(p.c) + u * std::abs(p.d)));
}

void Piecewise::find_kinks() {
  for (std::size_t i = 0; i < exact_knots_.size(); ++i) {
    const Piece<Quad> left = moved(exact_[i], exact_knots_[i]), right = moved(exact_[i + 1], exact_knots_[i]);
    // What each derivative would be if it came from the whole piece.
    const Quad width = i + 1 < exact_knots_.size() ? exact_knots_[i + 1] - exact_knots_[i]
                       : i > 0                     ? exact_knots_[i] - exact_knots_[i - 1]
                                                   : Quad(1);
    const auto all = [&](const Piece<Quad>& p) {
      return fabsq(p.f) + fabsq(p.b) * width + fabsq(p.c) * width * width + fabsq(p.d) * width * width * width;
    };
    const Quad size = all(left) + all(right);
    if (differ(left.f, right.f, size) || differ(left.b * width, right.b * width, size) ||
        differ(left.c * width * width, right.c * width * width, size) ||
        differ(left.d * width * width * width, right.d * width * width * width, size))
      kinks_.push_back(knots_[i]);
  }
}

void Piecewise::measure() {
  std::pair<double, double> range(INFINITY, -INFINITY);
  for (std::size_t i = 1; i < knots_.size(); ++i) widen(range, pieces_[i], knots_[i - 1], knots_[i]);
  std::tie(least_, most_) = range;
}

std::pair<double, double> Piecewise::bounds(double low, double high) const {
  constexpr std::size_t few = 64;  // pieces that are looked at one by one
  std::pair<double, double> range(INFINITY, -INFINITY);
  const std::size_t first = piece_of(low), last = piece_of(high), n = knots_.size();
  // The straight ends; 0 times what is unbounded is 0.
  const auto end = [&](const Piece<double>& p, double x) { widen(range, p.b == 0 ? p.f : p.f + p.b * (x - p.at)); };
  if (first == 0) end(pieces_[0], low);
  if (first == 0) end(pieces_[0], std::min(high, knots_.front()));
  if (last == n) end(pieces_[n], high);
  if (last == n) end(pieces_[n], std::max(low, knots_.back()));
  if (last - first > few) {
    widen(range, least_);
    widen(range, most_);
    return range;
  }
  for (std::size_t i = std::max<std::size_t>(first, 1); i <= std::min(last, n - 1); ++i)
    widen(range, pieces_[i], std::max(low, knots_[i - 1]), std::min(high, knots_[i]));
  return range;
}

bool Piecewise::is_constant() const {
  return std::all_of(exact_.begin(), exact_.end(),
                     [&](const Piece<Quad>& p) { return p.f == exact_[0].f && p.b == 0 && p.c == 0 && p.d == 0; });
}

const Piecewise& Piecewise::slope() const {
  const Piecewise* there = slope_.load(std::memory_order_acquire);
  if (there) return *there;
  std::vector<Piece<Quad>> pieces;
  for (const Piece<Quad>& p : exact_) pieces.push_back({p.at, p.b, 2 * p.c, 3 * p.d, 0});
  auto made = std::make_unique<Piecewise>(name_, order_ + 1, exact_knots_, std::move(pieces));
  made->kinks_ = kinks_;
  there = &known(std::move(made));
  slope_.store(there, std::memory_order_release);
  return *there;
}

const Piecewise& Piecewise::count() const {
  const Piecewise* there = count_.load(std::memory_order_acquire);
  if (there) return *there;
  std::vector<Piece<Quad>> pieces(exact_.size());
  for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i].f = static_cast<double>(i);
  there = &known(std::make_unique<Piecewise>("knots of " + name_, order_, exact_knots_, std::move(pieces)));
  count_.store(there, std::memory_order_release);
  return *there;
}

bool Piecewise::same(const Piecewise& other) const {
  const auto alike = [](const Piece<Quad>& p, const Piece<Quad>& q) {
    return p.at == q.at && p.f == q.f && p.b == q.b && p.c == q.c && p.d == q.d;
  };
  return name_ == other.name_ && order_ == other.order_ && exact_knots_ == other.exact_knots_ &&
         kinks_ == other.kinks_ && std::equal(exact_.begin(), exact_.end(), other.exact_.begin(), alike);
}

const Piecewise& known(std::unique_ptr<Piecewise> function) {
  static std::mutex writing;
  const std::lock_guard lock(writing);
  // Another one of the same number, which hardly ever happens, leaves the next.
  while (const Piecewise* there = find_piecewise(function->number_)) {
    if (there->same(*function)) return *there;
    function->number_ += 1;
  }
  std::atomic<Piecewise*>& list = list_of(function->number_);
  function->next_ = list.load(std::memory_order_relaxed);
  list.store(function.get(), std::memory_order_release);
  return *function.release();
}

const Piecewise* find_piecewise(double number) noexcept {
  if (!(number >= 1 && number < 1e16)) return nullptr;
  for (const Piecewise* one = list_of(number).load(std::memory_order_acquire); one; one = one->next_)
    if (one->number_ == number) return one;
  return nullptr;
}

Expr piecewise(Expr argument, const Piecewise& function) {
  Graph& graph = argument.graph();
  if (function.is_constant()) return graph.constant(function.value(Quad(0)));
  return graph.make(Op::piecewise, argument, graph.constant(static_cast<Quad>(function.number())));
}

const Piecewise& piecewise_of(Expr node) {
  const Graph& graph = node.graph();
  const Node n = graph.node(node.id());
  check(n.op == Op::piecewise, "an expression that is no piecewise function");
  const Piecewise* const function = find_piecewise(static_cast<double>(graph.value(n.b)));
  check(function != nullptr, "a piecewise function that nobody knows");
  return *function;
}

namespace scalar {

double piecewise_value(double x, double number) {
  const Piecewise* const function = find_piecewise(number);
  return function ? function->value(x) : std::numeric_limits<double>::quiet_NaN();
}
Quad piecewise_value(Quad x, Quad number) {
  const Piecewise* const function = find_piecewise(static_cast<double>(number));
  return function ? function->value(x) : Quad(std::numeric_limits<double>::quiet_NaN());
}
long double piecewise_value(long double x, long double number) {
  return static_cast<long double>(piecewise_value(static_cast<Quad>(x), static_cast<Quad>(number)));
}

}  // namespace scalar

}  // namespace alembert::internal

double alembert_piecewise(double x, double number) noexcept {
  return alembert::internal::scalar::piecewise_value(x, number);
}
