#pragma once

// What the texts of forms have in common, whatever language they are in.

#include <string>
#include <vector>

#include "alembert/expr/form.h"
#include "alembert/expr/piecewise.h"

namespace alembert::internal::form {

/// A number as one writes it: n/d where that is short, n perhaps with a root or pi; else as it is (d = 1).
struct Fraction {
  std::string n, d;
};
enum class Writing { infix, latex };
Fraction fraction_of(Quad value, Writing writing = Writing::infix);  // not negative

/// To the digits that a reader wants, which are those of double precision.
Quad shown_number(Quad value);

/// Terms as they are written: where some are positive one of these stands first.
std::vector<Term> written_order(const Sum& sum);

/// The table of an atom that is a function of one.
const Piecewise& piecewise_of(const Atom& atom);

}  // namespace alembert::internal::form
