#include "alembert/newton/two_matrix.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "alembert/base/bytes.h"
#include "alembert/base/lists.h"
#include "alembert/base/processor.h"
#include "alembert/code/wide.h"
#include "alembert/error.h"
#include "alembert/linear/block_matrix.h"

namespace alembert::internal {

namespace {

using Matrix = std::vector<std::vector<double>>;

Matrix to_double(const QuadMatrix& from) {
  Matrix result;
  for (const QuadVector& row : from) result.emplace_back(row.begin(), row.end());
  return result;
}

// y += a * (sparse block) x, values from the kernel's output.
void add_product(const SparseExprs& block, const double* values, double a, const double* x, double* y) {
  for (int i = 0; i < block.rows; ++i)
    for (int k = block.row_start[i]; k < block.row_start[i + 1]; ++k) y[i] += a * values[k] * x[block.column[k]];
}

// Entries from..to of a x + b y, added to the result where there is something.
ALEMBERT_BEST_PROCESSOR
void combine_two(double a, const double* x, double b, const double* y, bool added, double* __restrict result, int from,
                 int to) {
  int c = from;
  for (; c + pack_width <= to; c += pack_width) {
    DoublePack& sum = *reinterpret_cast<DoublePack*>(result + c);
    const DoublePack before = added ? sum : DoublePack{};
    sum = before + a * *reinterpret_cast<const DoublePack*>(x + c) + b * *reinterpret_cast<const DoublePack*>(y + c);
  }
  for (; c < to; ++c) result[c] = (added ? result[c] : 0) + a * x[c] + b * y[c];
}

ALEMBERT_BEST_PROCESSOR
void combine_one(double a, const double* x, bool added, double* __restrict result, int from, int to) {
  int c = from;
  for (; c + pack_width <= to; c += pack_width) {
    DoublePack& sum = *reinterpret_cast<DoublePack*>(result + c);
    const DoublePack before = added ? sum : DoublePack{};
    sum = before + a * *reinterpret_cast<const DoublePack*>(x + c);
  }
  for (; c < to; ++c) result[c] = (added ? result[c] : 0) + a * x[c];
}

// Entries from..to of sum_j row[j] x_j, where x_0, x_1, ... lie `apart` from each other. Two terms at a time: how many
// there are is not asked for every entry.
void combine(const double* row, int count, const double* x, int apart, double* result, int from, int to) {
  const auto term = [&](int j) { return x + static_cast<std::ptrdiff_t>(j) * apart; };
  const auto next = [&](int j) {
    while (j < count && row[j] == 0) ++j;
    return j;
  };
  bool added = false;
  for (int j = next(0); j < count;) {
    const int k = next(j + 1);
    if (k < count) combine_two(row[j], term(j), row[k], term(k), added, result, from, to);
    else combine_one(row[j], term(j), added, result, from, to);
    added = true;
    j = k < count ? next(k + 1) : count;
  }
  if (!added) std::fill(result + from, result + to, 0.0);
}

// Long vectors piece by piece: what several sums are made of is read once from memory.
template <class Work>
void in_pieces(int n, Work work) {
  constexpr int piece = 256;  // 2 KB of each: those of sixteen stages fit into the nearest cache
  for (int from = 0; from < n; from += piece) work(from, std::min(n, from + piece));
}

}  // namespace

struct TwoMatrix::Body {
  std::shared_ptr<const StageStructure> structure;
  Matrix Q, Q_inverse, g_rows, psi_back, lambda_back;
  Matrix g_scaled, psi_scaled, lambda_scaled;  // the last three with h
  std::vector<double> last_psi, last_lambda;
  WideKernel<double> kernel;
  std::vector<double> values, work, blocks;
  int from_r = 0, from_N = 0;
  double h = 0;
  std::optional<BlockMatrix> first, last;  // last is empty where it equals first

  Body(const StageStructure& given, const Exprs& all, KernelOptions options);
  void make_matrices(int from_p, int from_g, int from_k);
  void solve(double* b) noexcept;
  void scale_rows() noexcept;
};

TwoMatrix::Body::Body(const StageStructure& given, const Exprs& all, KernelOptions options)
    : structure(std::make_shared<const StageStructure>(given)),
      Q(to_double(given.Q)),
      Q_inverse(to_double(given.Q_inverse)),
      g_rows(to_double(given.g_rows)),
      psi_back(to_double(given.psi_back)),
      lambda_back(to_double(given.lambda_back)),
      g_scaled(g_rows),
      psi_scaled(psi_back),
      lambda_scaled(lambda_back),
      last_psi(given.last_psi.begin(), given.last_psi.end()),
      last_lambda(given.last_lambda.begin(), given.last_lambda.end()) {
  Exprs outputs;
  const auto place = [&](const SparseExprs& block) {
    const int at = static_cast<int>(outputs.size());
    append(outputs, block.value);
    return at;
  };
  const int from_p = place(given.p_z);
  from_r = place(given.r_lambda);
  from_N = place(given.N_psi);
  const int from_g = place(given.g_z);
  const int from_k = place(given.k_z);
  kernel = WideKernel<double>(all, outputs, options);
  values.resize(outputs.size());
  work.resize(kernel.work());
  make_matrices(from_p, from_g, from_k);
}

/// K1 and, where it is another one, the matrix of the last block.
void TwoMatrix::Body::make_matrices(int from_p, int from_g, int from_k) {
  const StageStructure& d = *structure;
  using Placed = BlockMatrix::Placed;
  const std::vector<Placed> inner{
      {&d.p_z, 0, 0, from_p, 1}, {&d.r_lambda, 0, d.n_z, from_r, -1}, {&d.g_z, d.n_z, 0, from_g, 1}};
  std::vector<Placed> outer = inner;
  outer.push_back({&d.N_psi, 0, d.n_z + d.n_g, from_N, -1});
  outer.push_back({&d.k_z, d.n_z + d.n_g, 0, from_k, 1});
  first.emplace(d.n_z + d.n_g + d.n_k, d.n_z, d.s + 1, outer);
  const bool same = d.n_k == 0 && (d.last_with_g || d.n_g == 0);
  if (!same && d.last_with_g) last.emplace(d.n_z + d.n_g, d.n_z, 1, inner);
  if (!same && !d.last_with_g) last.emplace(d.n_z, d.n_z, 1, std::vector<Placed>{inner[0]});
  blocks.resize(static_cast<std::size_t>(d.s + 1) * first->size());
}

void TwoMatrix::Body::solve(double* b) noexcept {
  const StageStructure& d = *structure;
  const int s = d.s, n_z = d.n_z, n_g = d.n_g, n_k = d.n_k, n = first->size();
  const int g_blocks = n_g > 0 ? static_cast<int>(g_rows.size()) : 0;  // s + 1 or s
  const auto block = [&](int i) { return blocks.data() + static_cast<std::size_t>(i) * n; };
  // The parts of b: residuals at first, corrections in the end. Those of y stay as they are.
  double* const Z = b;
  double* const Psi = Z + (s + 1) * n_z;
  double* const Lambda = Psi + s * n_k;
  // Right-hand sides of the blocks: transformed rows.
  in_pieces(n_z, [&](int from, int to) {
    for (int i = 0; i <= s; ++i) combine(Q[i].data(), s + 1, Z, n_z, block(i), from, to);
  });
  in_pieces(n_g, [&](int from, int to) {
    for (int i = 0; i < g_blocks; ++i) combine(g_scaled[i].data(), d.points, Lambda, n_g, block(i) + n_z, from, to);
  });
  for (int i = 0; i <= s; ++i) {
    if (i >= g_blocks) std::fill_n(block(i) + n_z, n_g, 0.0);
    if (i < s) std::copy_n(Psi + i * n_k, n_k, block(i) + n_z + n_g);
    else std::fill_n(block(i) + n_z + n_g, n_k, 0.0);
  }
  // The last block waits for the multipliers of the others, unless it has the same matrix and none of theirs.
  const bool together = !last && n_k == 0;
  first->solve(blocks.data(), together ? s + 1 : s);
  // Multipliers of the first s blocks; those of the last follow where it has them.
  in_pieces(n_k, [&](int from, int to) {
    for (int i = 0; i < s; ++i) combine(psi_scaled[i].data(), s, block(0) + n_z + n_g, n, Psi + i * n_k, from, to);
  });
  for (int j = 0; j < s && n_k > 0; ++j)
    if (last_psi[j] != 0) add_product(d.N_psi, values.data() + from_N, h * last_psi[j], Psi + j * n_k, block(s));
  const auto lambdas = [&](int count) {
    in_pieces(n_g, [&](int from, int to) {
      for (int i = 0; i < d.points; ++i)
        combine(lambda_scaled[i].data(), count, block(0) + n_z, n, Lambda + i * n_g, from, to);
    });
  };
  if (!d.last_with_g && n_g > 0) {
    lambdas(s);
    for (int j = 0; j < d.points; ++j)
      if (last_lambda[j] != 0)
        add_product(d.r_lambda, values.data() + from_r, h * last_lambda[j], Lambda + j * n_g, block(s));
  }
  if (!together) (last ? *last : *first).solve(block(s));
  if (d.last_with_g && n_g > 0) lambdas(s + 1);
  in_pieces(n_z, [&](int from, int to) {
    for (int i = 0; i <= s; ++i) combine(Q_inverse[i].data(), s + 1, block(0), n, Z + i * n_z, from, to);
  });
}

/// What the rows of the constraints and of the multipliers are multiplied by holds h.
void TwoMatrix::Body::scale_rows() noexcept {
  for (std::size_t i = 0; i < g_rows.size(); ++i)
    for (int j = 0; j < structure->points; ++j) g_scaled[i][j] = g_rows[i][j] / (j + 1 < structure->points ? h : 1.0);
  for (std::size_t i = 0; i < psi_back.size(); ++i)
    for (std::size_t j = 0; j < psi_back[i].size(); ++j) psi_scaled[i][j] = psi_back[i][j] / h;
  for (std::size_t i = 0; i < lambda_back.size(); ++i)
    for (std::size_t j = 0; j < lambda_back[i].size(); ++j) lambda_scaled[i][j] = lambda_back[i][j] / h;
}

TwoMatrix::TwoMatrix(const StageStructure& structure, const Exprs& all, int inputs, KernelOptions options)
    : body_(std::make_unique<Body>(structure, all, options)) {
  check(inputs >= 2, "two-matrix iteration: h is the second input");
}
TwoMatrix::TwoMatrix(std::unique_ptr<Body> body) : body_(std::move(body)) {}
TwoMatrix::~TwoMatrix() = default;

std::unique_ptr<TwoMatrix> TwoMatrix::clone() const {
  return std::unique_ptr<TwoMatrix>(new TwoMatrix(std::make_unique<Body>(*body_)));
}

bool TwoMatrix::factor(const double* x) noexcept {
  body_->h = x[1];
  body_->scale_rows();
  body_->kernel(x, body_->values.data(), body_->work.data());
  if (!body_->first->factor(body_->values.data())) return false;
  return !body_->last || body_->last->factor(body_->values.data());
}

void TwoMatrix::solve(double* b) noexcept { body_->solve(b); }

std::vector<int> TwoMatrix::sizes() const {
  std::vector<int> sizes{body_->first->size()};
  if (body_->last) sizes.push_back(body_->last->size());
  return sizes;
}

int TwoMatrix::factorizations() const { return body_->last ? 2 : 1; }

void TwoMatrix::bind(const double* parameters) noexcept { body_->kernel.bind(parameters); }

void TwoMatrix::save(ByteWriter& out) const {
  out.write(body_->h);
  out.write(body_->values);
  body_->first->save(out);
  if (body_->last) body_->last->save(out);
}

void TwoMatrix::load(ByteReader& in) {
  in.read(body_->h);
  if (body_->h != 0) body_->scale_rows();
  in.refill(body_->values);
  body_->first->load(in);
  if (body_->last) body_->last->load(in);
}

}  // namespace alembert::internal
