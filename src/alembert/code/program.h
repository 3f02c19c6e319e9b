#pragma once

// A program over a row of variables: straight-line blocks (tapes) that are run under masks and repeated while a mask is
// set. Small enough to be written out for every machine: interpreted here (the oracle), as C or CUDA text (c_source.h),
// as vector code (lanes.h). All of them compute the same operations in the same order.

#include <string>
#include <vector>

#include "alembert/code/kernel.h"

namespace alembert::internal {

/// All variables are doubles; a mask is a variable that is 0 or 1.
struct Program {
  /// What a block reads and writes: inputs of its tape come from variables, outputs go to variables. All are read
  /// before any is written.
  struct Block {
    int tape = 0;
    std::vector<int> from, to;
    int mask = -1;  // -1: none. Where it is 0 nothing is written
    int kept = 0;   // outputs from this number on may become anything where the mask is 0: selecting costs
  };
  struct Statement {
    Block block;                  // where there is no body
    int repeat = -1;              // the mask while which the body is repeated
    std::vector<Statement> body;  // blocks and loops
  };

  int variables = 0;
  std::vector<std::string> names;  // of the variables: "x1", "row 2 of u3"; for comments
  int scratch = 0;                 // variables from here on say nothing between two runs of the program
  std::vector<int> steering;       // kept variables that only steer: codes, counts and rates; a few digits do
  std::vector<Tape> tapes;
  std::vector<Statement> statements;
  int parameters = 0;  // size of the table of parameters
  /// Variables that scalar code leaves in memory: so many that registers do not hold them. By number; empty: none.
  std::vector<bool> in_memory;
  std::vector<int> largest;  // kept variables that are sizes, the largest so far: six digits do
  int guard = -1;            // a mask: where it is 0, what follows in a run changes nothing that is kept; -1: none

  std::size_t operations() const;  // of all blocks together, as they are written out
};

/// Which variables the statements read and which they may write.
struct Touched {
  std::vector<bool> read, written;
};
Touched touched_variables(const Program& program);

/// Leaves out what nobody reads: outputs to scratch variables, and the operations for them.
void prune(Program& program);

/// Runs programs operation by operation. Neither allocates nor throws once it is made; each thread has its own.
class ProgramInterpreter {
 public:
  explicit ProgramInterpreter(const Program& program);

  /// parameters: null for their usual values.
  void run(double* variables, const double* parameters) noexcept;

 private:
  void run(const std::vector<Program::Statement>& statements, double* variables, const double* parameters) noexcept;
  void run(const Program::Block& block, double* variables, const double* parameters) noexcept;

  std::vector<Program::Statement> statements_;
  std::vector<Kernel<double>> kernels_;
  std::vector<double> in_, out_, work_;
};

}  // namespace alembert::internal
