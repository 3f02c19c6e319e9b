#pragma once

// The derived equations as a reader wants them: text in the model language (with accelerations), or LaTeX.

#include <cstddef>
#include <string>

#include "alembert/derive/equations.h"

namespace alembert::internal {

/// all: everything that is derived. The others: one system of differential-algebraic equations, with the holonomic
/// constraints differentiated twice, once, or as they are together with their first derivative (Gear, Gupta,
/// Leimkuhler).
enum class ShownForm { all, index1, index2, ggl };

struct ShowOptions {
  ShownForm form = ShownForm::all;
  bool latex = false;         // a document with an align* environment a section, instead of text
  std::size_t rows = 60;      // equations shown of one section; how many are left out is said
  std::size_t length = 2000;  // characters of one right side; a longer one is replaced by its number of operations
};

/// What every symbol stands for, then sections q' = v, p, f, N, r, g, g_t + g_q v, k, energy, invariants, index-reduced
/// system; those that are empty are left out. Right sides are simplified for the reader (expr/collect.h). The equations
/// are best derived with symbolic parameters. Ends with a newline.
std::string show(const Model& model, const Equations& e, const ShowOptions& options = {});

}  // namespace alembert::internal
