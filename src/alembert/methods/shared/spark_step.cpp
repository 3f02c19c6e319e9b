// The equations of a SPARK step, in the letters of Jay 2009.

#include "alembert/base/lists.h"
#include "alembert/derive/work.h"
#include "alembert/expr/change.h"
#include "alembert/methods/shared/spark.h"

namespace alembert::internal {

namespace {

using Nonholonomic = SparkCoefficients::Nonholonomic;

// One entry of A times a vector of values, added to a list of sums.
void add_scaled(std::vector<Exprs>& terms, Quad a, const Exprs& values) {
  if (a == 0) return;
  for (std::size_t k = 0; k < values.size(); ++k) terms[k].push_back(a * values[k]);
}

Exprs totals(Graph& graph, const std::vector<Exprs>& terms) {
  Exprs result;
  for (const Exprs& list : terms) result.push_back(sum(graph, list));
  return result;
}

Exprs plus(const Exprs& a, const Exprs& b) {
  Exprs result;
  for (std::size_t k = 0; k < a.size(); ++k) result.push_back(a[k] + b[k]);
  return result;
}

Quad power_of_node(Quad c, int exponent) {  // with 0^0 = 1
  Quad value = 1;
  for (int k = 0; k < exponent; ++k) value *= c;
  return value;
}

std::string at_stage(int i) { return " at stage " + std::to_string(i + 1); }

SparseExprs at_point(const Equations& e, SparseExprs matrix, const Point& x, const Exprs& lambda, const Exprs& psi) {
  matrix.value = at(e, matrix.value, x, lambda, psi);
  return matrix;
}

/// Unknowns: Z_i = z0 + dZ_i, z1 = z0 + dz, Psi_i, Lambda_j, and Y_i = y0 + dY_i where v depends on y.
class SparkStep {
 public:
  SparkStep(const Equations& equations, const SparkCoefficients& coefficients);
  StepPlan plan();

 private:
  /// A row of coefficients with what it belongs to: a stage, or the end of the step.
  struct Momentum {
    Point at;
    const Exprs& dz;
    const QuadVector &a_hat, &a_prime, &a_tilde;
    std::string where;
    bool ends = false;  // the velocity that the next step begins with
  };

  Exprs combination(const QuadVector& row, const std::vector<Exprs>& values, std::size_t size);
  void make_stages();
  void make_forces();
  Exprs change_since_start(const Exprs& function, const Point& to) const;
  void add_momentum(const Momentum& balance);
  void add_nonholonomic();
  void add_holonomic();
  void add_positions();
  void add_work();
  void add_scales();
  void keep_multipliers();
  bool splits() const;
  void add_structure();
  void add_series();

  const Equations& e_;
  const SparkCoefficients& k_;
  const int s_, m_;
  const std::size_t n_y_, n_z_, n_g_, n_k_;
  Frame frame_;
  Graph& graph_;
  const Expr t0_, h_, t1_;
  const bool implicit_y_;  // Y_i = y0 + h sum a_ij v(Y_j, Z_j) is an equation for Y_i
  int multipliers_from_ = 0, y_from_ = 0;
  Exprs dz_, y1_, z1_;
  Exprs p0_;
  std::vector<Expr> T_;
  std::vector<Exprs> dZ_, dY_, Psi_, Lambda_;           // unknowns
  std::vector<Exprs> Z_, Y_, v_, f_, N_, Y_tilde_, r_;  // made from them
};

SparkStep::SparkStep(const Equations& e, const SparkCoefficients& k)
    : e_(e),
      k_(k),
      s_(k.s()),
      m_(k.m()),
      n_y_(e.y.size()),
      n_z_(e.z.size()),
      n_g_(e.g.size()),
      n_k_(e.k.size()),
      frame_(e),
      graph_(frame_.graph),
      t0_(frame_.step.t0),
      h_(frame_.step.h),
      t1_(t0_ + h_),
      implicit_y_(rates_depend_on_y(e)) {
  const auto numbered = [](const char* name, int i) { return name + std::to_string(i); };
  for (int i = 0; i < s_; ++i) dZ_.push_back(frame_.unknown(numbered("dZ", i + 1), frame_.z_dot0, k.c[i] * h_));
  dz_ = frame_.unknown("dz", frame_.z_dot0, h_);
  multipliers_from_ = static_cast<int>(frame_.step.unknowns.size());
  for (int i = 0; i < s_; ++i) Psi_.push_back(frame_.unknown(numbered("Psi", i + 1), frame_.psi0));
  for (int j = 0; j <= m_; ++j) Lambda_.push_back(frame_.unknown(numbered("Lambda", j), frame_.lambda0));
  y_from_ = static_cast<int>(frame_.step.unknowns.size());
  if (!implicit_y_) return;
  const Exprs v0 = at(e, e.v, {t0_, frame_.y0, frame_.z0});
  for (int i = 0; i < s_; ++i) dY_.push_back(frame_.unknown(numbered("dY", i + 1), v0, k.c[i] * h_));
}

/// h sum_j row_j values_j.
Exprs SparkStep::combination(const QuadVector& row, const std::vector<Exprs>& values, std::size_t size) {
  std::vector<Exprs> terms(size);
  for (std::size_t j = 0; j < row.size(); ++j) add_scaled(terms, row[j], values[j]);
  Exprs result = totals(graph_, terms);
  for (Expr& x : result) x = h_ * x;
  return result;
}

void SparkStep::make_stages() {
  const Exprs &y0 = frame_.y0, &z0 = frame_.z0;
  for (int i = 0; i < s_; ++i) {
    T_.push_back(t0_ + k_.c[i] * h_);
    Z_.push_back(plus(z0, dZ_[i]));
  }
  for (int i = 0; i < s_; ++i) {
    Exprs y = y0;
    if (implicit_y_) {
      y = plus(y0, dY_[i]);
      frame_.settle(e_, T_[i], y, at_stage(i));
    }
    v_.push_back(at(e_, e_.v, {T_[i], y, Z_[i]}));
    if (implicit_y_) Y_.push_back(y);
  }
  for (int i = 0; i < s_ && !implicit_y_; ++i) {
    Y_.push_back(plus(y0, combination(k_.A[i], v_, n_y_)));
    frame_.settle(e_, T_[i], Y_[i], at_stage(i));
  }
  y1_ = plus(y0, combination(k_.b, v_, n_y_));
  frame_.settle_end(e_, y1_);
  z1_ = plus(z0, dz_);
}

void SparkStep::make_forces() {
  for (int i = 0; i < s_; ++i) {
    f_.push_back(at(e_, e_.f, {T_[i], Y_[i], Z_[i]}));
    N_.push_back(at(e_, e_.N, {T_[i], Y_[i], Z_[i]}, frame_.lambda0, Psi_[i]));
  }
  for (int j = 0; j <= m_ && n_g_ > 0; ++j) {
    const Expr t = t0_ + k_.c_tilde[j] * h_;
    Y_tilde_.push_back(j == m_ ? y1_ : plus(frame_.y0, combination(k_.A_bar[j], v_, n_y_)));
    if (j < m_) frame_.settle(e_, t, Y_tilde_[j], " at point " + std::to_string(j));
    r_.push_back(at(e_, e_.r, {t, Y_tilde_[j], frame_.z0}, Lambda_[j], frame_.psi0));
  }
}

/// Of a function of t, y, z from the start of the step on. Where the mass matrix depends on q, the difference of two
/// momenta would bring the rounding of whole momenta into every step, however short it is.
Exprs SparkStep::change_since_start(const Exprs& function, const Point& to) const {
  const Point from{t0_, frame_.y0, frame_.z0};
  const Exprs symbols = joined<Expr>(e_.t, e_.y, e_.z), start = joined<Expr>(from.t, from.y, from.z),
              end = joined<Expr>(to.t, to.y, to.z);
  Exprs steps;
  for (std::size_t i = 0; i < start.size(); ++i) steps.push_back(increment(end[i], start[i]));
  if (const auto change = change_between(function, symbols, start, end, steps, graph_)) return *change;
  Exprs difference = at(e_, function, to);
  const Exprs before = at(e_, function, from);
  for (std::size_t i = 0; i < difference.size(); ++i) difference[i] = difference[i] - before[i];
  return difference;
}

/// p = p0 + h sum ah f + h sum ap N + h sum at r; the increment of p is exact where p is linear in z.
void SparkStep::add_momentum(const Momentum& balance) {
  const Point& x = balance.at;
  Exprs left = balance.ends && !e_.constant_mass ? change_since_start(e_.p, x)
                                                 : at(e_, e_.p, {x.t, x.y, e_.constant_mass ? balance.dz : x.z});
  if (!balance.ends && !e_.constant_mass)
    for (std::size_t i = 0; i < n_z_; ++i) left[i] = left[i] - p0_[i];
  std::vector<Exprs> terms(n_z_);
  for (int j = 0; j < s_; ++j) add_scaled(terms, balance.a_hat[j], f_[j]);
  for (int j = 0; j < s_ && n_k_ > 0; ++j) add_scaled(terms, balance.a_prime[j], N_[j]);
  for (int j = 0; j <= m_ && n_g_ > 0; ++j) add_scaled(terms, balance.a_tilde[j], r_[j]);
  const Exprs right = totals(graph_, terms);
  for (std::size_t i = 0; i < n_z_; ++i) left[i] = left[i] - h_ * right[i];
  frame_.equation(left, "momentum of ", e_.z_names, balance.where);
}

/// sum_j b_j c_j^{i-1} k_j = 0, i = 1..s-1, and k = 0 at the end; or what else the coefficients ask for.
void SparkStep::add_nonholonomic() {
  if (n_k_ == 0) return;
  std::vector<Exprs> k_stage;
  for (int i = 0; i < s_; ++i) k_stage.push_back(at(e_, e_.k, {T_[i], Y_[i], Z_[i]}));
  switch (k_.nonholonomic) {
    case Nonholonomic::stages:
      for (int i = 0; i < s_; ++i) frame_.equation(k_stage[i], "constraint ", e_.k_names, at_stage(i));
      return;
    case Nonholonomic::weighted:
      for (int i = 1; i < s_; ++i) {
        std::vector<Exprs> terms(n_k_);
        for (int j = 0; j < s_; ++j) add_scaled(terms, k_.b[j] * power_of_node(k_.c[j], i - 1), k_stage[j]);
        frame_.equation(totals(graph_, terms), "constraint ", e_.k_names, " over the stages");
      }
      break;
    case Nonholonomic::middle:
      const Expr half = h_ / Quad(2);
      Exprs middle;
      for (std::size_t i = 0; i < n_y_; ++i) middle.push_back(frame_.y0[i] + half * Z_[0][i]);
      frame_.equation(at(e_, e_.k, {t0_ + half, middle, Z_[0]}), "constraint ", e_.k_names,
                      " in the middle of the step");
      break;
  }
  frame_.at_end(e_, e_.k, {t1_, y1_, z1_}, "constraint ", e_.k_names);
}

/// g = 0 at the points 1..m, g_t + g_y v = 0 at the end.
void SparkStep::add_holonomic() {
  if (n_g_ == 0) return;
  for (int i = 1; i < m_; ++i)
    frame_.equation(at(e_, e_.g, {t0_ + k_.c_tilde[i] * h_, Y_tilde_[i], frame_.z0}), "constraint ", e_.g_names,
                    " at point " + std::to_string(i));
  frame_.at_end(e_, e_.g, {t1_, y1_, z1_}, "constraint ", e_.g_names);
  frame_.at_end(e_, e_.g_dot, {t1_, y1_, z1_}, "velocity of constraint ", e_.g_names);
}

void SparkStep::add_positions() {
  if (!implicit_y_) return;
  for (int i = 0; i < s_; ++i) {
    Exprs left = combination(k_.A[i], v_, n_y_);
    for (std::size_t q = 0; q < n_y_; ++q) left[q] = dY_[i][q] - left[q];
    frame_.equation(left, "position of ", e_.y_names, at_stage(i));
  }
}

/// Work grows as an entry of z would, by h sum bh P_j with what is linear in lambda as h sum bt P_j: with the order of
/// the method. Nothing is told where a power has z beside lambda, which r never has.
void SparkStep::add_work() {
  if (!e_.energy || conserves_energy(e_)) return;
  const Exprs powers = work_powers(e_);
  const SparseExprs by_lambda = jacobian(powers, e_.lambda);
  if (depends(by_lambda.value, joined<Expr>(e_.z, e_.lambda, e_.psi))) return;
  if (depends(powers, e_.psi) && k_.b_prime != k_.b_hat) return;
  std::vector<Exprs> terms(powers.size());
  const Exprs no_lambda(n_g_, graph_.constant(0));
  for (int j = 0; j < s_; ++j)
    add_scaled(terms, k_.b_hat[j], at(e_, powers, {T_[j], Y_[j], Z_[j]}, no_lambda, Psi_[j]));
  for (int j = 0; j <= m_ && !by_lambda.value.empty(); ++j) {
    const SparseExprs rates =
        at_point(e_, by_lambda, {t0_ + k_.c_tilde[j] * h_, Y_tilde_[j], frame_.z0}, no_lambda, Psi_[0]);
    for (int i = 0; i < rates.rows; ++i)
      for (int k = rates.row_start[i]; k < rates.row_start[i + 1]; ++k)
        if (k_.b_tilde[j] != 0) terms[i].push_back(k_.b_tilde[j] * (rates.value[k] * Lambda_[j][rates.column[k]]));
  }
  for (const Expr sum : totals(graph_, terms)) frame_.step.work.push_back(h_ * sum);
}

void SparkStep::add_scales() {
  // Rounding in g is rounding of y, and so eps |y| / h in the stages Z.
  const Expr size_z = frame_.size_z(), size_y = frame_.size_y();
  const Expr size_stage = n_g_ > 0 ? graph_.make(Op::max, size_z, size_y / abs(h_)) : size_z;
  const int all_z = static_cast<int>(s_ * n_z_);
  auto& groups = frame_.step.groups;
  const Expr own = n_g_ > 0 ? size_z : Expr();
  groups.push_back({0, all_z, size_stage, own});
  groups.push_back({all_z, static_cast<int>(n_z_), size_stage, own});
  groups.push_back({multipliers_from_, y_from_ - multipliers_from_, Expr()});
  if (implicit_y_) groups.push_back({y_from_, static_cast<int>(s_ * n_y_), size_y});
}

void SparkStep::keep_multipliers() {
  for (int i = 0; i < s_; ++i) frame_.keep(Psi_[i], "Psi" + std::to_string(i + 1) + ".", e_.k_names);
  for (int j = 0; j <= m_; ++j) frame_.keep(Lambda_[j], "Lambda" + std::to_string(j + 1) + ".", e_.g_names);
}

/// Whether the stages can be split: there are no contact points, the constraints stand at Lobatto points, and there is
/// more than one block.
bool SparkStep::splits() const {
  const bool with_extra_point = m_ == s_;
  const bool lobatto_points = with_extra_point || m_ == s_ - 1;
  return e_.auxiliary.empty() && lobatto_points && s_ > (with_extra_point ? 0 : 1) &&
         k_.nonholonomic == Nonholonomic::weighted;
}

void SparkStep::add_structure() {
  auto d = std::make_shared<StageStructure>(stage_transformation(k_));
  d->n_y = static_cast<int>(n_y_);
  d->n_z = static_cast<int>(n_z_);
  d->n_g = static_cast<int>(n_g_);
  d->n_k = static_cast<int>(n_k_);
  d->open_chains = e_.open_chains;
  d->implicit_y = implicit_y_;
  const Point start{t0_, frame_.y0, frame_.z0};
  const Exprs& lambda = n_g_ > 0 ? Lambda_[0] : frame_.lambda0;
  const Exprs& psi = n_k_ > 0 ? Psi_[0] : frame_.psi0;
  d->p_z = at_point(e_, jacobian(e_.p, e_.z), start, lambda, psi);
  d->r_lambda = at_point(e_, jacobian(e_.r, e_.lambda), start, lambda, psi);
  d->N_psi = at_point(e_, jacobian(e_.N, e_.psi), start, lambda, psi);
  d->g_z = at_point(e_, jacobian(e_.g_dot, e_.z), start, lambda, psi);
  d->k_z = at_point(e_, jacobian(e_.k, e_.z), start, lambda, psi);
  frame_.step.stages = d;
}

/// The stages lie on the motion. Contact points are unknowns of their own: with them nothing is said.
void SparkStep::add_series() {
  if (!e_.auxiliary.empty()) return;
  const auto series = [&](int state, std::size_t count, int first, QuadVector nodes) {
    StageSeries one{state, false, static_cast<int>(count), {}, {}};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      one.first.push_back(first + static_cast<int>(i * count));
      one.nodes.push_back(static_cast<double>(nodes[i]));
    }
    if (count > 0) frame_.step.series.push_back(one);
  };
  QuadVector with_end = k_.c;
  with_end.push_back(1);
  const int from = multipliers_from_, all_psi = s_ * static_cast<int>(frame_.psi0.size());
  series(static_cast<int>(n_y_), n_z_, 0, with_end);
  series(-1, frame_.psi0.size(), from, k_.c);
  if (m_ >= 0) series(-1, frame_.lambda0.size(), from + all_psi, k_.c_tilde);
  if (implicit_y_) series(0, n_y_, y_from_, k_.c);
}

StepPlan SparkStep::plan() {
  make_stages();
  make_forces();
  p0_ = at(e_, e_.p, {t0_, frame_.y0, frame_.z0});
  for (int i = 0; i < s_; ++i)
    add_momentum({{T_[i], Y_[i], Z_[i]}, dZ_[i], k_.A_hat[i], k_.A_prime[i], k_.A_tilde[i], at_stage(i)});
  add_momentum({{t1_, y1_, z1_}, dz_, k_.b_hat, k_.b_prime, k_.b_tilde, " at the end of the step", true});
  add_nonholonomic();
  add_holonomic();
  add_positions();
  add_work();
  add_scales();
  keep_multipliers();
  if (splits()) add_structure();
  add_series();
  return frame_.plan(y1_, z1_);
}

}  // namespace

StepPlan spark_step(const Equations& e, const SparkCoefficients& k) { return SparkStep(e, k).plan(); }

}  // namespace alembert::internal
