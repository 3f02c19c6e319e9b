#include "alembert/newton/newton.h"

#include <algorithm>
#include <mutex>
#include <type_traits>

#include "alembert/base/lists.h"
#include "alembert/error.h"
#include "alembert/newton/choose_system.h"
#include "alembert/newton/explicit_stages.h"
#include "alembert/newton/inclusions.h"
#include "alembert/newton/regular_part.h"
#include "alembert/newton/semismooth.h"
#include "alembert/newton/strategies.h"

namespace alembert::internal {

namespace {

// Of brief solves: what converges, and soon enough to be worth it, does so within these. Those of the two matrices
// count four times.
constexpr int few_iterations = 24, few_approximate = 6;

// Up to here Newton's own matrix is made where the two small ones do not contract.
constexpr int most_exact_unknowns = 20000;
// Up to here it is affordable to see, once in a while, what rounding does to every operation of the equations.
constexpr int most_analysed = 400;

// Of iterations that reached the solution by shortened corrections: nothing is known of where other solutions are.
constexpr double no_contraction = 1;

/// From 1 to the next number.
template <class T>
constexpr double epsilon_of = std::is_same_v<T, double> ? 0x1p-52 : 0x1p-112;

template <class T>
Iteration<T> make_iteration(const ImplicitEquations& e, const NewtonOptions& options, WideKernel<T> equations,
                            bool linear) {
  const Exprs all = joined<Expr>(e.inputs, e.unknowns);
  const int inputs = static_cast<int>(e.inputs.size());
  const int n = static_cast<int>(e.unknowns.size());
  RoundingTest rounding;
  if (std::is_same_v<T, double> && n > 0 && n <= most_analysed) rounding = RoundingTest(make_tape(all, e.equations));
  const std::size_t work = equations.work();
  return {.inputs = inputs,
          .unknowns = n,
          .max_iterations = options.max_iterations,
          .tolerance = options.tolerance,
          .enough = 0,
          .equations = std::move(equations),
          .norm = CorrectionNorm<T>(all, inputs, e.groups, options.kernel),
          .rounding = std::move(rounding),
          .convergence = Convergence(epsilon_of<T>, linear),
          .statistics = {},
          .factored = false,
          .delta = std::vector<T>(n),
          .trial = std::vector<T>(inputs + n),
          .direction = std::vector<T>(n),
          .work = std::vector<T>(work)};
}

NewtonResult failed_newton() {
  NewtonResult failed;
  failed.outcome = Outcome::diverged;
  return failed;
}

/// Copies in other threads share the expressions, which derivatives are added to.
std::mutex& shared_expressions() {
  static std::mutex expressions;
  return expressions;
}

template <class T>
std::unique_ptr<ExplicitStages> find_explicit_stages(const ImplicitEquations& e, const NewtonOptions& options) {
  if (!std::is_same_v<T, double> || options.tolerance != 0 || !takes_two_matrices(e, options)) return nullptr;
  return ExplicitStages::make(e, options.kernel);
}

std::vector<bool> find_multipliers(const ImplicitEquations& e) {
  std::vector<bool> multiplier(e.unknowns.size(), false);
  for (const UnknownGroup& group : e.groups)
    if (group.multipliers()) std::fill_n(multiplier.begin() + group.first, group.count, true);
  return multiplier;
}

}  // namespace

/// The strategies are rungs of a ladder, climbed until one converges.
template <class T>
struct Newton<T>::Body {
  NewtonOptions options;
  std::vector<bool> multiplier;
  std::unique_ptr<ExplicitStages> explicit_stages;   // where the two matrices would serve, and less does
  std::shared_ptr<const ImplicitEquations> unusual;  // beside them: what `systems` are made of when first needed
  ChosenSystems<T> systems;
  Iteration<T> iteration;
  std::unique_ptr<RegularPart<T>> regular;             // where equations are redundant
  std::unique_ptr<MinimumNormSystem<T>> singular;      // made when the first is met; see minimum_norm()
  std::shared_ptr<const ImplicitEquations> equations;  // beside the two matrices, for Newton's own
  std::unique_ptr<Newton<T>> exact;                    // with Newton's own matrix, made when first needed
  std::vector<T> exact_typical;                        // where that was
  std::unique_ptr<Semismooth> semismooth;              // all of it, where unilateral laws are among the equations
  const T* parameters = nullptr;
  std::vector<T> start, last;  // unknowns: the initial guess, and where the rung before ended

  struct Rung {
    NewtonResult (Body::*climb)(T* x) noexcept;
    bool (*helps)(Outcome before);
    bool explains;  // its failure says more than that of the rung before
  };
  std::vector<Rung> ladder;

  Body(const ImplicitEquations& equations, const std::vector<T>& typical, NewtonOptions chosen,
       const SparseExprs* matrix);
  Body(const Body& other);
  void make_ladder();
  MinimumNormSystem<T>* minimum_norm() noexcept;
  std::vector<int> matrix_sizes() const {
    if (explicit_stages) return explicit_stages->sizes();
    return systems.usual ? systems.usual->sizes() : std::vector<int>();
  }
  bool make_systems() noexcept;
  void make_systems_now();
  /// Whether nothing is left of an earlier solve that scales could be kept with.
  bool begins_anew() const { return !iteration.factored && !(explicit_stages && explicit_stages->arrived()); }
  Guessed guessed() const {
    if (explicit_stages) return {explicit_stages->first_multiplier(), explicit_stages->multipliers()};
    return {0, iteration.unknowns};
  }
  void keep_start(const T* x) noexcept;
  void return_to_start(T* x) noexcept;
  LinearSystem<T>& damped_system() { return systems.with_memory ? *systems.with_memory : *systems.usual; }

  NewtonResult by_multipliers(T* x) noexcept;
  NewtonResult usual_newton(T* x) noexcept;
  NewtonResult damped(T* x) noexcept;
  NewtonResult with_exact_matrix(T* x) noexcept;
  NewtonResult climb(T* x) noexcept;
  void check_redundant(const T* x, NewtonResult& result) noexcept;
  void diagnose(const T* x, NewtonResult& result) noexcept;
  void make_exact(std::vector<T> typical);
  void take_spare_sizes(const T* x) noexcept;
  bool solve_regular(T* x, NewtonResult& result) noexcept;
  void make_multipliers_smallest(T* x) noexcept;

  NewtonResult solve(T* x) noexcept;
  NewtonResult solve_briefly(T* x) noexcept;
  NewtonResult solve_singular(T* x) noexcept;
  void bind(const T* table) noexcept;
  void start_afresh() noexcept;
  void save(ByteWriter& out) const;
  void load(ByteReader& in);
};

template <class T>
Newton<T>::Body::Body(const ImplicitEquations& e, const std::vector<T>& typical, NewtonOptions chosen,
                      const SparseExprs* matrix)
    : options(chosen),
      multiplier(find_multipliers(e)),
      explicit_stages(find_explicit_stages<T>(e, options)),
      unusual(explicit_stages ? std::make_shared<const ImplicitEquations>(e) : nullptr),
      systems(explicit_stages ? ChosenSystems<T>() : choose_systems(e, multiplier, typical, options, matrix)),
      iteration(make_iteration<T>(e, options, systems.equations, systems.linear)),
      start(e.unknowns.size()),
      last(e.unknowns.size()) {
  if (e.unknowns.empty()) return;
  iteration.statistics.factorization_sizes = matrix_sizes();
  if (e.fewer && options.linear == LinearSolver::minimum_norm) {
    NewtonOptions other = options;
    other.linear = LinearSolver::automatic;
    regular = std::make_unique<RegularPart<T>>(e, typical, other);
    iteration.statistics.factorization_sizes = regular->newton.statistics().factorization_sizes;
  }
  const bool two_matrices = explicit_stages || systems.usual->kind() == MatrixKind::approximate;
  if (two_matrices && e.graph && e.unknowns.size() <= most_exact_unknowns)
    equations = std::make_shared<const ImplicitEquations>(e);
  make_ladder();
}

template <class T>
Newton<T>::Body::Body(const Body& other)
    : options(other.options),
      multiplier(other.multiplier),
      explicit_stages(other.explicit_stages ? std::make_unique<ExplicitStages>(*other.explicit_stages) : nullptr),
      unusual(other.unusual),
      systems(other.systems.clone()),
      iteration(other.iteration),
      regular(other.regular ? std::make_unique<RegularPart<T>>(*other.regular) : nullptr),
      equations(other.equations),
      semismooth(other.semismooth ? std::make_unique<Semismooth>(*other.semismooth) : nullptr),
      parameters(other.parameters),
      start(other.start),
      last(other.last),
      ladder(other.ladder) {
  iteration.factored = false;
  iteration.enough = 0;
  iteration.convergence = Convergence(epsilon_of<T>, systems.linear);
  iteration.statistics = {};
  if (explicit_stages) explicit_stages->forget();
  iteration.statistics.factorization_sizes = matrix_sizes();
  if (regular) iteration.statistics.factorization_sizes = regular->newton.statistics().factorization_sizes;
}

template <class T>
void Newton<T>::Body::make_ladder() {
  const auto always = [](Outcome) { return true; };
  // Whether a failure comes of a singular position, only those who watch the constraints know: solve_singular.
  const auto no_convergence = [](Outcome before) { return before == Outcome::diverged || before == Outcome::singular; };
  if (explicit_stages) ladder.push_back({&Body::by_multipliers, always, true});
  ladder.push_back({&Body::usual_newton, always, true});
  ladder.push_back({&Body::damped, always, true});
  if (equations) ladder.push_back({&Body::with_exact_matrix, no_convergence, false});
}

/// The system for singular positions; null where there is none or no memory for it.
template <class T>
MinimumNormSystem<T>* Newton<T>::Body::minimum_norm() noexcept {
  if (auto* own = dynamic_cast<MinimumNormSystem<T>*>(systems.usual.get())) return own;
  if (singular || !systems.plain_matrix) return singular.get();
  try {
    singular = std::make_unique<MinimumNormSystem<T>>(iteration.equations, *systems.plain_matrix, multiplier);
  } catch (const std::bad_alloc&) { return nullptr; }
  return singular.get();
}

template <class T>
NewtonResult Newton<T>::Body::by_multipliers(T* x) noexcept {
  NewtonResult result;
  if constexpr (std::is_same_v<T, double>) {
    if (explicit_stages->solve(x, iteration.norm, iteration.enough, result, iteration.statistics)) return result;
  }
  result.outcome = Outcome::diverged;
  return result;
}

/// Beside explicit stages: what is needed now and then.
template <class T>
void Newton<T>::Body::make_systems_now() {
  if (systems.usual) return;
  // Copies in other threads share the expressions.
  const std::lock_guard lock(shared_expressions());
  NewtonOptions other = options;
  other.kernel = interpreted;
  systems = choose_systems(*unusual, multiplier, std::vector<T>(iteration.trial.size()), other, nullptr);
  systems.bind(parameters);
  iteration.equations = systems.equations;
  iteration.work.resize(iteration.equations.work());
}

/// False where there is no memory for it.
template <class T>
bool Newton<T>::Body::make_systems() noexcept {
  try {
    make_systems_now();
  } catch (const std::exception&) {
    systems = {};
    return false;
  }
  return true;
}

template <class T>
NewtonResult Newton<T>::Body::usual_newton(T* x) noexcept {
  if (!make_systems()) return failed_newton();
  LinearSystem<T>& system = *systems.usual;
  NewtonResult result = system.kind() == MatrixKind::at_every_solve ? exact_newton(iteration, system, x)
                                                                    : simplified_newton(iteration, system, x);
  result.moved = iteration.convergence.moved();
  result.contraction = iteration.convergence.contraction();
  check_redundant(x, result);
  return result;
}

template <class T>
NewtonResult Newton<T>::Body::damped(T* x) noexcept {
  if (!make_systems()) return failed_newton();
  NewtonResult result = damped_newton(iteration, damped_system(), x);
  result.moved = iteration.convergence.moved();
  result.contraction = no_contraction;
  iteration.factored = false;
  check_redundant(x, result);
  return result;
}

/// Where the two matrices do not contract, because they change much within a step.
template <class T>
NewtonResult Newton<T>::Body::with_exact_matrix(T* x) noexcept {
  try {
    if (!exact) make_exact(std::vector<T>(x, x + iteration.inputs + iteration.unknowns));
    exact->forget();
    const NewtonResult result = exact->solve(x);
    iteration.statistics.factorizations += result.iterations;
    iteration.statistics.evaluations += result.iterations;
    return result;
  } catch (const std::exception&) { return failed_newton(); }
}

template <class T>
void Newton<T>::Body::make_exact(std::vector<T> typical) {
  NewtonOptions other = options;
  other.linear = LinearSolver::exact;
  other.kernel = interpreted;  // it is needed now and then
  const std::lock_guard lock(shared_expressions());
  exact = std::make_unique<Newton<T>>(*equations, typical, other);
  exact->bind(parameters);
  exact_typical = std::move(typical);
}

/// Equations that depend on each other may have no solution, though the corrections vanish.
template <class T>
void Newton<T>::Body::check_redundant(const T* x, NewtonResult& result) noexcept {
  if (options.linear != LinearSolver::minimum_norm || result.outcome != Outcome::converged) return;
  if (consistent(iteration, *minimum_norm(), x)) return;
  result.outcome = Outcome::contradiction;
  iteration.find_worst_equation(x, result);
}

/// Of x what a guess consists of.
template <class T>
void Newton<T>::Body::keep_start(const T* x) noexcept {
  const auto [first, count] = guessed();
  std::copy_n(x + iteration.inputs + first, count, start.begin() + first);
}

template <class T>
void Newton<T>::Body::return_to_start(T* x) noexcept {
  const auto [first, count] = guessed();
  std::copy_n(start.begin() + first, count, x + iteration.inputs + first);
  if constexpr (std::is_same_v<T, double>) {
    if (explicit_stages) explicit_stages->complete(x);
  }
}

template <class T>
NewtonResult Newton<T>::Body::climb(T* x) noexcept {
  T* const unknowns = x + iteration.inputs;
  const int n = iteration.unknowns;
  keep_start(x);
  NewtonResult result = (this->*ladder.front().climb)(x);
  int spent = result.iterations;
  for (std::size_t k = 1; k < ladder.size() && result.outcome != Outcome::converged; ++k) {
    if (!ladder[k].helps(result.outcome)) continue;
    std::copy_n(unknowns, n, last.begin());
    return_to_start(x);
    const NewtonResult next = (this->*ladder[k].climb)(x);
    spent += next.iterations;
    const bool decided = next.outcome == Outcome::converged || next.outcome == Outcome::contradiction;
    if (decided || ladder[k].explains) result = next;
    else std::copy_n(last.begin(), n, unknowns);
  }
  result.iterations = spent;
  return result;
}

/// What the failure of damped Newton says about the equations.
template <class T>
void Newton<T>::Body::diagnose(const T* x, NewtonResult& result) noexcept {
  if (!systems.usual) return;  // there was no memory for it
  if (result.outcome == Outcome::singular) {
    const typename LinearSystem<T>::Failure failure = damped_system().failure();
    // What cannot be factorised because it is no number is not singular.
    if (!failure.finite) result.outcome = Outcome::not_finite;
    else result.equation = failure.row;
  }
  if (result.equation < 0) iteration.find_worst_equation(x, result);
}

/// The sums of what the spare equations consist of, as far as their derivatives tell.
template <class T>
void Newton<T>::Body::take_spare_sizes(const T* x) noexcept {
  RegularPart<T>& part = *regular;
  if (!part.wants_sizes()) return;
  iteration.norm.take_scales(x, true);
  JacobianValues<T>& J = *systems.plain_matrix;
  J.take(x);
  const auto& groups = iteration.norm.groups();
  std::size_t row = 0;
  for (const int i : part.spare_equations) {
    T sum = 0;
    for (int k = J.row_start()[i]; k < J.row_start()[i + 1]; ++k) {
      std::size_t group = 0;
      while (J.column()[k] >= groups[group].first + groups[group].count) ++group;
      sum += magnitude(J.values()[k]) * iteration.norm.size(static_cast<int>(group), x);
    }
    part.sizes[row++] = sum;
  }
}

/// By the fewer equations. False where they have no solution, or one for which the spare equations do not hold; x is as
/// it was then.
template <class T>
bool Newton<T>::Body::solve_regular(T* x, NewtonResult& result) noexcept {
  RegularPart<T>& part = *regular;
  if (part.pauses()) return false;
  T* const unknowns = x + iteration.inputs;
  std::copy_n(x, iteration.inputs, part.x.begin());
  for (std::size_t k = 0; k < part.place.size(); ++k) part.x[iteration.inputs + k] = unknowns[part.place[k]];
  const NewtonStatistics& own = part.newton.statistics();
  NewtonStatistics& sum = iteration.statistics;
  sum.iterations -= own.iterations;
  sum.factorizations -= own.factorizations;
  sum.evaluations -= own.evaluations;
  result = part.newton.solve(part.x.data());
  sum.iterations += own.iterations;
  sum.factorizations += own.factorizations;
  sum.evaluations += own.evaluations;
  if (result.outcome == Outcome::converged) {
    std::copy_n(unknowns, iteration.unknowns, start.begin());
    std::fill_n(unknowns, iteration.unknowns, T(0));
    for (std::size_t k = 0; k < part.place.size(); ++k) unknowns[part.place[k]] = part.x[iteration.inputs + k];
    take_spare_sizes(x);
    if (part.holds(x)) {
      part.pause = 0;
      return true;
    }
    std::copy_n(start.begin(), iteration.unknowns, unknowns);
  }
  part.failed();
  iteration.factored = false;  // of some earlier step
  return false;
}

template <class T>
void Newton<T>::Body::make_multipliers_smallest(T* x) noexcept {
  if (!regular) return;
  MinimumNormSystem<T>* const system = minimum_norm();
  if (!system || !system->factor(x)) return;
  iteration.factored = false;
  system->solve(x, iteration.delta.data());
  for (int i = 0; i < iteration.unknowns; ++i)
    if (multiplier[i]) x[iteration.inputs + i] -= iteration.delta[i];
}

template <class T>
NewtonResult Newton<T>::Body::solve(T* x) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    if (semismooth) {
      const NewtonResult result = semismooth->solve(x);
      iteration.statistics = semismooth->statistics();
      return result;
    }
  }
  if (iteration.unknowns == 0) return {};
  NewtonResult found;
  if (regular && solve_regular(x, found)) return found;
  iteration.norm.take_scales(x, begins_anew());
  NewtonResult result = climb(x);
  if (result.outcome != Outcome::converged) diagnose(x, result);
  iteration.statistics.iterations += result.iterations;
  return result;
}

template <class T>
NewtonResult Newton<T>::Body::solve_briefly(T* x) noexcept {
  if (semismooth || regular || iteration.unknowns == 0) return solve(x);
  iteration.norm.take_scales(x, begins_anew());
  if (explicit_stages) {
    keep_start(x);
    const NewtonResult result = by_multipliers(x);
    iteration.statistics.iterations += result.iterations;
    if (result.outcome == Outcome::converged) return result;
    return_to_start(x);
  }
  if (!make_systems()) return failed_newton();
  const int usual = iteration.max_iterations;
  const bool approximate = systems.usual->kind() == MatrixKind::approximate;
  iteration.max_iterations = std::min(usual, approximate ? few_approximate : few_iterations);
  const NewtonResult result = usual_newton(x);
  iteration.max_iterations = usual;
  iteration.statistics.iterations += result.iterations;
  return result;
}

template <class T>
NewtonResult Newton<T>::Body::solve_singular(T* x) noexcept {
  if (semismooth) return solve(x);
  MinimumNormSystem<T>* const system = iteration.unknowns > 0 ? minimum_norm() : nullptr;
  if (!system) return solve(x);
  std::copy_n(x + iteration.inputs, iteration.unknowns, start.begin());
  iteration.norm.take_scales(x, true);
  const NewtonResult result = singular_newton(iteration, *system, x);
  iteration.statistics.iterations += result.iterations;
  if (result.outcome == Outcome::converged) return result;
  std::copy_n(start.begin(), iteration.unknowns, x + iteration.inputs);
  return solve(x);
}

template <class T>
void Newton<T>::Body::bind(const T* table) noexcept {
  parameters = table;
  if constexpr (std::is_same_v<T, double>) {
    if (semismooth) semismooth->bind(table);
    if (explicit_stages) explicit_stages->bind(table);
  }
  iteration.equations.bind(table);
  iteration.norm.bind(table);
  if constexpr (std::is_same_v<T, double>) iteration.rounding.bind(table);
  systems.bind(table);
  if (regular) {
    regular->newton.bind(table);
    regular->spare.bind(table);
  }
  if (singular) singular->bind(table);
  if (exact) exact->bind(table);
}

template <class T>
void Newton<T>::Body::start_afresh() noexcept {
  if (semismooth || iteration.unknowns == 0) return;  // they keep nothing
  iteration.factored = false;
  exact.reset();
  exact_typical.clear();
  iteration.convergence = Convergence(epsilon_of<T>, systems.linear);
  if (explicit_stages) explicit_stages->start_afresh();
  if (systems.usual) systems.usual->start_afresh();
  if (regular) regular->start_afresh();
}

template <class T>
void Newton<T>::Body::save(ByteWriter& out) const {
  if (semismooth) iteration.statistics.save(out);  // it keeps nothing else
  if (iteration.unknowns == 0) return;
  iteration.norm.save(out);
  iteration.convergence.save(out);
  iteration.statistics.save(out);
  out.write(iteration.factored);
  if (explicit_stages) {
    explicit_stages->save(out);
    out.write(systems.usual != nullptr);
  }
  if (systems.usual) systems.usual->save(out);
  out.write(exact_typical);
  if (exact) exact->save(out);
  if (regular) regular->save(out);
}

template <class T>
void Newton<T>::Body::load(ByteReader& in) {
  if (semismooth) {
    semismooth->statistics().load(in);
    iteration.statistics = semismooth->statistics();
  }
  if (iteration.unknowns == 0) return;
  iteration.norm.load(in);
  iteration.convergence.load(in);
  iteration.statistics.load(in);
  in.read(iteration.factored);
  if (explicit_stages) {
    explicit_stages->load(in);
    if (in.read<bool>()) make_systems_now();
    else systems = {};
  }
  if (systems.usual) systems.usual->load(in);
  std::vector<T> typical;
  in.read(typical);
  exact.reset();
  exact_typical.clear();
  if (typical.empty()) {
    if (regular) regular->load(in);
    return;
  }
  if (!equations || typical.size() != iteration.trial.size())
    throw InputError("the saved state belongs to other equations");
  make_exact(std::move(typical));
  exact->load(in);
}

template <class T>
Newton<T>::Newton(const ImplicitEquations& equations, const std::vector<T>& typical, NewtonOptions options,
                  const SparseExprs* matrix)
    : body_(equations.inclusions ? std::make_unique<Body>(ImplicitEquations(), std::vector<T>(), options, nullptr)
                                 : std::make_unique<Body>(equations, typical, options, matrix)) {
  if (!equations.inclusions) return;
  if constexpr (std::is_same_v<T, double>) {
    body_->semismooth = std::make_unique<Semismooth>(equations, options);
    body_->iteration.statistics = body_->semismooth->statistics();
  } else {
    throw InputError("unilateral laws are solved in double precision only");
  }
}
template <class T>
Newton<T>::~Newton() = default;
template <class T>
Newton<T>::Newton(Newton&&) noexcept = default;
template <class T>
Newton<T>& Newton<T>::operator=(Newton&&) noexcept = default;
template <class T>
Newton<T>::Newton(std::unique_ptr<Body> body) : body_(std::move(body)) {}
template <class T>
Newton<T> Newton<T>::clone() const {
  return Newton(std::make_unique<Body>(*body_));
}
template <class T>
void Newton<T>::bind(const T* parameters) noexcept {
  body_->bind(parameters);
}
template <class T>
typename Newton<T>::Guessed Newton<T>::guessed() const {
  return body_->explicit_stages ? body_->guessed() : Guessed();
}
template <class T>
void Newton<T>::complete(T* x) noexcept {
  if constexpr (std::is_same_v<T, double>) {
    if (body_->explicit_stages) body_->explicit_stages->complete(x);
  }
}
template <class T>
NewtonResult Newton<T>::solve(T* x) noexcept {
  return body_->solve(x);
}

template <class T>
NewtonResult Newton<T>::solve_briefly(T* x) noexcept {
  return body_->solve_briefly(x);
}
template <class T>
NewtonResult Newton<T>::solve_singular(T* x) noexcept {
  return body_->solve_singular(x);
}
template <class T>
void Newton<T>::make_multipliers_smallest(T* x) noexcept {
  body_->make_multipliers_smallest(x);
}
template <class T>
void Newton<T>::be_rough(double enough) noexcept {
  body_->iteration.enough = enough;
}
template <class T>
void Newton<T>::forget() noexcept {
  body_->iteration.factored = false;
  if (body_->explicit_stages) body_->explicit_stages->forget();
  if (body_->regular) body_->regular->newton.forget();
}
template <class T>
void Newton<T>::start_afresh() noexcept {
  body_->start_afresh();
}
template <class T>
bool Newton<T>::memoryless() const {
  return body_->systems.usual && body_->systems.usual->kind() == MatrixKind::at_every_solve;
}
template <class T>
const NewtonStatistics& Newton<T>::statistics() const {
  return body_->iteration.statistics;
}
template <class T>
std::string_view Newton<T>::linear_system() const {
  if (body_->explicit_stages) return "explicit stages";
  return body_->systems.usual ? body_->systems.usual->name() : std::string_view();
}
template <class T>
void Newton<T>::save(ByteWriter& out) const {
  body_->save(out);
}
template <class T>
void Newton<T>::load(ByteReader& in) {
  body_->load(in);
}

template class Newton<double>;
template class Newton<Quad>;

}  // namespace alembert::internal
