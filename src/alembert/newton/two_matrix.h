#pragma once

// The modified Newton iteration of Jay (modified Newton iterations) for SPARK steps: whatever the number of stages,
// only the two matrices
//     K1 = [p_z -r_lambda -N_psi; g_y v_z 0 0; k_z 0 0]   and   K2 = [p_z -r_lambda; g_y v_z 0]
// (for Lobatto IIIA-IIIB: K1 and p_z) are factorised, at the start of the step. A constant transformation of the stages
// makes the leading part of Newton's matrix block diagonal; what is neglected is O(h), and so is the contraction.

#include <memory>
#include <vector>

#include "alembert/code/kernel.h"
#include "alembert/newton/stage_structure.h"

namespace alembert::internal {

class ByteReader;
class ByteWriter;

/// A stand-in for the inverse of Newton's matrix.
class TwoMatrix {
 public:
  TwoMatrix(const StageStructure& structure, const Exprs& all, int inputs, KernelOptions options);
  ~TwoMatrix();
  /// The same matrices with a memory of their own; the compiled code is shared.
  std::unique_ptr<TwoMatrix> clone() const;

  /// Takes the two matrices at x (inputs, unknowns); false when one is singular.
  bool factor(const double* x) noexcept;
  /// Replaces the residuals b of all equations by the correction of all unknowns.
  void solve(double* b) noexcept;
  std::vector<int> sizes() const;
  int factorizations() const;  // per factor()

  /// Where the kernel reads parameters from, see Kernel.
  void bind(const double* parameters) noexcept;
  /// The factorisation; load() takes that of the same structure (else InputError).
  void save(ByteWriter& out) const;
  void load(ByteReader& in);

 private:
  struct Body;
  explicit TwoMatrix(std::unique_ptr<Body> body);
  std::unique_ptr<Body> body_;
};

}  // namespace alembert::internal
