#pragma once

// What the texts of forms have in common, whatever language they are in.

#include <string>
#include <vector>

#include "alembert/expr/form.h"

namespace alembert::internal::form {

/// A number as one writes it: n/d where that is short, else as it is (d = 1).
struct Fraction {
  std::string n, d;
};
Fraction fraction_of(Quad value);  // not negative

/// To the digits that a reader wants, which are those of double precision.
Quad shown_number(Quad value);

/// Terms as they are written: where some are positive one of these stands first.
std::vector<Term> written_order(const Sum& sum);

/// What `where` asks for: "x > 0", "x <= 0 and y > 0". sum_text writes a sum.
std::string condition(const FormTable& table, const Sum& asked, std::string (*sum_text)(const FormTable&, const Sum&),
                      const std::string& at_most, const std::string& conjunction);

}  // namespace alembert::internal::form
