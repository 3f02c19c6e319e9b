#include "alembert/methods/shared/momenta.h"

#include <quadmath.h>

#include <algorithm>
#include <map>
#include <random>

#include "alembert/base/lists.h"
#include "alembert/code/kernel.h"
#include "alembert/derive/identity.h"
#include "alembert/expr/print.h"
#include "alembert/methods/shared/coefficients.h"
#include "alembert/start/initial.h"

namespace alembert::internal {

std::vector<PointCoordinates> find_points(const std::vector<std::string>& names) {
  // The key of a point, and which of its axes a name is: "q1[2]" -> ("q1", 1), "x1" -> ("1", 0).
  std::map<std::string, std::map<int, int>> vectors, scalars;
  std::vector<std::pair<bool, std::string>> order;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string& name = names[i];
    const std::size_t bracket = name.rfind('[');
    const bool vector = bracket != std::string::npos;
    std::string key;
    int axis = -1;
    if (vector) {
      key = name.substr(0, bracket);
      axis = std::stoi(name.substr(bracket + 1)) - 1;
    } else if (name[0] >= 'x' && name[0] <= 'z') {
      key = name.substr(1);
      axis = name[0] - 'x';
    }
    if (axis < 0) continue;
    auto& found = vector ? vectors : scalars;
    if (found.find(key) == found.end()) order.emplace_back(vector, key);
    found[key][axis] = static_cast<int>(i);
  }
  std::vector<PointCoordinates> points;
  for (const auto& [vector, key] : order) {
    const std::map<int, int>& axes = (vector ? vectors : scalars)[key];
    const std::size_t size = axes.size();
    if ((size != 2 && size != 3) || axes.rbegin()->first != static_cast<int>(size) - 1) continue;
    PointCoordinates point;
    for (const auto& [axis, i] : axes) point.axis.push_back(i);
    point.name = vector ? key : names[point.axis[0]] + ", " + names[point.axis[1]];
    points.push_back(std::move(point));
  }
  return points;
}

namespace {

/// xi_i(q) += factor * (from < 0 ? 1 : q_from)
struct Entry {
  int to, from;
  Quad factor;
};

struct Generator {
  std::string name;
  std::vector<Entry> entries;
};

const char* const axis_names[] = {"x", "y", "z"};

/// Translations and rotations of all points together, with the names users know them by.
std::vector<Generator> of_everything(const std::vector<PointCoordinates>& points) {
  std::vector<Generator> all;
  std::size_t dimension = 0;
  for (const PointCoordinates& p : points) dimension = std::max(dimension, p.axis.size());
  for (std::size_t a = 0; a < dimension; ++a) {
    Generator g{std::string("linear momentum along ") + axis_names[a], {}};
    for (const PointCoordinates& p : points)
      if (a < p.axis.size()) g.entries.push_back({p.axis[a], -1, 1});
    all.push_back(std::move(g));
  }
  for (std::size_t a = 0; a < (dimension == 3 ? 3u : dimension == 2 ? 1u : 0u); ++a) {
    const std::size_t first = dimension == 3 ? (a + 1) % 3 : 0, second = dimension == 3 ? (a + 2) % 3 : 1;
    Generator g{dimension == 3 ? std::string("angular momentum about ") + axis_names[a] : "angular momentum", {}};
    for (const PointCoordinates& p : points) {
      if (std::max(first, second) >= p.axis.size()) continue;
      g.entries.push_back({p.axis[second], p.axis[first], 1});
      g.entries.push_back({p.axis[first], p.axis[second], -1});
    }
    all.push_back(std::move(g));
  }
  return all;
}

std::vector<Generator> of_each(const std::vector<std::string>& names, const std::vector<PointCoordinates>& points) {
  std::vector<Generator> all;
  for (std::size_t i = 0; i < names.size(); ++i)
    all.push_back({"momentum of " + names[i], {{static_cast<int>(i), -1, 1}}});
  for (const PointCoordinates& p : points) {
    const Generator g = of_everything({p}).back();
    if (p.axis.size() == 2) all.push_back({"angular momentum of (" + p.name + ")", g.entries});
    for (int a = 0; a < 3 && p.axis.size() == 3; ++a)
      all.push_back({std::string("angular momentum of ") + p.name + " about " + axis_names[a],
                     of_everything({p})[3 + a].entries});
  }
  return all;
}

/// Values of u, P, p_m and y_m at pairs of states without structure.
class Samples {
 public:
  Samples(const Equations& e, EnergyGradient kind, const std::vector<Quad>& near)
      : n_(e.y.size()), near_(near), graph_(std::make_shared<Graph>()) {
    const int n = static_cast<int>(n_);
    Graph& graph = *graph_;
    const Expr t0 = graph.symbol("t0"), h = graph.symbol("h");
    const Exprs y0 = graph.symbols("y0", n), y1 = graph.symbols("y1", n), z0 = graph.symbols("z0", n),
                z1 = graph.symbols("z1", n), lambda = graph.symbols("lambda", static_cast<int>(e.g.size())),
                psi = graph.symbols("psi", static_cast<int>(e.k.size())), w = graph.symbols("w", needs_w(e) ? n : 0);
    const DiscreteMotion motion = discrete_motion(e, kind, {t0, t0 + h, y0, y1, z0, z1}, w, lambda, psi);
    const Exprs inputs = joined<Expr>(t0, h, y0, z0, y1, z1, lambda, psi, w);
    w_ = static_cast<int>(w.size());
    w_from_ = inputs.size() - w.size();
    const Exprs outputs = joined<Expr>(motion.u, motion.P, motion.p_mean);
    motion_.emplace(inputs, outputs, interpreted);
    equations_.emplace(inputs, motion.w_equations, interpreted);
    in_.resize(inputs.size());
    out_.resize(outputs.size());
    work_.resize(std::max(motion_->work(), equations_->work()));
  }

  /// False where nothing finite was found.
  bool take() {
    // Far enough apart for the differences to show, and nearer where the model makes no sense so far away.
    constexpr double widest = 0.3;
    constexpr double nearest = 1e-4;
    for (Quad size = widest; size > nearest; size /= 2) {
      for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = uniform();
      for (std::size_t end = 0; end < 2; ++end)
        for (std::size_t i = 0; i < 2 * n_; ++i)
          in_[2 + 2 * n_ * end + i] = near_[i] + size * (1 + fabsq(near_[i])) * uniform();
      if (!solve_w()) continue;
      (*motion_)(in_.data(), out_.data(), work_.data());
      if (std::all_of(out_.begin(), out_.end(), [](Quad x) { return finiteq(x); })) return true;
    }
    return false;
  }

  /// P . xi(y_m) + p_m . xi'(u), and the sum of the sizes of its terms.
  std::pair<Quad, Quad> change(const Generator& xi) const {
    Quad value = 0, size = 0;
    const auto add = [&](Quad term) {
      value += term;
      size += fabsq(term);
    };
    for (const Entry& entry : xi.entries) {
      const Quad P = out_[n_ + entry.to], p = out_[2 * n_ + entry.to];
      if (entry.from < 0) {
        add(entry.factor * P);
      } else {
        add(entry.factor * P * (in_[2 + entry.from] + in_[2 + 2 * n_ + entry.from]) / 2);
        add(entry.factor * p * out_[entry.from]);
      }
    }
    return {value, size};
  }

 private:
  Quad uniform() { return std::uniform_real_distribution<double>(-1, 1)(random_); }

  bool solve_w() {
    if (w_ == 0) return true;
    const auto residual = [&] {
      QuadVector r(w_);
      (*equations_)(in_.data(), r.data(), work_.data());
      return r;
    };
    Quad* const w = in_.data() + w_from_;
    std::fill_n(w, w_, Quad(0));
    const QuadVector base = residual();
    QuadMatrix S(w_, QuadVector(w_)), right(w_, QuadVector(1));
    for (int j = 0; j < w_; ++j) {
      w[j] = 1;
      const QuadVector there = residual();
      w[j] = 0;
      for (int i = 0; i < w_; ++i) S[i][j] = there[i] - base[i];
    }
    for (int i = 0; i < w_; ++i) right[i][0] = -base[i];
    const QuadMatrix solution = solve(S, right);
    for (int i = 0; i < w_; ++i) w[i] = solution[i][0];
    return true;
  }

  std::size_t n_;
  std::vector<Quad> near_;
  std::shared_ptr<Graph> graph_;
  std::optional<Kernel<Quad>> motion_, equations_;
  std::size_t w_from_ = 0;
  int w_ = 0;
  std::vector<Quad> in_, out_, work_;
  std::mt19937 random_{20};  // the same on every run
};

// Of what stands beside it: far above the rounding of quadruple precision, far below what is not there by chance.
constexpr double negligible = 1e-22;
// A vector that is a combination of others leaves this of itself at most: its entries went through null_space before.
constexpr double nothing_new = 1e-18;
// Samples more than unknowns: each removes what solved all the others by chance.
constexpr std::size_t surplus = 4;

/// Solutions of rows . x = 0 with ones at free places, few entries else.
std::vector<QuadVector> null_space(QuadMatrix rows, std::size_t n) {
  std::vector<int> pivot_of(n, -1);
  Quad largest = 0;
  for (const QuadVector& row : rows)
    for (const Quad x : row) largest = std::max(largest, fabsq(x));
  std::size_t rank = 0;
  while (rank < std::min(rows.size(), n)) {
    std::size_t best = rank, column = n;
    Quad size = Quad(negligible) * largest;
    for (std::size_t i = rank; i < rows.size(); ++i)
      for (std::size_t j = 0; j < n; ++j)
        if (pivot_of[j] < 0 && fabsq(rows[i][j]) > size) {
          size = fabsq(rows[i][j]);
          best = i;
          column = j;
        }
    if (column == n) break;
    std::swap(rows[rank], rows[best]);
    pivot_of[column] = static_cast<int>(rank);
    const Quad pivot = rows[rank][column];
    for (Quad& x : rows[rank]) x /= pivot;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const Quad factor = rows[i][column];
      if (i == rank || factor == 0) continue;
      for (std::size_t j = 0; j < n; ++j) rows[i][j] -= factor * rows[rank][j];
    }
    ++rank;
  }
  std::vector<QuadVector> basis;
  for (std::size_t free = 0; free < n; ++free) {
    if (pivot_of[free] >= 0) continue;
    QuadVector x(n, 0);
    x[free] = 1;
    for (std::size_t j = 0; j < n; ++j)
      if (pivot_of[j] >= 0 && fabsq(rows[pivot_of[j]][free]) > Quad(negligible)) x[j] = -rows[pivot_of[j]][free];
    basis.push_back(std::move(x));
  }
  return basis;
}

/// Vectors already named, and whether another is a combination of them.
class Span {
 public:
  bool add(std::map<std::pair<int, int>, Quad> x) {  // false where it brings nothing new
    for (const auto& [lead, row] : rows_) {
      const auto at = x.find(lead);
      if (at == x.end()) continue;
      const Quad factor = at->second;
      for (const auto& [key, value] : row) x[key] -= factor * value;
      x.erase(lead);
    }
    auto best = x.end();
    for (auto i = x.begin(); i != x.end(); ++i)
      if (fabsq(i->second) > Quad(nothing_new) && (best == x.end() || fabsq(i->second) > fabsq(best->second))) best = i;
    if (best == x.end()) return false;
    const auto lead = best->first;
    const Quad pivot = best->second;
    for (auto& [key, value] : x) value /= pivot;
    rows_.emplace_back(lead, std::move(x));
    return true;
  }

 private:
  std::vector<std::pair<std::pair<int, int>, std::map<std::pair<int, int>, Quad>>> rows_;
};

std::map<std::pair<int, int>, Quad> flat(const Generator& g) {
  std::map<std::pair<int, int>, Quad> x;
  for (const Entry& entry : g.entries) x[{entry.to, entry.from}] += entry.factor;
  return x;
}

Expr momentum(const Equations& e, const Generator& g) {
  Exprs terms;
  for (const Entry& entry : g.entries) {
    const Expr term = entry.from < 0 ? e.p[entry.to] : e.y[entry.from] * e.p[entry.to];
    terms.push_back(entry.factor == 1 ? term : entry.factor * term);
  }
  return sum(*e.graph, terms);
}

/// Degree of every node as a polynomial in (y, z), up to 2; 3 stands for all else.
std::map<std::uint32_t, int> degrees(const Equations& e, const Exprs& f) {
  std::map<std::uint32_t, int> degree;
  for (const Exprs* list : {&e.y, &e.z})
    for (const Expr x : *list) degree[x.id()] = 1;
  const Graph& graph = *e.graph;
  for (const std::uint32_t id : reachable(f)) {
    const Node node = graph.node(id);
    const int operands = operand_count(node.op);
    if (operands == 0) {
      degree.try_emplace(id, 0);
      continue;
    }
    const int a = degree[node.a], b = operands > 1 ? degree[node.b] : 0;
    int d = a == 0 && b == 0 ? 0 : 3;
    if (node.op == Op::add || node.op == Op::subtract || node.op == Op::negate) d = std::max(a, b);
    if (node.op == Op::multiply) d = std::min(a + b, 3);
    if (node.op == Op::divide && b == 0) d = a;
    if (node.op == Op::power && a == 1 && is_constant(Expr(e.graph.get(), node.b), 2)) d = 2;
    degree[id] = d;
  }
  return degree;
}

/// As a distance, a length or a product of points where it is one, up to a constant; else as it stands.
std::string described(const Equations& e, Expr quadratic, const std::vector<PointCoordinates>& points) {
  Graph& graph = *e.graph;
  Exprs all = e.y, zeros(e.y.size(), graph.constant(0));
  const Expr rest = substitute(quadratic, all, zeros, graph);
  const Expr form = is_constant(rest) ? quadratic - rest : quadratic;
  const auto name = [](const PointCoordinates& p) {
    return p.name.find(',') == std::string::npos ? p.name : "(" + p.name + ")";
  };
  for (std::size_t i = 0; i < points.size(); ++i) {
    Exprs own;
    for (const int c : points[i].axis) own.push_back(pow(e.y[c], 2));
    if (equal_functions(Exprs{form}, Exprs{sum(graph, own)})) return "norm2(" + name(points[i]) + ")";
    for (std::size_t j = i + 1; j < points.size(); ++j) {
      if (points[j].axis.size() != points[i].axis.size()) continue;
      Exprs squares, products;
      for (std::size_t a = 0; a < points[i].axis.size(); ++a) {
        const Expr x = e.y[points[i].axis[a]], y = e.y[points[j].axis[a]];
        squares.push_back(pow(x - y, 2));
        products.push_back(x * y);
      }
      if (equal_functions(Exprs{form}, Exprs{sum(graph, squares)}))
        return "norm2(" + name(points[i]) + " - " + name(points[j]) + ")";
      if (equal_functions(Exprs{form}, Exprs{sum(graph, products)}))
        return "dot(" + name(points[i]) + ", " + name(points[j]) + ")";
    }
  }
  return to_infix(quadratic);
}

/// What stands inside functions of higher degree and is itself of degree one or two, as large as possible.
std::vector<std::string> quadratic_parts(const Equations& e, const std::vector<PointCoordinates>& points) {
  // All pairs of points are compared, function by function; a longer list nobody reads.
  constexpr std::size_t most_points = 20;
  constexpr std::size_t most_parts = 40;
  Exprs f = e.g;
  f.push_back(e.L ? e.L : e.energy);
  std::map<std::uint32_t, int> degree = degrees(e, f);
  const std::vector<PointCoordinates> named = points.size() <= most_points ? points : std::vector<PointCoordinates>{};
  Exprs parts;
  for (const std::uint32_t id : reachable(f)) {
    const Node node = e.graph->node(id);
    if (degree[id] < 3 || node.op == Op::add || node.op == Op::subtract || node.op == Op::negate) continue;
    for (const std::uint32_t operand : {node.a, operand_count(node.op) > 1 ? node.b : node.a}) {
      const Expr part(e.graph.get(), operand);
      if (degree[operand] > 0 && degree[operand] < 3 && std::find(parts.begin(), parts.end(), part) == parts.end())
        parts.push_back(part);
    }
  }
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < parts.size() && i < most_parts; ++i) {
    const std::string text = described(e, parts[i], named);
    if (std::find(texts.begin(), texts.end(), text) == texts.end()) texts.push_back(text);
  }
  return texts;
}

/// The solutions of rows . x = 0 as motions: those of single coordinates and points with their names, then combinations
/// without one.
std::vector<Generator> combinations(const QuadMatrix& rows, const std::vector<Generator>& basis) {
  std::vector<Generator> all;
  for (const QuadVector& x : null_space(rows, basis.size())) {
    Generator g;
    int parts = 0;
    for (std::size_t j = 0; j < basis.size(); ++j) {
      if (x[j] == 0) continue;
      ++parts;
      g.name = basis[j].name;
      for (Entry entry : basis[j].entries) {
        entry.factor *= x[j];
        g.entries.push_back(entry);
      }
    }
    if (parts > 1) g.name.clear();
    all.push_back(std::move(g));
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Generator& a, const Generator& b) { return a.entries.size() < b.entries.size(); });
  return all;
}

}  // namespace

Momenta find_momenta(const Equations& e, EnergyGradient kind, const InitialValues& initial) {
  const std::vector<double> state = joined<double>(initial.y, initial.z);
  const std::vector<Quad> near(state.begin(), state.end());
  constexpr std::size_t largest_each = 60;  // coordinates; beyond, only what belongs to all of them
  const std::vector<PointCoordinates> points = find_points(e.y_names);
  const std::vector<Generator> together = of_everything(points);
  const std::vector<Generator> basis = e.y.size() <= largest_each ? of_each(e.y_names, points) : together;

  Samples samples(e, kind, near);
  QuadMatrix rows;
  std::vector<bool> holds(together.size(), true);
  for (std::size_t k = 0; k < basis.size() + surplus; ++k) {
    if (!samples.take()) return {};
    QuadVector row;
    for (const Generator& g : basis) row.push_back(samples.change(g).first);
    rows.push_back(std::move(row));
    for (std::size_t i = 0; i < together.size(); ++i) {
      const auto [value, size] = samples.change(together[i]);
      if (fabsq(value) > Quad(negligible) * size) holds[i] = false;
    }
  }
  Momenta result;
  result.through = quadratic_parts(e, points);
  Span named;
  for (std::size_t i = 0; i < together.size(); ++i) {
    if (!holds[i]) result.lost.push_back(together[i].name);
    else if (named.add(flat(together[i]))) result.preserved.push_back({together[i].name, momentum(e, together[i])});
  }
  for (const Generator& g : combinations(rows, basis)) {
    if (!named.add(flat(g))) continue;
    const Expr value = momentum(e, g);
    result.preserved.push_back({g.name.empty() ? to_infix(value) : g.name, value});
  }
  return result;
}

}  // namespace alembert::internal
