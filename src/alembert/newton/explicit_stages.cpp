#include "alembert/newton/explicit_stages.h"

#include <algorithm>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/base/profile.h"
#include "alembert/newton/usual_equations.h"

namespace alembert::internal {

namespace {

// Smaller pivots, against the diagonal, are left to the general Newton.
constexpr double least_pivot = 1e-8;
// A body that many constraints touch would fill the matrices: their entries, against those of the derivatives.
constexpr std::size_t most_fill = 4;

Exprs slice(const Exprs& list, int first, int count) { return {list.begin() + first, list.begin() + first + count}; }

/// a b; the entries of a row are summed in the same order everywhere, so that equal formulas read the same.
SparseExprs product(const SparseExprs& a, const SparseExprs& b) {
  SparseExprs result;
  result.rows = a.rows;
  result.columns = b.columns;
  result.row_start.push_back(0);
  std::vector<std::pair<int, Expr>> row;
  for (int i = 0; i < a.rows; ++i) {
    row.clear();
    for (int k = a.row_start[i]; k < a.row_start[i + 1]; ++k)
      for (int m = b.row_start[a.column[k]]; m < b.row_start[a.column[k] + 1]; ++m) {
        const auto at = [&](const auto& entry) { return entry.first == b.column[m]; };
        const auto known = std::find_if(row.begin(), row.end(), at);
        const Expr term = a.value[k] * b.value[m];
        if (known == row.end()) row.emplace_back(b.column[m], term);
        else known->second = known->second + term;
      }
    std::sort(row.begin(), row.end(), [](const auto& x, const auto& y) { return x.first < y.first; });
    for (const auto& [column, value] : row) {
      result.column.push_back(column);
      result.value.push_back(value);
    }
    result.row_start.push_back(static_cast<int>(result.column.size()));
  }
  return result;
}

/// The lower triangle by rows, and for each entry left of the diagonal the one at its mirror image. False where the
/// pattern is not symmetric or has no diagonal.
struct Halves {
  std::vector<int> row_start{0}, column;
  Exprs lower, mirrored;

  bool take(const SparseExprs& matrix) {
    std::size_t above = 0;
    for (int i = 0; i < matrix.rows; ++i) {
      bool diagonal = false;
      for (int k = matrix.row_start[i]; k < matrix.row_start[i + 1]; ++k) {
        const int j = matrix.column[k];
        above += j > i ? 1 : 0;
        if (j > i) continue;
        column.push_back(j);
        lower.push_back(matrix.value[k]);
        diagonal = diagonal || j == i;
        if (j == i) continue;
        const auto from = matrix.column.begin() + matrix.row_start[j],
                   to = matrix.column.begin() + matrix.row_start[j + 1], mirror = std::lower_bound(from, to, i);
        if (mirror == to || *mirror != i) return false;
        mirrored.push_back(matrix.value[static_cast<std::size_t>(mirror - matrix.column.begin())]);
      }
      if (!diagonal) return false;
      row_start.push_back(static_cast<int>(column.size()));
    }
    return above == mirrored.size();
  }
};

/// What unknowns are in terms of others, where the equation of each is linear in it with a factor that no unknown
/// changes, and has no other of them; empty where they are not so.
Exprs solved_for(const Exprs& equations, const Exprs& own, const Exprs& unknowns) {
  const SparseExprs J = jacobian(equations, own);
  if (J.column.size() != own.size() || depends(J.value, unknowns)) return {};
  for (int i = 0; i < J.rows; ++i)
    if (J.row_start[i + 1] != i + 1 || J.column[i] != i) return {};
  Graph& graph = own.front().graph();
  const Exprs rest = substitute(equations, own, Exprs(own.size(), graph.constant(0)), graph);
  Exprs values;
  for (std::size_t i = 0; i < own.size(); ++i) values.push_back(-rest[i] * (Quad(1) / J.value[i]));
  return values;
}

}  // namespace

/// Of a level, as expressions.
struct ExplicitStages::Formulas {
  Exprs values;              // the unknowns, without those that are alike, in terms of the multipliers
  Exprs constraints;         // that decide these
  SparseExprs outer, inner;  // derivatives of the constraints by the unknowns, and of these by the multipliers

  Formulas(Exprs given_values, Exprs given_constraints, const Exprs& symbols, const Exprs& multipliers)
      : values(std::move(given_values)),
        constraints(std::move(given_constraints)),
        outer(jacobian(constraints, symbols)),
        inner(jacobian(values, multipliers)) {}
};

/// False where the matrix fills up, or is not symmetric in its pattern.
bool ExplicitStages::fill(Level& level, const Formulas& f, const Exprs& all, KernelOptions options) {
  const SparseExprs total = product(f.outer, f.inner);
  Halves halves;
  if (!halves.take(total)) return false;
  level.matrix = SparseLdl(total.rows, halves.row_start, halves.column);
  if (level.matrix.cost() > static_cast<double>(most_fill * (f.outer.column.size() + f.inner.column.size())))
    return false;
  level.values = WideKernel<double>(all, f.values, options);
  level.residuals = WideKernel<double>(all, f.constraints, options);
  level.entries = WideKernel<double>(all, joined<Expr>(halves.lower, halves.mirrored), options);
  return true;
}

/// Stages with the same formulas are one.
struct ExplicitStages::Distinct {
  Exprs symbols, values;
  Exprs from, to;  // the symbols of the others, and of those that they are
};

ExplicitStages::Distinct ExplicitStages::find_alike(Level& level, const Exprs& stages, const Exprs& values) {
  Distinct found;
  for (int block = 0; block < static_cast<int>(stages.size()); block += level.size) {
    const auto alike = [&](int other) {
      return std::equal(values.begin() + block, values.begin() + block + level.size, values.begin() + other);
    };
    const auto known = std::find_if(level.blocks.begin(), level.blocks.end(), alike);
    if (known == level.blocks.end()) {
      level.blocks.push_back(block);
      append(found.symbols, slice(stages, block, level.size));
      append(found.values, slice(values, block, level.size));
      continue;
    }
    level.copies.push_back(static_cast<int>(known - level.blocks.begin()));
    level.copied_to.push_back(block);
    append(found.from, slice(stages, block, level.size));
    append(found.to, slice(stages, *known, level.size));
  }
  return found;
}

std::unique_ptr<ExplicitStages> ExplicitStages::make(const ImplicitEquations& e, KernelOptions options) {
  if (!e.stages || e.fewer || e.inclusions || e.groups.size() != 3 || e.groups.back().counts()) return nullptr;
  const StageStructure& d = *e.stages;
  if (d.points != 2 || d.n_k > 0 || d.n_g == 0 || d.implicit_y) return nullptr;
  const int core = d.s * d.n_z, all_z = core + d.n_z, n = static_cast<int>(e.unknowns.size());
  if (n != all_z + 2 * d.n_g) return nullptr;
  Graph& graph = e.unknowns.front().graph();
  const Exprs stages = slice(e.unknowns, 0, core), end = slice(e.unknowns, core, d.n_z);
  const Exprs first = slice(e.unknowns, all_z, d.n_g), second = slice(e.unknowns, all_z + d.n_g, d.n_g);
  const Exprs at_stages = slice(e.equations, 0, core), position = slice(e.equations, all_z, d.n_g);
  if (depends(joined<Expr>(at_stages, position), joined<Expr>(end, second)) || depends(position, first)) return nullptr;
  const Exprs values = solved_for(at_stages, stages, e.unknowns);
  if (values.empty()) return nullptr;

  std::unique_ptr<ExplicitStages> made(new ExplicitStages);
  Level &p = made->positions_, &v = made->velocities_;
  p.size = v.size = d.n_z;
  const Distinct stage = find_alike(p, stages, values);
  Exprs rest = joined<Expr>(position, slice(e.equations, core, d.n_z), slice(e.equations, all_z + d.n_g, d.n_g));
  if (!stage.from.empty()) rest = substitute(rest, stage.from, stage.to, graph);
  const Exprs at_end = solved_for(slice(rest, d.n_g, d.n_z), end, e.unknowns);
  const Exprs velocity = slice(rest, d.n_g + d.n_z, d.n_g);
  if (at_end.empty() || depends(velocity, second)) return nullptr;
  const Formulas of_positions(stage.values, slice(rest, 0, d.n_g), stage.symbols, first);
  const Formulas of_velocities(at_end, velocity, end, second);
  // Once the stages are known, all that is left is linear.
  if (depends(joined<Expr>(of_velocities.outer.value, of_velocities.inner.value), joined<Expr>(end, second)))
    return nullptr;
  v.blocks = {core};
  v.group = 1;
  p.multipliers = all_z;
  v.multipliers = all_z + d.n_g;
  made->inputs_ = static_cast<int>(e.inputs.size());
  made->constraints_ = d.n_g;
  const Exprs all = joined<Expr>(e.inputs, e.unknowns);
  if (!fill(p, of_positions, all, options) || !fill(v, of_velocities, all, options)) return nullptr;
  made->take_memory();
  return made;
}

void ExplicitStages::take_memory() {
  std::size_t work = 0, entries = 0;
  for (const Level* level : {&positions_, &velocities_}) {
    work = std::max({work, level->values.work(), level->residuals.work(), level->entries.work()});
    entries = std::max(entries, static_cast<std::size_t>(level->entries.outputs()));
  }
  work_.resize(work);
  entries_.resize(entries);
  right_.resize(constraints_);
  next_.resize(positions_.blocks.size() * positions_.size);
}

/// What the unknowns of the level would be now.
void ExplicitStages::evaluate(const Level& level, const double* x) noexcept {
  level.values(x, next_.data(), work_.data());
}

/// Makes them so. How far they were from it.
double ExplicitStages::replace(const Level& level, double* x, const CorrectionNorm<double>& norm) const noexcept {
  double most = 0;
  const double* next = next_.data();
  for (const int block : level.blocks) {
    const double change = norm.replace(level.group, x + inputs_ + block, next, level.size);
    if (!(change <= most)) most = change;  // also where it is no number
    next += level.size;
  }
  return most;
}

bool ExplicitStages::factor(Level& level, const double* x) noexcept {
  const During factorising(Activity::factorisation);
  ++factorizations_;
  level.entries(x, entries_.data(), work_.data());
  // Those below the diagonal and on it, then those above.
  const int below = (level.entries.outputs() + constraints_) / 2;
  return level.matrix.factor(entries_.data(), entries_.data() + below, least_pivot);
}

/// The multipliers.
void ExplicitStages::correct(Level& level, double* x) noexcept {
  level.residuals(x, right_.data(), work_.data());
  level.matrix.solve(right_.data());
  double* const multipliers = x + inputs_ + level.multipliers;
  for (int i = 0; i < constraints_; ++i) multipliers[i] -= right_[i];
}

bool ExplicitStages::find_positions(double* x, const CorrectionNorm<double>& norm, double enough,
                                    NewtonResult& result) noexcept {
  const double share = norm.own_share();
  bool here = true, doubt = false;
  const auto at_rounding = [&] {
    doubt = true;
    return false;
  };
  convergence_.begin_simplified(share);
  evaluate(positions_, x);
  replace(positions_, x, norm);
  while (result.iterations < most_usual_iterations) {
    if (here && !factor(positions_, x)) return false;
    if (here) convergence_.new_matrix();
    const During evaluating(Activity::evaluation);
    correct(positions_, x);
    evaluate(positions_, x);
    ++result.iterations;
    result.correction = replace(positions_, x, norm);
    if (result.iterations == 1) result.first_correction = result.correction;
    if (result.correction <= enough) return true;
    const Verdict verdict = convergence_.simplified(result.correction, {false, here}, at_rounding);
    if (verdict == Verdict::converged) return !doubt;
    if (doubt || (verdict != Verdict::proceed && verdict != Verdict::renew)) return false;
    here = verdict == Verdict::renew || (enough == 0 && result.correction > far_correction * share);
  }
  return false;
}

/// One linear system; again where rounding may have left something.
bool ExplicitStages::find_velocities(double* x, const CorrectionNorm<double>& norm, double enough) noexcept {
  const double share = norm.own_share();
  evaluate(velocities_, x);
  replace(velocities_, x, norm);
  if (!factor(velocities_, x)) return false;
  const During evaluating(Activity::evaluation);
  double before = 0;
  for (int repeat = 0; repeat < most_repeats; ++repeat) {
    correct(velocities_, x);
    evaluate(velocities_, x);
    const double correction = replace(velocities_, x, norm);
    if (correction - correction != 0) return false;
    if (repeat > 0 && before > far_correction * share) tail_error_ = std::max(tail_error_, correction / before);
    const bool near = repeat > 0 || enough > 0 || correction <= far_correction * share;
    if (near && correction * tail_error_ <= std::max(left_over * share, enough)) return true;
    before = correction;
  }
  return false;
}

bool ExplicitStages::solve(double* x, const CorrectionNorm<double>& norm, double enough, NewtonResult& result,
                           NewtonStatistics& statistics) noexcept {
  result = {};
  factorizations_ = 0;
  arrived_ = find_positions(x, norm, enough, result) && find_velocities(x, norm, enough);
  statistics.factorizations += factorizations_;
  statistics.evaluations += result.iterations;
  result.moved = convergence_.moved();
  result.contraction = convergence_.contraction();
  double* const unknowns = x + inputs_;
  for (std::size_t k = 0; k < positions_.copies.size(); ++k)
    std::copy_n(unknowns + positions_.blocks[positions_.copies[k]], positions_.size,
                unknowns + positions_.copied_to[k]);
  return arrived_;
}

void ExplicitStages::bind(const double* parameters) noexcept {
  for (Level* level : {&positions_, &velocities_})
    for (WideKernel<double>* kernel : {&level->values, &level->residuals, &level->entries}) kernel->bind(parameters);
}

void ExplicitStages::save(ByteWriter& out) const {
  convergence_.save(out);
  out.write(tail_error_);
  out.write(arrived_);
}

void ExplicitStages::load(ByteReader& in) {
  convergence_.load(in);
  in.read(tail_error_);
  in.read(arrived_);
}

}  // namespace alembert::internal
