#include "alembert/code/invariant_factors.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "alembert/code/tape_builder.h"
#include "alembert/expr/operators.h"

namespace alembert::internal {

namespace {

// Numbers beyond are no factors to carry along: what they are multiplied by may not bear it.
constexpr double largest_factor = 1e30;

/// A number and powers of invariant registers.
struct Factors {
  Quad number = 1;
  std::map<std::uint32_t, int> powers;

  bool none() const { return number == 1 && powers.empty(); }
};

Factors product(Factors a, const Factors& b, int power) {
  a.number = power > 0 ? a.number * b.number : a.number / b.number;
  for (const auto& [place, exponent] : b.powers)
    if ((a.powers[place] += power * exponent) == 0) a.powers.erase(place);
  return a;
}

/// What both have, as they are or turned around.
Factors common(const Factors& a, const Factors& b) {
  Factors both;
  if (a.number == b.number || a.number == -b.number) both.number = a.number;
  for (const auto& [place, exponent] : a.powers) {
    const auto other = b.powers.find(place);
    if (other == b.powers.end() || (exponent > 0) != (other->second > 0)) continue;
    both.powers[place] = exponent > 0 ? std::min(exponent, other->second) : std::max(exponent, other->second);
  }
  return both;
}

/// factors times a register; without one, the factors alone.
struct Value {
  std::optional<std::uint32_t> place;
  Factors factors = {};
};

class Gatherer {
 public:
  /// invariant: of the inputs.
  Gatherer(const Tape& tape, const std::vector<bool>& invariant)
      : tape_(tape), builder_(tape.inputs), compared_(tape.code.size()), uses_(tape.registers(), 0) {
    for (const Tape::Instruction& step : tape.code) {
      ++uses_[step.a];
      if (step.b != step.a) ++uses_[step.b];
    }
    for (const std::uint32_t output : tape.outputs) ++uses_[output];
    for (const Tape::Instruction& step : tape.code)
      if (step.op == Op::positive && step.a >= tape.first_result() && uses_[step.a] == 1)
        compared_[step.a - tape.first_result()] = true;
    for (int i = 0; i < tape.inputs; ++i) {
      const auto place = static_cast<std::uint32_t>(i);
      values_.push_back(invariant[i] ? power_of(place) : Value{place});
    }
    for (std::size_t i = 0; i < tape.parameters.size(); ++i)
      values_.push_back(power_of(builder_.parameter(tape.parameters[i], tape.usual[i])));
    for (const Quad number : tape.constants) values_.push_back(constant(number));
  }

  Tape gathered() {
    for (std::size_t i = 0; i < tape_.code.size(); ++i) values_.push_back(result(tape_.code[i], compared_[i]));
    std::vector<std::uint32_t> outputs;
    for (const std::uint32_t output : tape_.outputs) outputs.push_back(multiplied(values_[output]));
    return builder_.finish(outputs);
  }
  bool invariant(std::uint32_t source) const { return !values_[source].place; }

 private:
  static Value power_of(std::uint32_t place) { return {{}, {1, {{place, 1}}}}; }
  Value constant(Quad number) {
    const double size = std::abs(static_cast<double>(number));
    if (size <= largest_factor && size >= 1 / largest_factor) return {{}, {number, {}}};
    return {builder_.constant(number)};
  }

  std::uint32_t number(const Factors& factors) {
    std::optional<std::uint32_t> all;
    if (factors.number != 1 || factors.powers.empty()) all = builder_.constant(factors.number);
    for (const auto& [place, exponent] : factors.powers) {
      const std::uint32_t one = exponent > 0 ? place : builder_.emit(Op::divide, builder_.constant(1), place);
      for (int k = 0; k < std::abs(exponent); ++k) all = all ? builder_.emit(Op::multiply, *all, one) : one;
    }
    return *all;
  }
  std::uint32_t multiplied(const Value& value) {
    if (!value.place) return number(value.factors);
    if (value.factors.none()) return *value.place;
    if (value.factors.number < 0)  // a sign costs nothing, a factor of its own a register
      return multiplied({builder_.emit(Op::negate, *value.place), product(value.factors, {-1, {}}, 1)});
    return builder_.emit(Op::multiply, number(value.factors), *value.place);
  }

  Value multiply(const Value& a, const Value& b) {
    Value both{a.place ? a.place : b.place, product(a.factors, b.factors, 1)};
    if (a.place && b.place) both.place = builder_.emit(Op::multiply, *a.place, *b.place);
    return both;
  }
  Value divide(const Value& a, const Value& b) {
    Value both{a.place, product(a.factors, b.factors, -1)};
    if (b.place) both.place = builder_.emit(Op::divide, a.place ? *a.place : builder_.constant(1), *b.place);
    return both;
  }
  Value sum(Value a, Value b, bool subtract) {
    const bool fixed = !a.place && !b.place;
    if (subtract) b.factors.number = -b.factors.number;
    Factors both = common(a.factors, b.factors);
    if (!a.place || !b.place) both = {};
    a.factors = product(a.factors, both, -1);
    b.factors = product(b.factors, both, -1);
    const bool turned = b.factors.number < 0, behind = a.factors.number < 0 && !turned;
    if (behind) std::swap(a, b);
    if (turned || behind) b.factors.number = -b.factors.number;
    const std::uint32_t left = multiplied(a), right = multiplied(b);
    if (!turned && !behind) {
      const std::uint32_t place = builder_.emit(Op::add, left, right);
      return fixed ? power_of(place) : Value{place, both};
    }
    if (const auto other = differences_.find({right, left}); other != differences_.end() && !fixed)
      return {other->second, product(both, {-1, {}}, 1)};
    const std::uint32_t place = builder_.emit(Op::subtract, left, right);
    differences_.try_emplace({left, right}, place);
    return fixed ? power_of(place) : Value{place, both};
  }

  bool is_product(std::uint32_t source) const {
    return source >= tape_.first_result() && uses_[source] == 1 &&
           tape_.code[source - tape_.first_result()].op == Op::multiply;
  }
  /// a*b + c*d + constant as a*b + (c*d + constant): each product goes with a sum of its own.
  std::optional<Value> sum_of_products(const Tape::Instruction& step) {
    const bool subtract = step.op == Op::subtract;
    if (step.a < tape_.first_result() || uses_[step.a] != 1 || values_[step.b].place || !values_[step.a].place)
      return {};
    const Tape::Instruction& products = tape_.code[step.a - tape_.first_result()];
    if (products.op != Op::add || !is_product(products.a) || !is_product(products.b)) return {};
    return sum(values_[products.a], sum(values_[products.b], values_[step.b], subtract), false);
  }

  Value result(const Tape::Instruction& step, bool compared) {
    const Value &a = values_[step.a], &b = values_[step.b];
    switch (step.op) {
      case Op::multiply: return multiply(a, b);
      case Op::divide: return divide(a, b);
      case Op::add:
      case Op::subtract:
        if (compared) break;
        if (std::optional<Value> chain = sum_of_products(step)) return *chain;
        return sum(a, b, step.op == Op::subtract);
      case Op::negate: return {a.place, product(a.factors, {-1, {}}, 1)};
      default: break;
    }
    const bool two = operator_of(step.op).operands == 2;
    const bool fixed = !a.place && (!two || !b.place);
    const std::uint32_t left = multiplied(a);
    const std::uint32_t place = two ? builder_.emit(step.op, left, multiplied(b)) : builder_.emit(step.op, left);
    return fixed ? power_of(place) : Value{place};
  }

  const Tape& tape_;
  TapeBuilder builder_;
  std::vector<bool> compared_;  // differences of which only the sign is wanted
  std::vector<int> uses_;       // how often each register is read
  std::vector<Value> values_;   // of the registers
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> differences_;
};

void count_writers(const std::vector<Program::Statement>& statements, std::vector<int>& writers) {
  for (const Program::Statement& statement : statements) {
    count_writers(statement.body, writers);
    for (const int place : statement.block.to) writers[place] += statement.repeat >= 0 ? 0 : 1;
  }
}

class ProgramGatherer {
 public:
  explicit ProgramGatherer(const Program& program)
      : program_(program), writers_(program.variables, 0), invariant_(program.variables, false) {
    count_writers(program.statements, writers_);
    for (int i = 0; i < program.scratch; ++i) invariant_[i] = writers_[i] == 0;
  }
  Program gathered() {
    walk(program_.statements, true);
    return std::move(program_);
  }

 private:
  void walk(std::vector<Program::Statement>& statements, bool always) {
    for (Program::Statement& statement : statements) {
      if (statement.repeat >= 0) walk(statement.body, false);
      else gather(statement.block, always && statement.block.mask < 0);
    }
  }
  /// always: what it writes is written in every run, before it is read.
  void gather(const Program::Block& block, bool always) {
    std::vector<bool> fixed;
    for (const int place : block.from) fixed.push_back(invariant_[place]);
    const Tape tape = program_.tapes[block.tape];
    Gatherer gatherer(tape, fixed);
    program_.tapes[block.tape] = gatherer.gathered();
    for (std::size_t i = 0; i < block.to.size(); ++i)
      if (always && block.to[i] >= program_.scratch && writers_[block.to[i]] == 1)
        invariant_[block.to[i]] = gatherer.invariant(tape.outputs[i]);
  }

  Program program_;
  std::vector<int> writers_;     // blocks
  std::vector<bool> invariant_;  // variables that are the same in all runs
};

}  // namespace

Program with_gathered_factors(const Program& program) { return ProgramGatherer(program).gathered(); }

}  // namespace alembert::internal
