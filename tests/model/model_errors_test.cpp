// Every class of input error: its message, its place, its hint; and that all of them come at once and none follows
// another.

#include <gtest/gtest.h>

#include <filesystem>

#include "../model/support.h"

namespace alembert::internal::test {
namespace {

struct Bad {
  const char* text;
  int line, column;
  const char* message;
  const char* hint;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.text; }

class ModelError : public testing::TestWithParam<Bad> {};

TEST_P(ModelError, IsTheOnlyOneAndSaysWhereAndWhy) {
  const Bad& bad = GetParam();
  const std::vector<Diagnostic> errors = errors_of(bad.text);
  ASSERT_FALSE(errors.empty()) << bad.text;
  std::string all;
  for (const Diagnostic& d : errors) all += format(d) + "\n";
  EXPECT_EQ(errors.size(), 1u) << all;
  EXPECT_EQ(errors[0].message, bad.message);
  EXPECT_EQ(errors[0].hint, bad.hint);
  EXPECT_EQ(errors[0].place.line, bad.line) << all;
  EXPECT_EQ(errors[0].place.column, bad.column) << all;
}

// A sound frame of three lines; what is wrong starts in line 4 unless it must stand elsewhere.
#define FRAME "parameter length = 2, m = 1\ncoordinate x, q[3]\nkinetic m*(x'^2 + norm2(q'))\n"

INSTANTIATE_TEST_SUITE_P(
    Names, ModelError,
    testing::Values(
        Bad{FRAME "potential m*lenght*x + lenght", 4, 13, "unknown name 'lenght'",
            "did you mean 'length' (parameter, line 1)?"},
        Bad{FRAME "potential sinn(x)", 4, 11, "unknown function 'sinn'", "did you mean 'sin' (function)?"},
        Bad{FRAME "potential q4", 4, 11, "unknown name 'q4'", "'q' has only 3 entries"},
        Bad{FRAME "parameter x = 3", 4, 11, "'x' is declared twice", "first as coordinate in line 2"},
        Bad{FRAME "let t = 3", 4, 5, "'t' cannot be declared", "it is the time"},
        Bad{FRAME "let a = b\nlet b = a", 5, 9, "'a' is defined by itself", ""},
        Bad{FRAME "let f(a) = f(a - 1)\npotential f(x)", 4, 12, "the function 'f' uses itself",
            "functions are written out where they are used and cannot recur"},
        Bad{FRAME "let f(a) = a\npotential f(x, x)", 5, 11, "'f' takes 1 argument, not 2",
            "declared as f(a) in line 4"},
        Bad{FRAME "let f(a, a) = a", 4, 10, "the argument 'a' appears twice", ""},
        Bad{FRAME "let f(a) = a\npotential f", 5, 11, "'f' is a function", "write f(a)"},
        Bad{FRAME "potential sin", 4, 11, "'sin' is a function", "write sin(...)"},
        Bad{FRAME "potential m(3)", 4, 11, "'m' is a parameter, not a function",
            "write m[...] for an entry, * for a product"},
        Bad{FRAME "initial xx = 1", 4, 9, "unknown name 'xx'", "did you mean 'x' (coordinate, line 2)?"},
        Bad{FRAME "initial length = 1", 4, 9, "'length' is a parameter and cannot be the target of initial",
            "it takes a coordinate, a momentum, a variable, a multiplier or a state"},
        Bad{FRAME "force m = 1", 4, 7, "'m' is a parameter and cannot be the target of force", "it takes a coordinate"},
        Bad{FRAME "force x' = 1", 4, 7, "a force acts on a coordinate, not on its velocity", "leave out the '"},
        Bad{FRAME "pin xy", 4, 5, "unknown name 'xy'", "did you mean 'x' (coordinate, line 2)?"}));

INSTANTIATE_TEST_SUITE_P(
    Shapes, ModelError,
    testing::Values(
        Bad{FRAME "potential q", 4, 11, "the potential energy must be a scalar, not a vector of 3", ""},
        Bad{FRAME "potential x + q", 4, 15, "cannot add a vector of 3 to a scalar", ""},
        Bad{FRAME "potential dot(q, q - (1, 2))", 4, 22, "cannot subtract a vector of 2 from a vector of 3", ""},
        Bad{FRAME "potential q*q", 4, 13, "cannot multiply a vector of 3 by a vector of 3",
            "use dot(a, b), cross(a, b), or times(a, b) for each entry by itself"},
        Bad{FRAME "potential x/q", 4, 13, "cannot divide by a vector of 3", "over(a, b) divides each entry by itself"},
        Bad{FRAME "potential q^2", 4, 11, "cannot raise a vector of 3 to a power",
            "norm2(a) is the square of its length"},
        Bad{FRAME "potential x^q", 4, 13, "an exponent must be a scalar, not a vector of 3", ""},
        Bad{FRAME "potential sin(q)", 4, 15, "'sin' takes scalars, not a vector of 3", ""},
        Bad{FRAME "potential sin(x, x)", 4, 11, "'sin' takes 1 argument, not 2", ""},
        Bad{FRAME "potential max(x)", 4, 11, "'max' takes at least 2 arguments, not 1", ""},
        Bad{FRAME "potential norm(x)", 4, 16, "'norm' takes vectors, not a scalar", "abs(x) is the size of a scalar"},
        Bad{FRAME "potential dot(q, (1, 2))", 4, 18, "'dot' takes vectors alike, not a vector of 3 and a vector of 2",
            ""},
        Bad{FRAME "potential norm2(cross(q, (1, 2)))", 4, 26, "'cross' takes vectors of 3, not a vector of 2", ""},
        Bad{FRAME "potential norm(((1, 2), (3, 4, 5)))", 4, 25,
            "the entries of a vector must be alike: the first is a vector of 2, this one a vector of 3", ""},
        Bad{FRAME "potential q[4]", 4, 13, "index 4 of 'q' is outside 1..3", ""},
        Bad{FRAME "potential q[1.5]", 4, 13, "an index of 'q' must be a whole number, not 1.5", ""},
        Bad{FRAME "potential q[x]", 4, 13, "an index of 'q' must be a number, but 'x' changes",
            "use parameters and indices only"},
        Bad{FRAME "potential q[1][1]", 4, 16, "'q' is a vector of 3 and cannot take 2 indices", ""},
        Bad{FRAME "potential m[1]", 4, 13, "'m' is a scalar and cannot take 1 index", ""},
        Bad{FRAME "constraint q = (1, 2)", 4, 16,
            "the left side of this constraint is a vector of 3, but the right side is a vector of 2", ""},
        Bad{FRAME "force q = 3", 4, 11, "'q' is a vector of 3, but this is a scalar", ""},
        Bad{FRAME "initial q = (1, 2)", 4, 13, "'q' is a vector of 3, but this is a vector of 2", ""},
        Bad{FRAME "parameter w[2] = (1, 2, 3)", 4, 18, "'w' is a vector of 2, but its value is a vector of 3", ""},
        Bad{FRAME "potential sum(x, 3)", 4, 15, "'x' is a coordinate, not a family",
            "write sum(i, EXPR) over a family, sum(i = 1..N, EXPR), or sum(VECTOR)"},
        Bad{FRAME "family i = 1..3\npotential i*x", 5, 11, "index 'i' has no value here",
            "it has one inside sum(i, ...) and in statements over the family"}));

INSTANTIATE_TEST_SUITE_P(
    Sizes, ModelError,
    testing::Values(
        Bad{FRAME "parameter a = b, b = a", 4, 22, "the value of parameter 'a' depends on itself", ""},
        Bad{FRAME "parameter a = 1/0", 4, 15, "the value of parameter 'a' is not finite (inf)", ""},
        Bad{FRAME "parameter a = 1e300^2", 4, 15, "the value of parameter 'a' is not finite (inf)", ""},
        Bad{FRAME "parameter a = log(-1)", 4, 15, "the value of parameter 'a' is not finite (nan)", ""},
        Bad{FRAME "parameter a = x", 4, 15, "the coordinate 'x' cannot stand in a parameter, a size or an index", ""},
        Bad{FRAME "parameter a = t", 4, 15, "the value of parameter 'a' depends on 't'",
            "a parameter is a fixed number"},
        Bad{FRAME "parameter a", 4, 11, "parameter 'a' has no value", "write parameter a = ..."},
        Bad{FRAME "family i = 1..0", 4, 15, "family 'i' is empty: 1..0", "its end must not be before its start"},
        Bad{FRAME "family i = 1..2.5", 4, 15, "the end of a range must be a whole number, not 2.5", ""},
        Bad{FRAME "family i = 1..1e9", 4, 15, "the range 1..1000000000 is too long", "at most 1,000,000 are possible"},
        Bad{FRAME "family i = 2..3\ncoordinate w[i]", 5, 14, "'w' counts from 1, but family 'i' starts at 2", ""},
        Bad{FRAME "coordinate w[0]", 4, 14, "the size of 'w' must be at least 1, not 0", ""},
        Bad{FRAME "coordinate w[1e5][1e5]", 4, 19, "'w' has more than 1,000,000 entries", ""},
        Bad{FRAME "coordinate w[600000], u[600000]", 4, 23, "the model has more than 1,000,000 coordinates", ""},
        Bad{FRAME "coordinate w for i = 1..3", 4, 12, "'i' does not occur in the brackets of 'w'",
            "write coordinate w[i] for i = ..."},
        Bad{FRAME "coordinate w[i] for i = 2..3", 4, 14, "'w' counts from 1, but family 'i of w' starts at 2", ""},
        Bad{FRAME "potential q[t]", 4, 13, "an index of 'q' must be a number, but 't' changes",
            "use parameters and indices only"}));

INSTANTIATE_TEST_SUITE_P(
    Forms, ModelError,
    testing::Values(
        Bad{"model \"Nothing\"\ncoordinate x", 1, 1, "the model says nothing about its motion",
            "it needs kinetic (and potential), lagrangian, hamiltonian, or variables with rates"},
        Bad{"", 1, 1, "the model says nothing about its motion",
            "it needs kinetic (and potential), lagrangian, hamiltonian, or variables with rates"},
        Bad{"coordinate x\npotential x", 2, 1, "the kinetic energy is missing",
            "add 'kinetic EXPR', or give a 'lagrangian'"},
        Bad{"kinetic 3", 1, 1, "the model has no coordinates", "add 'coordinate x'"},
        Bad{FRAME "hamiltonian x", 4, 1,
            "'hamiltonian' (line 4) belongs to the Hamiltonian form, but 'kinetic' (line 3) to the Lagrangian form",
            "a model has one form"},
        Bad{FRAME "lagrangian x'^2", 3, 1, "'kinetic' (line 3) clashes with 'lagrangian' (line 4)",
            "the Lagrangian already is kinetic minus potential energy"},
        Bad{"variable y\nrate y' = y\nforce y = 3", 3, 1,
            "'force' (line 3) does not go with 'variable' (line 1) of the general form", "add it to a rate"},
        Bad{"coordinate x\nlagrangian x'^2\nlagrangian x'^2", 3, 1, "'lagrangian' is given twice", "first in line 2"},
        Bad{"coordinate x[2]\nmomentum p of x\nhamiltonian p^2", 2, 10,
            "'p' is a scalar, but its coordinate 'x' is a vector of 2", ""},
        Bad{"coordinate x, y\nmomentum p of x\nhamiltonian p^2 + y^2", 1, 15, "the coordinate 'y' has no momentum",
            "add momentum p of y"},
        Bad{"coordinate x\nmomentum p of x, r of x\nhamiltonian p^2", 2, 23, "the coordinate 'x' has two momenta",
            "the other is 'p'"},
        Bad{"coordinate x\nmomentum p of xx\nhamiltonian p^2", 2, 15, "unknown name 'xx'",
            "did you mean 'x' (coordinate, line 1)?"},
        Bad{"coordinate x\nmomentum p of x\nhamiltonian p^2 + x'", 3, 19,
            "there are no velocities in the Hamiltonian form", "write it with the momentum 'p'"},
        Bad{"coordinate x\nmomentum p of x\nhamiltonian p^2\ninitial x' = 1", 4, 9, "'x'' has no initial value",
            "give the momentum 'p' instead"},
        Bad{FRAME "potential m'", 4, 11, "'m' is a parameter and does not change",
            "only coordinates have velocities"}));

INSTANTIATE_TEST_SUITE_P(
    Constraints, ModelError,
    testing::Values(
        Bad{FRAME "constraint c: length = 2", 4, 12, "the constraint 'c' contains no coordinate", ""},
        Bad{FRAME "constraint x = x", 4, 12, "the constraint 'constraint 1' always holds",
            "both sides are the same whatever the coordinates are"},
        Bad{FRAME "constraint 1 = 2", 4, 12, "the constraint 'constraint 1' never holds",
            "both sides are different whatever the coordinates are"},
        Bad{FRAME "constraint x = x + 1", 4, 12, "the constraint 'constraint 1' does not restrict any coordinate",
            "the coordinates in it cancel"},
        Bad{FRAME "constraint c: x = 1\nconstraint c: q[1] = 1", 5, 12, "there are two constraints 'c'",
            "the first is in line 4"},
        Bad{FRAME "constraint c(l): x = l", 4, 22, "a constraint cannot contain the multiplier 'l'", ""},
        Bad{FRAME "constraint c(l): x = 1\npotential l", 5, 11, "the potential energy contains a multiplier",
            "multipliers may stand in forces only"},
        Bad{FRAME "constraint c(l): x = 1\nconserve l", 5, 10, "an invariant cannot contain a multiplier", ""},
        Bad{FRAME "conserve a: x\nconserve a: x'", 5, 10, "there are two invariants 'a'", "the first is in line 4"},
        Bad{FRAME "constraint c: q[j] = q[j-1] for j = 1..3", 4, 24, "index 0 of 'q' is outside 1..3", ""},
        Bad{FRAME "constraint c: q[j] = 1 for j = 1..x", 4, 35, "the end of a range must be a number, but 'x' changes",
            "use parameters and indices only"}));

INSTANTIATE_TEST_SUITE_P(
    OneMistakeOneMessage, ModelError,
    testing::Values(
        // What stands on a body that was refused says nothing more.
        Bad{"body bob planar mass 1\njoint revolute top from bob point (0, 1) to ground\ngravity (0, -9.81)", 1, 6,
            "the body 'bob' has no inertia",
            "as in: body disk planar mass 1 inertia 1/2; a point mass does not turn and is written with coordinates: "
            "coordinate bob[2], kinetic m/2*norm2(bob')"},
        Bad{"coordinate q\nvelocity w\nkinematics q' = w\nmass w = 1\nforce q = -w", 5, 7,
            "'q' is a coordinate and cannot be the target of force", "it takes a velocity"},
        Bad{"coordinate q\nvelocity spin\nkinematics q' = spin\nmass spin = 1\nforce spn = -1", 5, 7,
            "unknown name 'spn'", "did you mean 'spin' (velocity, line 2)?"}));

#define GENERAL "variable y[2], z[2]\nrate y' = z\n"

INSTANTIATE_TEST_SUITE_P(
    General, ModelError,
    testing::Values(
        Bad{"variable y, w\nrate y' = w", 1, 13, "the variable 'w' has no rate", "add rate w' = ..."},
        Bad{"variable y[2]\nrate y[1]' = 1", 1, 10, "'y[2]' has no rate", "add rate y[2]' = ..."},
        Bad{"variable y\nrate y' = 1, y' = 2", 2, 14, "the rate of 'y'' is given twice", ""},
        Bad{"variable y\nrate y = 1", 2, 6, "a rate needs a derivative on its left", "write rate y' = ..."},
        Bad{GENERAL "multiplier l\nrate z' = l*y\nconstraint y[1] = 0", 4, 11,
            "a multiplier stands outside reaction(...)", "write + reaction(...) around the terms that contain it"},
        Bad{GENERAL "multiplier l\nrate z' = 2*reaction(l*y)\nconstraint y[1] = 0", 4, 13,
            "reaction(...) must stand as a term of its own in a rate", "write rate z' = f + reaction(r)"},
        Bad{GENERAL "multiplier l, mu\nrate z' = reaction(l*y)\nconstraint y[1] = 0", 3, 12,
            "1 constraint without a named multiplier, but 2 multipliers",
            "each constraint needs one multiplier: constraint surface(psi): ..."},
        Bad{GENERAL "multiplier mu\nrate z' = reaction(mu*y)\nconstraint c(muu): y[1] = 0", 5, 14, "unknown name 'muu'",
            "did you mean 'mu' (multiplier, line 3)?"},
        Bad{GENERAL "multiplier l\nrate z' = reaction(l*y)\nconstraint y[1] = l", 5, 12,
            "the constraint 'constraint 1' contains a multiplier", "it may contain coordinates and velocities only"},
        Bad{"variable y, z\nquantity p[2] = (y*z, z)\nrate y' = z, p' = (1, 1)", 2, 10,
            "the quantities have 2 entries, but the variables they stand for ('z') have 1", ""},
        Bad{"variable y\nquantity p = y\nrate y' = 1, p' = 1", 2, 10, "the quantity 'p' stands for no variable",
            "it must contain a variable that has no rate of its own"},
        Bad{"variable y, z\nquantity p = z\nrate y' = z", 2, 10, "the quantity 'p' has no rate", "add rate p' = ..."},
        Bad{GENERAL "rate z' = y'", 3, 11, "'y' has no velocity", "its derivative is given by 'rate'"}));

INSTANTIATE_TEST_SUITE_P(
    Start, ModelError,
    testing::Values(Bad{FRAME "initial x = 1, x = 2", 4, 16, "the initial value of 'x' is given twice", ""},
                    Bad{FRAME "initial x = 1/(m - 1)", 4, 13, "the initial value of 'x' is not finite (inf)", ""},
                    Bad{FRAME "initial x = q[2]", 4, 13,
                        "this initial value needs 'q[2]', which has none before this line",
                        "give an initial value of 'q[2]' first"},
                    Bad{FRAME "solve lobatto(3) step 0 end 1", 4, 23, "the step is 0", "it must be finite and not 0"},
                    Bad{FRAME "solve lobatto(3) step 0.1 end 1/0", 4, 31, "the end is inf", "it must be finite"},
                    Bad{FRAME "solve 3*4 step 0.1", 4, 7, "a method is a name, with arguments where it takes some",
                        "as in: solve lobatto(3) step 0.01 end 240"}));

TEST(ModelErrors, AllAtOnceInTheOrderOfTheText) {
  const std::vector<Diagnostic> errors = errors_of(
      "parameter m = 1, m = 2\n"
      "coordinate x, y\n"
      "kinetic m/2*(x'^2 + yy'^2)\n"
      "potential m*grav*y + grav\n"
      "constraint rod: x^2 + = 1\n"
      "constraint bar: (x, y) = 1\n"
      "initial x = 1/0, w = 3\n"
      "solve lobatto(3) step 0\n");
  std::vector<int> lines;
  std::string all;
  for (const Diagnostic& d : errors) {
    lines.push_back(d.place.line);
    all += format(d) + "\n";
  }
  EXPECT_EQ(lines, (std::vector<int>{1, 3, 4, 5, 6, 7, 7, 8})) << all;
}

TEST(ModelErrors, ABrokenLineIsNotFollowedByUnknownNames) {
  const std::vector<Diagnostic> errors =
      errors_of("parameter m = = 1, l = 2\ncoordinate x\nkinetic m/2*x'^2\npotential l*x\n");
  ASSERT_EQ(errors.size(), 1u);
  EXPECT_EQ(errors[0].place.line, 1);
  // Nor does a broken energy make the model one without energies.
  EXPECT_EQ(errors_of("coordinate x\nkinetic x'^2 +* 3\n").size(), 1u);
}

TEST(ModelErrors, AFailedDeclarationStaysSilentAfterwards) {
  EXPECT_EQ(
      errors_of("parameter a = 1/0, b = 2*a\nfamily i = 1..a\ncoordinate x[i]\nkinetic a*norm2(x')\ninitial x[i] = b\n")
          .size(),
      1u);
  EXPECT_EQ(errors_of("coordinate x\nlet f = zz\nlet g = f + 1\nkinetic x'^2 + g*f\nconstraint f = x\ninitial x = f\n")
                .size(),
            1u);
}

TEST(ModelErrors, OverridesAreShownAsSuch) {
  const char* text = "parameter length = 1, n = 2\ncoordinate x\nkinetic x'^2\nlet e = 2*n\n";
  std::vector<Diagnostic> errors = errors_of(text, {"lenght=2", "length=1/0", "x=(1,2)", "e=3", "x=", "length'=2"});
  ASSERT_EQ(errors.size(), 6u);
  std::map<std::string, std::string> message, hint;
  for (const Diagnostic& d : errors) {
    message[d.source->name] = d.message;
    hint[d.source->name] = d.hint;
  }
  EXPECT_EQ(message["`set` lenght=2"], "unknown name 'lenght'");
  EXPECT_EQ(hint["`set` lenght=2"], "did you mean 'length' (parameter, line 1)?");
  EXPECT_EQ(message["`set` length=1/0"], "the value of parameter 'length' is not finite (inf)");
  EXPECT_EQ(message["`set` x=(1,2)"], "'x' is a scalar, but this is a vector of 2");
  EXPECT_EQ(message["`set` e=3"], "'e' contains no state and cannot be set");
  EXPECT_EQ(message["`set` length'=2"], "'length' is a parameter and has no velocity");
}

TEST(ModelErrors, FilesThatCannotBeRead) {
  EXPECT_THROW(read_model("/no/such/file.alm"), InputError);
  EXPECT_THROW(read_model(std::filesystem::temp_directory_path().string()), InputError);
}

TEST(ModelErrors, DeepAndDoublingTextsEndWithAMessage) {
  // Lets that stand on each other, in the worst order, and functions that double at each level.
  std::string lets = "coordinate x\nkinetic x'^2\npotential a1\n",
              functions = "coordinate x\nkinetic x'^2\nlet f0(u) = u\n";
  for (int i = 1; i < 3000; ++i) lets += "let a" + std::to_string(i) + " = 1 + a" + std::to_string(i + 1) + "\n";
  lets += "let a3000 = x\n";
  for (int i = 1; i < 60; ++i) {
    const std::string f = "f" + std::to_string(i - 1);
    functions += "let f" + std::to_string(i) + "(u) = " + f + "(u) + " + f + "(u + 1)\n";
  }
  const std::vector<Diagnostic> deep = errors_of(lets), wide = errors_of(functions + "potential f59(x)\n");
  ASSERT_EQ(deep.size(), 1u);
  EXPECT_EQ(deep[0].message, "this is nested too deeply");
  ASSERT_EQ(wide.size(), 1u);
  EXPECT_EQ(wide[0].message, "the model is too large: its expressions need more than 12 million operations");
}

}  // namespace
}  // namespace alembert::internal::test
