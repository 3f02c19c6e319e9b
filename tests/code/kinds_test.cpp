#include "alembert/code/kinds.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "alembert/newton/program_builder.h"

namespace alembert::internal {
namespace {

/// A program of one block over x (kept), size and going (scratch).
struct SmallProgram {
  Graph graph;
  Program program;
  ProgramBuilder builder{program};
  int kept = builder.allot("x"), result = builder.allot("result"), rate = builder.allot("rate");
  int size = 0, going = 0;
  Expr x = graph.symbol("x"), before = graph.symbol("before");

  SmallProgram() {
    program.scratch = program.variables;
    size = builder.allot("size");
    going = builder.allot("going");
  }
  void add(const Variables& outputs) {
    program.statements.push_back(builder.block({{x, kept}, {before, size}}, outputs, {}, -1));
  }
  int rough_registers(std::size_t block) const {
    const Conditions conditions(program);
    const Program::Block& b = program.statements[block].block;
    const std::vector<bool> found = Sizes(program, conditions).registers(b, program.tapes[b.tape], conditions);
    const std::size_t first = program.tapes[b.tape].first_result();
    return static_cast<int>(std::count(found.begin() + static_cast<long>(first), found.end(), true));
  }
  bool is_size(int place) const { return Sizes(program, Conditions(program)).variable(place); }
};

TEST(Sizes, NormsThatAreOnlyCompared) {
  SmallProgram p;
  const Expr norm = max(abs(p.x), abs(p.x - 1));
  p.add({{norm, p.size}, {above(norm, p.before), p.going}});
  EXPECT_TRUE(p.is_size(p.size));
  EXPECT_EQ(p.rough_registers(0), 3);  // two absolute values and the larger one; x - 1 stays exact
}

TEST(Sizes, WhatIsKeptIsExact) {
  SmallProgram p;
  const Expr norm = abs(p.x);
  p.add({{norm, p.size}, {above(norm, p.before), p.going}, {norm, p.result}});
  EXPECT_EQ(p.rough_registers(0), 0);
  SmallProgram steered;
  steered.program.steering = {steered.result};
  const Expr same = abs(steered.x);
  steered.add({{same, steered.size}, {same, steered.result}});
  EXPECT_EQ(steered.rough_registers(0), 1);
}

TEST(UpperWords, AreTheLargestOfAbsoluteValues) {
  SmallProgram p;
  p.program.largest = {p.result, p.rate};
  const Expr largest = p.graph.symbol("largest"), rate = p.graph.symbol("rate");
  const Variables in{{p.x, p.kept}, {largest, p.result}, {rate, p.rate}};
  const Variables out{{max(largest, abs(p.x)), p.result}, {max(rate, Quad(0.3) * abs(p.x)), p.rate}};
  p.program.statements.push_back(p.builder.block(in, out, {}, -1));
  const Conditions conditions(p.program);
  const Sizes sizes(p.program, conditions);
  const Words words(p.program, conditions, sizes);
  EXPECT_TRUE(sizes.variable(p.result));
  EXPECT_TRUE(sizes.variable(p.rate));
  EXPECT_TRUE(words.variable(p.result));
  EXPECT_FALSE(words.variable(p.rate));  // a product is no upper word
  EXPECT_FALSE(words.variable(p.kept));
}

TEST(Sizes, ConditionsOfFormulasAreExact) {
  SmallProgram p;
  p.add({{choose(above(abs(p.x), 1), p.x, p.graph.constant(2)), p.result}});
  EXPECT_EQ(p.rough_registers(0), 0);
}

TEST(Sizes, DifferencesAreExact) {
  SmallProgram p;
  const Expr difference = abs(p.x) - abs(p.x - 1);  // cancels
  p.add({{above(abs(difference), 1e-10), p.going}});
  EXPECT_EQ(p.rough_registers(0), 1);
}

}  // namespace
}  // namespace alembert::internal
