// Command lines that no command can follow: exit code 2, the reason in words, and nothing on standard output.

#include <gtest/gtest.h>

#include "apps/program.h"

namespace alembert::internal::apps_test {
namespace {

struct Refused {
  std::vector<std::string> arguments;
  std::string words;  // part of what is said
};

void expect_refused(const std::vector<Refused>& lines, const std::string& model) {
  for (const Refused& line : lines) {
    std::string shown;
    for (const std::string& word : line.arguments) shown += " " + word;
    SCOPED_TRACE("alembert" + shown);
    const Outcome outcome = program(line.arguments, model);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_EQ(outcome.out, "");
    EXPECT_NE(outcome.err.find(line.words), std::string::npos) << outcome.err;
  }
}

TEST(Refusals, FormsOfOutputExcludeEachOther) {
  expect_refused({{{"audit", "--json", "--markdown"}, "--json and --markdown are two forms: choose one"},
                  {{"benchmark", "--json", "--markdown"}, "--json and --markdown are two forms: choose one"},
                  {{"fmt", "-", "--in-place"}, "fmt cannot replace standard input"},
                  {{"fmt", "-", "--in-place", "--check"}, "--in-place or --check, not both"},
                  {{"gallery", "--out", "a", "--markdown", "b", "."}, "two kinds of pages"},
                  {{"methods", "--stages", "3"}, "--stages needs the name of a method"},
                  {{"methods", "gauss", "--markdown"}, "leave out 'gauss'"},
                  {{"reproduce", "--list", "003"}, "nothing else goes with it"},
                  {{"run", "-", "--profile", "--quiet"}, "not with --quiet"}},
                 oscillator);
}

TEST(Refusals, DeriveSaysWhatGoesTogether) {
  expect_refused({{{"derive", "-", "--autonomous"}, "--autonomous and --change go with --port-hamiltonian"},
                  {{"derive", "-", "--form", "index9"}, "--form is index1, index2 or ggl, not 'index9'"},
                  {{"derive", "-", "--port-hamiltonian", "--form", "index1"}, "is index2 or ggl, not 'index1'"}},
                 oscillator);
  const std::string ports = "state q = 1, v\nflow (1, 1)\nstructure J(q, v) = 1\nhamiltonian (q^2 + v^2)/2\n";
  expect_refused({{{"derive", "-", "--form", "index1"}, "a port-Hamiltonian model has none"},
                  {{"derive", "-", "--port-hamiltonian", "--values"}, "stay as they are written"},
                  {{"derive", "-", "--port-hamiltonian", "--form", "ggl"}, "port-Hamiltonian already"}},
                 ports);
}

TEST(Refusals, ExportSaysWhatItWants) {
  expect_refused({{{"export", "-"}, "nothing says what to write"},
                  {{"export", "-", "--c", "a.c", "--out", "b.c"}, "--c and --out name two files"},
                  {{"export", "-", "--c", "a.txt"}, "--c wants a file that ends in .c, not 'a.txt'"},
                  {{"export", "-", "--c", "a.c", "--tolerance", "1e-6"}, "the step that is written has one size"}},
                 oscillator);
}

TEST(Refusals, RowsAndFilesOfARun) {
  expect_refused({{{"run", "-", "--plot", "a.png"}, "the endings .svg and .html are known"},
                  {{"run", "-", "--columns", "x"}, "say --out where to write it"},
                  {{"run", "-", "--columns", "t,,x", "--out", "a.csv"}, "--columns has an empty name"},
                  {{"run", "-", "--every", "5"}, "say --out where to write it"},
                  {{"run", "-", "--sample", "0", "--out", "a.csv"}, "--sample wants a number above 0"},
                  {{"run", "-", "--dirac", "--out", "a.csv"}, "this one has another form"},
                  {{"run", "-", "--checkpoint-every", "10"}, "it goes with --checkpoint"},
                  {{"run", "-", "--checkpoint", "c", "--checkpoint-every", "0s"}, "wants a time above 0, not 0s"},
                  {{"run", "-", "--resume", "nowhere/c"}, "cannot read the checkpoint 'nowhere/c'"},
                  {{"run", "-", "--resume", "c", "--plot", "a.svg"}, "let alembert view draw it"},
                  {{"run", "-", "--max-steps", "0"}, "--max-steps wants a whole number from 1 on"},
                  {{"run", "-", "--control", "wild"}, "--control is fixed, tolerance or reversible, not 'wild'"},
                  {{"run", "-", "--newton", "wild"}, "--newton is exact or two-matrix, not 'wild'"},
                  {{"run", "-", "--guess", "wild"}, "--guess is extrapolated, naive or educated, not 'wild'"},
                  {{"run", "-", "--newton-tolerance", "2"}, "is at least 0 and below 1, not 2"}},
                 oscillator);
}

TEST(Refusals, Studies) {
  expect_refused({{{"sweep", "-"}, "nothing varies"},
                  {{"sweep", "-", "--vary", "x=1:2"}, "a range has three parts"},
                  {{"sweep", "-", "--vary", "x=1:2:3", "--vary", "x=1:2:3"}, "put all its values into one list"},
                  {{"sweep", "-", "--vary", "x=1:2:3", "--threads", "0"}, "--threads wants a whole number from 1 on"},
                  {{"sweep", "-", "--vary", "x=1:2:3", "--report", "energy.initial,"}, "--report has an empty name"},
                  {{"sweep", "-", "--vary", "x=1:2:3", "--plot", "a.svg"}, "what is drawn: --map"},
                  {{"sweep", "-", "--vary", "x=1:2:3", "--every", "2"}, "--every goes with --keep"},
                  {{"sweep", "-", "--draw", "x=normal(0, 1)"}, "how often is drawn: --members 1000"},
                  {{"sweep", "-", "--members", "5"}, "say what is drawn"},
                  {{"sweep", "-", "--vary", "x=1:2:3", "--device", "abacus"}, "cpu, lanes and gpu are known"},
                  {{"studio", "--port", "99999999"}, "--port is at most 65535"}},
                 oscillator);
}

}  // namespace
}  // namespace alembert::internal::apps_test
