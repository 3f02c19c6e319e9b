#include "alembert/methods/method.h"

#include <algorithm>
#include <cmath>

#include "alembert/error.h"

namespace alembert::internal {

namespace {

// More stages than this gain nothing in double precision and cost minutes to compile.
constexpr int most_stages = 30;
// A double has at most 24 characters; columns of a table stand one space apart.
constexpr std::size_t number_width = 25;

std::string both(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty() || a == b) return a.empty() ? b : a;
  return a + "; " + b;
}

}  // namespace

Claims intersection(const Claims& a, const Claims& b) {
  Claims both_claim;
  both_claim.order_q = std::min(a.order_q, b.order_q);
  both_claim.order_v = std::min(a.order_v, b.order_v);
  both_claim.order_multiplier = std::min(a.order_multiplier, b.order_multiplier);
  for (bool Claims::*claim :
       {&Claims::symplectic, &Claims::symmetric, &Claims::energy, &Claims::position, &Claims::velocity,
        &Claims::nonholonomic, &Claims::nonlinear_multiplier, &Claims::near_identity})
    both_claim.*claim = a.*claim && b.*claim;
  both_claim.note = both(a.note, b.note);
  return both_claim;
}

Capabilities intersection(const Capabilities& a, const Capabilities& b) {
  Capabilities both_take;
  for (bool Capabilities::*one :
       {&Capabilities::mechanical, &Capabilities::port_hamiltonian, &Capabilities::holonomic,
        &Capabilities::nonholonomic, &Capabilities::velocity_reactions, &Capabilities::varying_mass,
        &Capabilities::without_energy, &Capabilities::massless, &Capabilities::contact_points})
    both_take.*one = a.*one && b.*one;
  both_take.light_mass = std::max(a.light_mass, b.light_mass);
  return both_take;
}

std::string table_text(const std::string& heading, const std::vector<std::vector<Quad>>& rows) {
  std::string text = heading + "\n";
  for (const std::vector<Quad>& row : rows) {
    for (const Quad value : row) {
      std::string number = to_text(static_cast<double>(value));
      number.resize(std::max(number.size(), number_width), ' ');
      text += "  " + number;
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += "\n";
  }
  return text;
}

void no_arguments(const std::string& family, const std::vector<Term>& arguments) {
  if (!arguments.empty()) throw InputError("'" + family + "' takes no arguments", "write " + family);
}

int stages_argument(const MethodFamily& family, const std::vector<Term>& arguments) {
  if (arguments.empty()) return family.usual_stages;
  const std::string usual = "write " + family.name + "(" + std::to_string(family.usual_stages) + ")";
  if (arguments.size() > 1) throw InputError("'" + family.name + "' takes one argument, the number of stages", usual);
  Quad value = 0;
  const Term& s = arguments[0];
  const bool negative = s.form == Term::Form::negate;
  const Term& digits = negative ? s.parts[0] : s;
  const bool number = digits.form == Term::Form::number && read_number(digits.text, value);
  if (negative) value = -value;
  const bool outside = value < family.least_stages || value > most_stages;
  if (!number || (!outside && value != static_cast<Quad>(static_cast<long>(value))))
    throw InputError("the number of stages of '" + family.name + "' must be a whole number, not '" + print(s) + "'",
                     usual);
  if (outside)
    throw InputError("'" + family.name + "' takes " + std::to_string(family.least_stages) + " to " +
                         std::to_string(most_stages) + " stages, not " + print(s),
                     usual);
  return static_cast<int>(value);
}

}  // namespace alembert::internal
