#include "alembert/newton/explicit_stages.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/base/profile.h"
#include "alembert/newton/explicit_formulas.h"
#include "alembert/newton/usual_equations.h"

namespace alembert::internal {

namespace {

// Smaller pivots, against the diagonal, are left to the general Newton.
constexpr double least_pivot = 1e-8;
// A body that many constraints touch would fill the matrices: their entries, against those of the derivatives.
constexpr std::size_t most_fill = 4;

/// The lower triangle by rows, and for each entry left of the diagonal the one at its mirror image: the numbers of the
/// entries. False where the pattern is not symmetric or has no diagonal.
struct Halves {
  std::vector<int> row_start{0}, column;
  std::vector<std::uint32_t> lower, mirrored;

  bool take(const NumberedRows& rows) {
    std::size_t above = 0;
    const auto left_of = [](const NumberedRows::Entry& entry, int column) { return entry.column < column; };
    for (int i = 0; i + 1 < static_cast<int>(rows.start.size()); ++i) {
      bool diagonal = false;
      for (int k = rows.start[i]; k < rows.start[i + 1]; ++k) {
        const auto [j, number] = rows.entries[k];
        above += j > i ? 1 : 0;
        if (j > i) continue;
        column.push_back(j);
        lower.push_back(number);
        diagonal = diagonal || j == i;
        if (j == i) continue;
        const auto from = rows.entries.begin() + rows.start[j], to = rows.entries.begin() + rows.start[j + 1],
                   mirror = std::lower_bound(from, to, i, left_of);
        if (mirror == to || mirror->column != i) return false;
        mirrored.push_back(mirror->number);
      }
      if (!diagonal) return false;
      row_start.push_back(static_cast<int>(column.size()));
    }
    return above == mirrored.size();
  }
};

}  // namespace

/// False where the matrix fills up, or is not symmetric in its pattern.
bool ExplicitStages::fill(Level& level, const ExplicitFormulas& f, KernelOptions options) {
  std::vector<AlikeFormulas> values, residuals, entries;
  const NumberedRows matrix = f.entries(entries);
  Halves halves;
  if (!halves.take(matrix)) return false;
  level.matrix = SparseLdl(f.rows.size(), halves.row_start, halves.column);
  std::size_t derivatives = f.outer_entries();
  for (const int block : level.blocks) derivatives += f.inner_entries(block - level.first, level.size);
  if (level.matrix.cost() > static_cast<double>(most_fill * derivatives)) return false;
  std::vector<std::uint32_t> to(matrix.entries.size());
  std::uint32_t next = 0;
  for (const auto* numbers : {&halves.lower, &halves.mirrored})
    for (const std::uint32_t number : *numbers) to[number] = next++;
  for (AlikeFormulas& one : entries)
    for (std::uint32_t& number : one.to) number = to[number];
  std::size_t given = 0;
  for (const int block : level.blocks) {
    f.values.place(block - level.first, level.size, given, f.all, values);
    given += static_cast<std::size_t>(level.size);
  }
  f.constraints.place(0, f.constraints.size(), 0, f.all, residuals);
  level.values = WideKernel<double>(f.all, std::move(values), options);
  level.residuals = WideKernel<double>(f.all, std::move(residuals), options);
  level.entries = WideKernel<double>(f.all, std::move(entries), options);
  return true;
}

/// Stages with the same formulas are one: what each input stands for then.
std::vector<std::uint32_t> ExplicitStages::find_alike(Level& level, const ExplicitFormulas& f) {
  std::vector<std::uint32_t> stands_for(f.all.size());
  std::iota(stands_for.begin(), stands_for.end(), 0u);
  for (int block = 0; block < f.values.size(); block += level.size) {
    const auto alike = [&](int other) { return f.alike(block, other, level.size); };
    const auto known = std::find_if(level.blocks.begin(), level.blocks.end(), alike);
    if (known == level.blocks.end()) {
      level.blocks.push_back(block);
      continue;
    }
    level.copies.push_back(static_cast<int>(known - level.blocks.begin()));
    level.copied_to.push_back(block);
    for (int k = 0; k < level.size; ++k) stands_for[f.own + block + k] = static_cast<std::uint32_t>(f.own + *known + k);
  }
  return stands_for;
}

std::unique_ptr<ExplicitStages> ExplicitStages::make(const ImplicitEquations& e, KernelOptions options) {
  if (!e.stages || e.fewer || e.inclusions || e.groups.size() != 3 || e.groups.back().counts()) return nullptr;
  const StageStructure& d = *e.stages;
  if (d.points != 2 || d.n_k > 0 || d.n_g == 0 || d.implicit_y) return nullptr;
  const int core = d.s * d.n_z, all_z = core + d.n_z, n = static_cast<int>(e.unknowns.size());
  if (n != all_z + 2 * d.n_g) return nullptr;
  const Exprs all = joined<Expr>(e.inputs, e.unknowns);
  const auto read = [&](int from, int count) { return FormulaList::read(all, slice(e.equations, from, count)); };
  std::optional<FormulaList> at_stages = read(0, core), at_end = read(core, d.n_z), position = read(all_z, d.n_g),
                             velocity = read(all_z + d.n_g, d.n_g);
  if (!at_stages || !at_end || !position || !velocity) return nullptr;
  // The numbers of the inputs of formulas: of the stages, their end, and the multipliers.
  const int stages = static_cast<int>(e.inputs.size()), end = stages + core, first = end + d.n_z,
            second = first + d.n_g, past = second + d.n_g;
  const auto take = ExplicitFormulas::take;
  if (take(*at_stages, end, first) || take(*at_stages, second, past) || take(*position, end, past)) return nullptr;

  std::unique_ptr<ExplicitStages> made(new ExplicitStages);
  Level &p = made->positions_, &v = made->velocities_;
  p.size = v.size = d.n_z;
  ExplicitFormulas of_positions{all, stages, first, std::move(*at_stages), {}};
  if (!of_positions.solve(e.unknowns)) return nullptr;
  const std::vector<std::uint32_t> stands_for = find_alike(p, of_positions);
  of_positions.constraints = position->merged(stands_for, all);
  ExplicitFormulas of_velocities{all, end, second, at_end->merged(stands_for, all), velocity->merged(stands_for, all)};
  if (!of_velocities.solve(e.unknowns) || take(of_velocities.constraints, second, past)) return nullptr;
  of_positions.derive();
  of_velocities.derive();
  // Once the stages are known, all that is left is linear.
  const Exprs unknown = joined<Expr>(slice(all, end, d.n_z), slice(all, second, d.n_g));
  if (depends(joined<Expr>(of_velocities.outer.value, of_velocities.inner.value), unknown)) return nullptr;
  v.blocks = {core};
  v.first = core;
  v.group = 1;
  p.multipliers = all_z;
  v.multipliers = all_z + d.n_g;
  made->inputs_ = stages;
  made->constraints_ = d.n_g;
  if (!fill(p, of_positions, options) || !fill(v, of_velocities, options)) return nullptr;
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
  copy_alike(x);
  return arrived_;
}

/// To the stages that have the same formulas.
void ExplicitStages::copy_alike(double* x) const noexcept {
  double* const unknowns = x + inputs_;
  for (std::size_t k = 0; k < positions_.copies.size(); ++k)
    std::copy_n(unknowns + positions_.blocks[positions_.copies[k]], positions_.size,
                unknowns + positions_.copied_to[k]);
}

void ExplicitStages::complete(double* x) noexcept {
  for (const Level* level : {&positions_, &velocities_}) {
    evaluate(*level, x);
    const double* next = next_.data();
    for (const int block : level->blocks) {
      std::copy_n(next, level->size, x + inputs_ + block);
      next += level->size;
    }
  }
  copy_alike(x);
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
