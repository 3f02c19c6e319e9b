#pragma once

// Kernels: lists of expressions made into a function of an array. Interpreted in any scalar type (the oracle), or
// compiled by LLVM in double, at once or while they are called (late_code.h). Pure functions of their arguments: usable
// from any thread, never allocating nor throwing. Native and interpreted kernels give the same bits (a NaN stays a NaN,
// but its sign and payload are not kept).

#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "alembert/code/late_code.h"
#include "alembert/expr.h"
#include "alembert/numerics.h"

namespace alembert::internal {

/// Where machine code repeats a tape: at place k input i stands at from[i] + k from_step[i], and output i goes to
/// to[i] + k to_step[i]. Empty: the tape is computed once, from its inputs to its outputs.
struct Walk {
  std::vector<std::int64_t> from, from_step, to, to_step;
  bool empty() const { return to.empty(); }
};

/// A straight-line program. Registers: first the inputs, then the parameters, then the constants, then one per
/// instruction in order.
struct Tape {
  struct Instruction {
    Op op;
    std::uint32_t a, b;
  };  // b = a where the operator takes one operand
  int inputs = 0;
  std::vector<std::uint32_t> parameters;  // their places in the table
  std::vector<Quad> usual;                // values of the parameters where no table is given
  std::vector<Quad> constants;
  std::vector<Instruction> code;
  std::vector<std::uint32_t> outputs;  // registers
  Walk walk;
  std::size_t first_result() const { return inputs + parameters.size() + constants.size(); }
  std::size_t registers() const { return first_result() + code.size(); }
};

/// inputs are symbols; outputs may depend on no other symbol. Powers with small whole exponents become products here,
/// so that the interpreter and the compiler compute the same. Throws std::logic_error where a promise is broken.
Tape make_tape(std::span<const Expr> inputs, std::span<const Expr> outputs);

/// work holds tape.registers() values. Converts the constants at every call: a Kernel keeps them converted.
/// Parameters have their usual values.
template <class T>
void interpret(const Tape& tape, const T* in, T* out, T* work);

/// For what is computed once or now and then: compiling would cost more than it saves.
inline constexpr KernelOptions interpreted{.backend = Backend::interpreter, .optimise = false};

/// Above this many operations native code is made the fast way even where `optimise` asks for more.
inline constexpr std::size_t largest_optimised = 200'000;

/// Operations of a tape that may be repeated by machine code: it is one function without chunks.
inline constexpr std::size_t longest_walk = 500;

/// A function R^inputs -> R^outputs in the scalar T. Copies share the code.
template <class T>
class Kernel {
 public:
  Kernel() = default;
  Kernel(std::span<const Expr> inputs, std::span<const Expr> outputs, KernelOptions options = {});
  explicit Kernel(Tape tape, KernelOptions options = {});

  int inputs() const { return program_->tape.inputs; }
  int outputs() const { return static_cast<int>(program_->tape.outputs.size()); }
  std::size_t operations() const { return program_->tape.code.size(); }
  const Tape& tape() const { return program_->tape; }
  /// Number of T that operator() needs as work space; each thread brings its own. May be 0.
  std::size_t work() const { return work_; }
  /// Whether a call now runs machine code; what begins interpreted may become so at any moment.
  bool native() const { return native_ || (late_ && late_->function()); }

  /// in, out and work must not overlap. Every value of out is written; work need not be initialised.
  void operator()(const T* in, T* out, T* work) const noexcept { call(in, out, work, parameters_); }
  /// With this table of parameters; null: their usual values.
  void call(const T* in, T* out, T* work, const T* parameters) const noexcept {
    if (!parameters) parameters = program_->usual.data();
    if (native_) native_(in, out, work, parameters, 0, 0);
    else call_late(in, out, work, parameters);
  }
  /// Of a tape with a walk, instead of call(): false where there is no machine code yet, and nothing was computed.
  bool walk(const T* in, T* out, T* work, const T* parameters, std::int64_t first, std::int64_t end) const noexcept {
    const Native made = native_ ? native_ : late_native();
    if (made) made(in, out, work, parameters ? parameters : program_->usual.data(), first, end);
    return made != nullptr;
  }
  /// One place of it, with the inputs and outputs of the tape.
  void interpret_place(const T* in, T* out, T* work, const T* parameters) const noexcept {
    if (late_) detail::LateCode::interpreted(late_);
    interpret(in, out, work, parameters ? parameters : program_->usual.data());
  }

  /// From now on parameters are read from this table, which must outlive the kernel; null: their usual values. Copies
  /// take the binding along and may change theirs.
  void bind(const T* parameters) noexcept { parameters_ = parameters; }
  bool has_parameters() const { return !program_->tape.parameters.empty(); }

 private:
  void call_late(const T* in, T* out, T* work, const T* parameters) const noexcept {
    if (late_) {
      if (const Native made = late_native()) return made(in, out, work, parameters, 0, 0);
      detail::LateCode::interpreted(late_);
    }
    interpret(in, out, work, parameters);
  }
  void interpret(const T* in, T* out, T* work, const T* parameters) const noexcept;

  struct Program {
    Tape tape;
    std::vector<T> constants;  // of the tape, as T
    std::vector<T> usual;      // a table of parameters
  };
  using Native = void (*)(const T*, T*, T*, const T*, std::int64_t, std::int64_t);
  Native late_native() const noexcept {
    if constexpr (std::is_same_v<T, double>) return late_ ? late_->function() : nullptr;
    else return nullptr;
  }
  std::shared_ptr<const Program> program_;
  const T* parameters_ = nullptr;
  std::shared_ptr<void> code_;              // keeps the machine code alive
  std::shared_ptr<detail::LateCode> late_;  // where native_ is null: code that comes, if any
  Native native_ = nullptr;
  std::size_t work_ = 0;
};

/// Whether this build can compile (ALEMBERT_LLVM).
bool native_available();

}  // namespace alembert::internal

#include "alembert/code/kernel_impl.h"
