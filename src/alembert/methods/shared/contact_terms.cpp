#include "alembert/methods/shared/contact_terms.h"

#include <algorithm>

#include "alembert/base/lists.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

// Gaps below this part of the largest coordinate are rounding that has added up; gaps that a body falls in this part of
// a squared step are closed.
constexpr double rounding_of_coordinates = 1e-12, part_of_fall = 1e-8;
// Slip above this part of the velocities slides.
constexpr double part_of_slip = 1e-9;

Expr length_of(Graph& graph, const Exprs& v) {
  if (v.size() == 1) return abs(v[0]);
  Exprs squares;
  for (const Expr x : v) squares.push_back(x * x);
  return sqrt(sum(graph, squares));
}

}  // namespace

Exprs added(const Exprs& a, const Exprs& b) {
  Exprs result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] + b[i]);
  return result;
}

Exprs difference(const Exprs& a, const Exprs& b) {
  Exprs result;
  for (std::size_t i = 0; i < a.size(); ++i) result.push_back(a[i] - b[i]);
  return result;
}

Exprs scaled(Expr factor, const Exprs& values) {
  Exprs result;
  for (const Expr value : values) result.push_back(factor * value);
  return result;
}

ContactTerms::ContactTerms(const Equations& e, Frame& frame)
    : e_(e), frame_(frame), inclusions_(std::make_shared<Inclusions>()) {
  Graph& own = *e.graph;
  const Exprs zeros(e.z.size(), own.constant(0));
  for (const ContactFunctions& contact : e.contacts) {
    Rows rows;
    rows.normal = rows_++;
    gaps_.push_back(contact.gap);
    rates_.push_back(along_motion(e, {contact.gap}, {})[0]);
    moving_.push_back(gradient(contact.gap, Exprs{e.t})[0]);
    for (const auto& friction : contact.friction) {
      rows.friction.emplace_back(rows_, static_cast<int>(friction.slip.size()));
      rows_ += static_cast<int>(friction.slip.size());
      for (const Expr slip : friction.slip) {
        rates_.push_back(slip);
        moving_.push_back(substitute(slip, e.z, zeros, own));
      }
    }
    layout_.push_back(std::move(rows));
  }
  Graph& graph = frame.graph;
  const Point start{frame.step.t0, frame.y0, frame.z0};
  closed_gap_ = graph.constant(0);
  pressing_ = closed_gap_;
  if (e.contacts.empty()) return;
  Exprs weights, forces;
  for (const Expr f : at(e, e.f, start)) forces.push_back(abs(f));
  const SparseExprs mass = jacobian(e.p, e.z);
  for (int i = 0; i < mass.rows; ++i)
    for (int k = mass.row_start[i]; k < mass.row_start[i + 1]; ++k)
      if (mass.column[k] == i) weights.push_back(abs(at(e, {mass.value[k]}, start)[0]));
  const Expr h = frame.step.h;
  pressing_ = sum(graph, forces);
  const Expr fall = h * h * sum(graph, forces) / sum(graph, weights);
  closed_gap_ = Quad(rounding_of_coordinates) * (frame.size_y() + abs(h) * frame.size_z()) + Quad(part_of_fall) * fall;
  const Exprs rates0 = rates(start);
  for (std::size_t i = 0; i < layout_.size(); ++i) {
    Exprs list;
    for (std::size_t k = 0; k < layout_[i].friction.size(); ++k) {
      const auto& friction = e.contacts[i].friction[k];
      const auto [first, size] = layout_[i].friction[k];
      Expr coefficient = at(e, {friction.coefficient}, start)[0];
      const Expr at_rest = at(e, {friction.at_rest}, start)[0];
      if (!(at_rest == coefficient)) {
        const Exprs slip(rates0.begin() + first, rates0.begin() + first + size);
        const Expr slides = length_of(graph, slip) - Quad(part_of_slip) * frame.size_z();
        coefficient = choose(positive(slides), coefficient, at_rest);
      }
      list.push_back(coefficient);
    }
    coefficients_.push_back(std::move(list));
  }
}

Exprs ContactTerms::gaps(Expr t, const Exprs& y) const { return at(e_, gaps_, {t, y, frame_.z0}); }
Exprs ContactTerms::rates(const Point& x) const { return at(e_, rates_, x); }
Exprs ContactTerms::moving(const Point& x) const { return at(e_, moving_, x); }

/// Forces act along the gradients in q: where z are velocities, along those of the rates in z.
Exprs ContactTerms::acting(const Exprs& rates, const Exprs& gaps, const Point& x, const Exprs& impulses) const {
  Graph& own = *e_.graph;
  const bool momenta = e_.form == Form::hamiltonian;
  const Exprs& functions = momenta ? gaps : rates;
  if (functions.empty()) return Exprs(e_.z.size(), frame_.graph.constant(0));
  const Exprs P = own.symbols("P", static_cast<int>(functions.size()));
  const Exprs q(e_.y.begin(), e_.y.begin() + static_cast<std::ptrdiff_t>(momenta ? e_.z.size() : 0));
  const Exprs force = transposed_product(functions, momenta ? q : e_.z, P);
  return substitute(force, joined<Expr>(e_.t, e_.y, e_.z, P), joined<Expr>(x.t, x.y, x.z, impulses), frame_.graph);
}

Exprs ContactTerms::forces(const Point& x, const Exprs& impulses) const { return acting(rates_, gaps_, x, impulses); }

Exprs ContactTerms::forces_of_gaps(const Point& x, const Exprs& impulses) const {
  return acting(normals(rates_), gaps_, x, impulses);
}

Exprs ContactTerms::forces_of_constraints(const Point& x, const Exprs& impulses) const {
  return acting(e_.g_dot, e_.g, x, impulses);
}

Exprs ContactTerms::normals(const Exprs& rows) const {
  Exprs result;
  for (const Rows& one : layout_) result.push_back(rows[static_cast<std::size_t>(one.normal)]);
  return result;
}

Exprs ContactTerms::over_rows(const Exprs& of_contacts) const {
  Exprs result(static_cast<std::size_t>(rows_));
  for (std::size_t i = 0; i < layout_.size(); ++i) {
    result[static_cast<std::size_t>(layout_[i].normal)] = of_contacts[i];
    for (const auto& [first, size] : layout_[i].friction) std::fill_n(result.begin() + first, size, of_contacts[i]);
  }
  return result;
}

Exprs ContactTerms::with_normals(Exprs rows, const Exprs& normals) const {
  for (std::size_t i = 0; i < layout_.size(); ++i) rows[static_cast<std::size_t>(layout_[i].normal)] = normals[i];
  return rows;
}

Exprs ContactTerms::restitution(Expr t, const Exprs& y) const {
  Exprs result;
  for (const ContactFunctions& contact : e_.contacts)
    result.push_back(at(e_, {contact.restitution}, {t, y, frame_.z0})[0]);
  return result;
}

Exprs ContactTerms::persistent() const {
  const Point start{frame_.step.t0, frame_.y0, frame_.z0};
  const Exprs at_start = gaps(start.t, start.y), slow = normals(rates(start));
  Exprs result;
  for (std::size_t i = 0; i < at_start.size(); ++i)
    result.push_back(positive(closed_gap() - at_start[i]) * positive(closed_rate() - abs(slow[i])));
  return result;
}

Exprs ContactTerms::forces_in_front(const Point& start, const Point& end, const Exprs& impulses) const {
  const Exprs still = over_rows(persistent());
  Exprs in_rest, in_impacts;
  for (std::size_t j = 0; j < impulses.size(); ++j) {
    in_rest.push_back(still[j] * impulses[j]);
    in_impacts.push_back(impulses[j] - in_rest[j]);
  }
  return added(forces(start, in_rest), forces(end, in_impacts));
}

Exprs ContactTerms::in_front(const Exprs& at_start, const Exprs& at_end) const {
  return chosen(over_rows(persistent()), at_start, at_end);
}

void ContactTerms::free_motion() {
  if (!any()) return;
  begin_block();
  const Expr h = frame_.step.h;
  const Point start{frame_.step.t0, frame_.y0, frame_.z0};
  free_change_ = frame_.unknown("free dz", frame_.z_dot0, h);
  const Exprs lambda = frame_.unknown("free lambda", frame_.lambda0);
  free_lambda_ = lambda;
  frame_.step.groups.push_back({0, static_cast<int>(free_change_.size()), frame_.size_z()});
  frame_.step.groups.push_back({static_cast<int>(free_change_.size()), static_cast<int>(lambda.size()), Expr()});
  const Exprs z1 = added(start.z, free_change_);
  const Point end{start.t, start.y, z1};
  Exprs balance = e_.constant_mass ? at(e_, e_.p, {start.t, start.y, free_change_})
                                   : difference(at(e_, e_.p, end), at(e_, e_.p, start));
  for (const Exprs& force : {e_.f, e_.r})
    balance = difference(balance, scaled(h, at(e_, force, start, lambda, frame_.psi0)));
  balance = added(balance, scaled(h, at(e_, inertia(e_), start)));
  frame_.equation(balance, "free momentum of ", e_.z_names, "");
  frame_.equation(difference(at(e_, e_.g_dot, end), at(e_, e_.g_dot, start)), "free velocity of constraint ",
                  e_.g_names, "");
}

Exprs ContactTerms::pulled(const Exprs& z, Quad times) const {
  return added(z, scaled(frame_.graph.constant(times), free_change_));
}

Exprs ContactTerms::pulls(const Point& end) const {
  return difference(normals(rates({end.t, end.y, added(frame_.z0, free_change_)})),
                    normals(rates({end.t, end.y, frame_.z0})));
}

Exprs ContactTerms::meeting(const Point& end, Quad late) const {
  const Expr h = frame_.step.h;
  const Point start{frame_.step.t0, frame_.y0, frame_.z0};
  const Exprs gap0 = gaps(start.t, start.y), pull = pulls(end);
  const Exprs middle = added(start.z, scaled(frame_.graph.constant(Quad(1) / 2 - late), free_change_));
  const Exprs free = gaps(end.t, added(start.y, scaled(h, at(e_, e_.v, {start.t, start.y, middle}))));
  // A surface that moves changes the rates as well: what rides on it would be thrown up by that in every step.
  const Point begun{start.t, end.y, start.z};
  const Exprs begins = normals(rates(begun));
  const Exprs surface = difference(normals(moving({end.t, end.y, start.z})), normals(moving(begun)));
  Exprs result;
  for (std::size_t i = 0; i < gap0.size(); ++i) {
    const Expr slow = begins[i] - late * pull[i];
    const Expr square = max(slow * slow - Quad(2) / h * (pull[i] + surface[i]) * gap0[i], frame_.graph.constant(0));
    result.push_back(choose(positive(closed_gap() - free[i]), -sqrt(square), slow));
  }
  return result;
}

Exprs ContactTerms::chosen(const Exprs& numbers, const Exprs& a, const Exprs& b) {
  Exprs result;
  for (std::size_t i = 0; i < numbers.size(); ++i) result.push_back(choose(numbers[i], a[i], b[i]));
  return result;
}

Exprs ContactTerms::no_slip(const Exprs& rates) const {
  Exprs result(static_cast<std::size_t>(rows_), frame_.graph.constant(0));
  const Expr none = closed_rate() + Quad(part_of_slip) * frame_.size_z();
  for (const Rows& rows : layout_)
    for (const auto& [first, size] : rows.friction) {
      const Exprs slip(rates.begin() + first, rates.begin() + first + size);
      std::fill_n(result.begin() + first, size, positive(none - length_of(frame_.graph, slip)));
    }
  return result;
}

void ContactTerms::begin_block() { inclusions_->block_start.push_back(static_cast<int>(frame_.step.unknowns.size())); }

void ContactTerms::blocks_anew() { inclusions_->block_start.clear(); }

void ContactTerms::block(int first_unknown) { inclusions_->block_start.push_back(first_unknown); }

Expr ContactTerms::weight(int& number) {
  number = static_cast<int>(inclusions_->weights.size());
  inclusions_->weights.push_back(frame_.graph.symbol("weight"));
  return inclusions_->weights.back();
}

int ContactTerms::number_of(Expr unknown) const {
  const Exprs& all = frame_.step.unknowns;
  // They were made last.
  const auto found = std::find(all.rbegin(), all.rend(), unknown);
  return static_cast<int>(all.rend() - found) - 1;
}

void ContactTerms::laws(const Law& law) {
  if (!any()) return;
  const int first = number_of(law.unknowns[0]);
  check(static_cast<int>(frame_.step.equations.size()) == first, "an equation stands as its unknown does");
  const auto force = [&](int row) {
    const Expr unknown = law.unknowns[static_cast<std::size_t>(row)];
    return law.known.empty() ? unknown : law.known[static_cast<std::size_t>(row)] + unknown;
  };
  for (std::size_t i = 0; i < layout_.size(); ++i) {
    const Rows& rows = layout_[i];
    Inclusions::Contact contact;
    contact.block = static_cast<int>(inclusions_->block_start.size()) - 1;
    contact.normal = first + rows.normal;
    contact.force = force(rows.normal);
    contact.rate = law.rates[static_cast<std::size_t>(rows.normal)];
    contact.closed = law.closed[i];
    contact.grows = law.grows;
    if (!law.passed.empty()) contact.passed = law.passed[i];
    frame_.step.equations.push_back(complementary(contact.force, contact.rate, weight(contact.weight)));
    frame_.step.labels.emplace_back("contact " + std::to_string(i + 1));
    for (std::size_t k = 0; k < rows.friction.size(); ++k) {
      const auto [from, size] = rows.friction[k];
      Inclusions::Tangent tangent;
      tangent.first = first + from;
      for (int j = from; j < from + size; ++j) {
        tangent.force.push_back(force(j));
        tangent.slip.push_back(law.rates[static_cast<std::size_t>(j)]);
      }
      tangent.coefficient = law.rubs.empty() ? coefficients_[i][k] : law.rubs[i] * coefficients_[i][k];
      const Expr bound = tangent.coefficient * contact.force;
      for (const Expr one : in_disk(tangent.force, tangent.slip, bound, weight(tangent.weight))) {
        frame_.step.equations.push_back(one);
        frame_.step.labels.emplace_back("friction of contact " + std::to_string(i + 1));
      }
      contact.tangents.push_back(std::move(tangent));
    }
    inclusions_->contacts.push_back(std::move(contact));
  }
}

void ContactTerms::gap_laws(const Exprs& unknowns, const Exprs& known, const Exprs& gaps, const Exprs& closed) {
  if (!any()) return;
  const int first = number_of(unknowns[0]);
  check(static_cast<int>(frame_.step.equations.size()) == first, "an equation stands as its unknown does");
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    Inclusions::Contact contact;
    contact.block = static_cast<int>(inclusions_->block_start.size()) - 1;
    contact.normal = first + static_cast<int>(i);
    contact.force = known[i] + unknowns[i];
    contact.rate = gaps[i];
    contact.closed = closed[i];
    frame_.step.equations.push_back(complementary(contact.force, contact.rate, weight(contact.weight)));
    frame_.step.labels.emplace_back("gap of contact " + std::to_string(i + 1));
    inclusions_->contacts.push_back(std::move(contact));
  }
}

int ContactTerms::rows_of(const Rows& rows) const {
  int count = 1;
  for (const auto& [first, size] : rows.friction) count += size;
  return count;
}

Exprs ContactTerms::supplies(const Exprs& impulses, const Exprs& moving) const {
  Exprs result;
  for (const Rows& rows : layout_) {
    Exprs terms;
    for (int j = rows.normal; j < rows.normal + rows_of(rows); ++j)
      terms.push_back(-(impulses[static_cast<std::size_t>(j)] * moving[static_cast<std::size_t>(j)]));
    result.push_back(sum(frame_.graph, terms));
  }
  return result;
}

Exprs ContactTerms::losses(const Exprs& impulses, const Exprs& before, const Exprs& after) const {
  Exprs result;
  for (const Rows& rows : layout_) {
    Exprs terms;
    for (int j = rows.normal; j < rows.normal + rows_of(rows); ++j) {
      const auto k = static_cast<std::size_t>(j);
      terms.push_back(impulses[k] * (before[k] + after[k]));
    }
    result.push_back(-(sum(frame_.graph, terms) / Quad(2)));
  }
  return result;
}

void ContactTerms::share(Exprs& losses, Expr gained, const Exprs& persistent, const Exprs& pushes) const {
  Exprs sizes;
  for (std::size_t i = 0; i < pushes.size(); ++i) sizes.push_back((Quad(1) - persistent[i]) * abs(pushes[i]));
  const Expr all = sum(frame_.graph, sizes);
  for (std::size_t i = 0; i < losses.size(); ++i) losses[i] = losses[i] - where(positive(all), gained * sizes[i] / all);
}

// r = -G^T lambda, N = -k_z^T psi.
Expr ContactTerms::power_of_constraints(const Point& x, const Exprs& lambda, const Exprs& psi) const {
  if (!e_.ideal) return frame_.graph.constant(0);
  const Exprs rates = at(e_, joined<Expr>(e_.g_dot, e_.k), x), multipliers = joined<Expr>(lambda, psi);
  Exprs terms;
  for (std::size_t i = 0; i < rates.size(); ++i) terms.push_back(-(multipliers[i] * rates[i]));
  return sum(frame_.graph, terms);
}

void ContactTerms::tell(const Exprs& impulses, const Exprs& lost, const Exprs& supplied, const Exprs& rates0) {
  if (!any()) return;
  Exprs& told = frame_.step.contacts;
  for (std::size_t i = 0; i < layout_.size(); ++i) {
    const auto normal = static_cast<std::size_t>(layout_[i].normal);
    append(told, Exprs{impulses[normal], lost[i], supplied[i], rates0[normal]});
    for (const auto& [first, size] : layout_[i].friction)
      for (int j = first; j < first + size; ++j) told.push_back(impulses[static_cast<std::size_t>(j)]);
  }
  frame_.step.inclusions = inclusions_;
}

}  // namespace alembert::internal
