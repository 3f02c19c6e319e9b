// check, derive, methods, fmt, grammar and help, as a user meets them.

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "alembert/methods/method.h"
#include "alembert/text/syntax.h"
#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

using Json = nlohmann::ordered_json;

Json check_json(const std::string& model) {
  const Outcome outcome = program({"check", "-", "--json"}, model);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  return Json::parse(outcome.out);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) throw std::logic_error("nothing to replace: " + from);
  return text.replace(at, from.size(), to);
}

TEST(CheckCommand, KnowsThePendulum) {
  const Json j = check_json(pendulum);
  EXPECT_EQ(j["form"], "Lagrangian");
  EXPECT_EQ(j["coordinates"], 2);
  EXPECT_EQ(j["holonomic"], 1);
  EXPECT_EQ(j["nonholonomic"], 0);
  EXPECT_EQ(j["degrees_of_freedom"], 1);
  EXPECT_EQ(j["index"], 3);
  EXPECT_EQ(j["class"]["rheonomic"], false);
  EXPECT_EQ(j["class"]["constant_mass"], true);
  EXPECT_EQ(j["class"]["ideal"], true);
  EXPECT_EQ(j["class"]["conservative"], true);
  EXPECT_TRUE(j["class"]["nonholonomic"].is_null());
  EXPECT_EQ(j["initial"]["consistent"], true);
  EXPECT_NEAR(j["multipliers"]["rod"].get<double>(), 0, 1e-14) << "released at rest, horizontally";
  EXPECT_NE(std::find(j["methods"].begin(), j["methods"].end(), "lobatto(s)"), j["methods"].end());
  EXPECT_EQ(j["warnings"].size(), 0u);
}

TEST(CheckCommand, SaysWhatHadToBeMoved) {
  const Json j = check_json(replaced(pendulum, "initial x = l", "initial x = 3, y = 4"));
  EXPECT_EQ(j["initial"]["consistent"], false);
  EXPECT_NEAR(j["initial"]["residual"]["position"].get<double>(), 24, 1e-12);
  ASSERT_EQ(j["initial"]["changes"].size(), 2u);
  EXPECT_EQ(j["initial"]["changes"][0]["name"], "x");
  EXPECT_EQ(j["initial"]["changes"][0]["from"], 3.0);
  EXPECT_NEAR(j["initial"]["changes"][0]["to"].get<double>(), 0.6, 1e-13) << "the nearest point of the circle";
  EXPECT_NEAR(j["initial"]["changes"][1]["to"].get<double>(), 0.8, 1e-13);
}

TEST(CheckCommand, TellsTheClasses) {
  EXPECT_EQ(check_json(oscillator)["index"], 0);
  EXPECT_EQ(check_json(oscillator)["degrees_of_freedom"], 1);
  const std::string head = "coordinate x, y\nkinetic (x'^2 + y'^2)/2\ninitial x = 1\nsolve gauss(2) step 0.1 end 1\n";
  const Json linear = check_json(head + "constraint k: y' = x*x'\n");
  EXPECT_EQ(linear["index"], 2);
  EXPECT_EQ(linear["nonholonomic"], 1);
  EXPECT_EQ(linear["class"]["nonholonomic"], "linear");
  EXPECT_EQ(linear["class"]["conservative"], true);
  const Json affine = check_json(head + "constraint k: y' = x*x' + 1\n");
  EXPECT_EQ(affine["class"]["nonholonomic"], "affine");
  EXPECT_EQ(affine["class"]["conservative"], false);
  const Json nonlinear = check_json(head + "constraint k: x'^2 + y'^2 = 1\ninitial x' = 1\n");
  EXPECT_EQ(nonlinear["class"]["nonholonomic"], "nonlinear");
  const Json moving = check_json(head + "constraint g: x = cos(t)\n");
  EXPECT_EQ(moving["class"]["rheonomic"], true);
  EXPECT_EQ(moving["class"]["conservative"], false);
  const Json mass =
      check_json("coordinate x, y\nkinetic x^2*(x'^2 + y'^2)/2\ninitial x = 1\nsolve gauss(2) step 0.1 end 1\n");
  EXPECT_EQ(mass["class"]["constant_mass"], false);
  const Json braked = check_json(head + "rayleigh x'^2\n");
  EXPECT_EQ(braked["class"]["conservative"], false);
}

TEST(CheckCommand, FindsRedundantConstraints) {
  const Json j = check_json(replaced(pendulum, "initial x", "constraint again: 2*x^2 + 2*y^2 = 2*l^2\ninitial x"));
  EXPECT_EQ(j["holonomic"], 2);
  EXPECT_EQ(j["rank"], 1);
  EXPECT_EQ(j["degrees_of_freedom"], 1);
  ASSERT_EQ(j["redundant"].size(), 1u);
  EXPECT_NE(j["redundant"][0].get<std::string>().find("rod"), std::string::npos);
  EXPECT_GE(j["warnings"].size(), 1u);
}

TEST(CheckCommand, PrintsText) {
  const Outcome outcome = program({"check", "-"}, pendulum);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* said : {"Pendulum\n", "Lagrangian",
                           "2 coordinates, 1 holonomic constraint, 0 nonholonomic constraints, 1 degree of freedom",
                           "scleronomic", "index 3", "1 of 1 constraints", "consistent", "rod = ", "lobatto(s)"}) {
    EXPECT_NE(outcome.out.find(said), std::string::npos) << said << "\n" << outcome.out;
  }
}

TEST(CheckCommand, RefusesContradictions) {
  const Outcome outcome =
      program({"check", "-"}, replaced(pendulum, "initial x", "constraint other: x^2 + y^2 = 4*l^2\ninitial x"));
  EXPECT_EQ(outcome.code, 2);
  EXPECT_NE(outcome.err.find("rod"), std::string::npos) << outcome.err;
  EXPECT_NE(outcome.err.find("other"), std::string::npos) << outcome.err;
  EXPECT_EQ(program({"check", "nowhere.alm"}).code, 2);
  EXPECT_EQ(program({"check"}).code, 2);
}

TEST(DeriveCommand, ShowsTheEquations) {
  const Outcome outcome = program({"derive", "-"}, pendulum);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("gravity"), std::string::npos) << "parameters stay symbols\n" << outcome.out;
  EXPECT_EQ(program({"derive", "-", "--values"}, pendulum).out.find("gravity"), std::string::npos);
  EXPECT_NE(program({"derive", "-", "--values"}, pendulum).out.find("9.81"), std::string::npos);
  const Outcome latex = program({"derive", "-", "--latex"}, pendulum);
  EXPECT_EQ(latex.code, 0) << latex.err;
  EXPECT_NE(latex.out.find("\\begin{align"), std::string::npos) << latex.out;
  EXPECT_EQ(program({"derive", "-"}, "coordinate x\nkinetic x'^2/2 + z\n").code, 2);
}

TEST(DeriveCommand, PortHamiltonianWritesAModelThatRuns) {
  const Outcome port = program({"derive", "-", "--port-hamiltonian"}, pendulum);
  ASSERT_EQ(port.code, 0) << port.err;
  for (const char* line : {"state ", "flow E(", "structure J(", "hamiltonian "})
    EXPECT_NE(port.out.find(line), std::string::npos) << line;
  EXPECT_EQ(program({"run", "-", "--end", "0.1"}, port.out).code, 0);
  EXPECT_EQ(program({"fmt", "-"}, port.out).code, 0);
  // The same in polar coordinates, found from a value near by.
  const std::string list = "x = r*cos(a), y = r*sin(a), r = 1, a = 0.1";
  const Outcome polar = program({"derive", "-", "--port-hamiltonian", "--change", list}, port.out);
  ASSERT_EQ(polar.code, 0) << polar.err;
  EXPECT_NE(polar.out.find("E(r, a) = -r*sin(a)"), std::string::npos) << polar.out;
  const auto end = [](const std::string& model) {
    const Outcome outcome = program({"run", "-", "--end", "0.5", "--json"}, model);
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return nlohmann::json::parse(outcome.out)["variables"];
  };
  const nlohmann::json before = end(port.out), after = end(polar.out);
  const double r = after["r"], a = after["a"];
  EXPECT_NEAR(before["x"].get<double>(), r * std::cos(a), 1e-9);
  EXPECT_NEAR(before["y"].get<double>(), r * std::sin(a), 1e-9);
  for (const char* wrong : {"x = r*cos(a), r = 1, a = 0", "x = r*cos(a), y = r*sin(b), r = 1, a = 0", "x = r +"})
    EXPECT_EQ(program({"derive", "-", "--port-hamiltonian", "--change", wrong}, port.out).code, 2) << wrong;
  EXPECT_EQ(program({"derive", "-", "--change", list}, port.out).code, 2);
  EXPECT_EQ(program({"derive", "-", "--autonomous"}, port.out).code, 2);
}

TEST(MethodsCommand, ListsEveryFamily) {
  const Outcome outcome = program({"methods"});
  EXPECT_EQ(outcome.code, 0);
  ASSERT_FALSE(all_families().empty());
  for (const MethodFamily& family : all_families()) {
    EXPECT_NE(outcome.out.find(family.signature), std::string::npos) << family.signature;
    const Outcome details = program({"methods", family.name});
    EXPECT_EQ(details.code, 0) << details.err;
    EXPECT_NE(details.out.find(family.source), std::string::npos) << details.out;
  }
}

TEST(MethodsCommand, ShowsOneWithItsCoefficients) {
  const Outcome rattle = program({"methods", "lobatto", "--stages", "2"});
  EXPECT_EQ(rattle.out.find("lobatto(2)\n"), 0u) << rattle.out;
  EXPECT_NE(rattle.out.find("2 in q, 2 in v, 2 in the multiplier"), std::string::npos) << rattle.out;
  EXPECT_NE(rattle.out.find("0.5"), std::string::npos) << rattle.out;
  EXPECT_EQ(program({"methods", "lobatto(2)"}).out, rattle.out);
  EXPECT_NE(program({"methods", "gauss(3)"}).out.find("0.2777777777777778"), std::string::npos) << "weight 5/18";
}

TEST(MethodsCommand, RefusesWhatItDoesNotKnow) {
  const Outcome near = program({"methods", "gaus"});
  EXPECT_EQ(near.code, 2);
  EXPECT_NE(near.err.find("'gauss'"), std::string::npos) << near.err;
  EXPECT_EQ(program({"methods", "--stages", "3"}).code, 2);
  EXPECT_EQ(program({"methods", "lobatto", "--stages", "1"}).code, 2);
  EXPECT_EQ(program({"methods", "lobatto", "--markdown"}).code, 2);
}

TEST(MethodsCommand, DocumentationIsWhatItPrints) {
  EXPECT_EQ(file_text(source_folder() + "/docs/methods.md"), program({"methods", "--markdown"}).out)
      << "renew it: alembert methods --markdown > docs/methods.md";
}

TEST(FmtCommand, PrintsCanonicalTextThatStays) {
  const std::string rough = "model   \"P\"\ncoordinate x,y # two\nkinetic (x'^2+y'^2) /2\ninitial x=1\n";
  const Outcome once = program({"fmt", "-"}, rough);
  EXPECT_EQ(once.code, 0) << once.err;
  EXPECT_NE(once.out, rough);
  EXPECT_EQ(program({"fmt", "-"}, once.out).out, once.out);
  const auto source = [](const std::string& text) { return std::make_shared<const Source>(Source{"text", text}); };
  EXPECT_EQ(parse(source(once.out)), parse(source(rough)));
}

TEST(FmtCommand, ChecksAndReplaces) {
  const Folder folder;
  const std::string rough = "coordinate   x\nkinetic x'^2/2\n";
  const std::string path = folder.write("a.alm", rough);
  ::chmod(path.c_str(), 0640);
  Outcome outcome = program({"fmt", "--check", path});
  EXPECT_EQ(outcome.code, 1);
  EXPECT_EQ(outcome.out, path + "\n");
  EXPECT_EQ(file_text(path), rough);
  EXPECT_EQ(program({"fmt", "--in-place", path}).code, 0);
  EXPECT_NE(file_text(path), rough);
  EXPECT_EQ(file_text(path), program({"fmt", "-"}, rough).out);
  outcome = program({"fmt", "--check", path});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms(0640));
}

TEST(FmtCommand, KeepsLinksAndLeavesNoLitter) {
  const Folder folder;
  const std::string path = folder.write("a.alm", "coordinate   x\n");
  std::filesystem::create_symlink(path, folder / "link.alm");
  EXPECT_EQ(program({"fmt", "-i", folder / "link.alm"}).code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link.alm"));
  EXPECT_EQ(file_text(path), "coordinate x\n");
  int files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder / "")) ++files;
  EXPECT_EQ(files, 2);
}

TEST(FmtCommand, ErrorsOfAllFilesAtOnceAndNothingReplaced) {
  const Folder folder;
  const std::string first = folder.write("a.alm", "kinetic (((\n");
  const std::string second = folder.write("b.alm", "constraint = =\n");
  const Outcome outcome = program({"fmt", "--in-place", first, second, folder / "missing.alm"});
  EXPECT_EQ(outcome.code, 2);
  for (const std::string& path : {first, second, folder / "missing.alm"}) {
    EXPECT_NE(outcome.err.find(path), std::string::npos) << outcome.err;
  }
  EXPECT_EQ(file_text(first), "kinetic (((\n");
  EXPECT_EQ(program({"fmt"}).code, 2);
  EXPECT_EQ(program({"fmt", "-", "--in-place"}).code, 2);
  EXPECT_EQ(program({"fmt", first, "--in-place", "--check"}).code, 2);
}

TEST(CheckCommand, MethodThatDoesNotFitIsRefusedAfterTheRest) {
  const Outcome unknown = program({"check", "-"}, replaced(pendulum, "solve lobatto", "solve lobato"));
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.out.find("index 3"), std::string::npos) << unknown.out;
  EXPECT_NE(unknown.err.find(":9:7: unknown method 'lobato'"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("^~~"), std::string::npos) << unknown.err;
  EXPECT_NE(unknown.err.find("'lobatto'"), std::string::npos) << unknown.err;
}

TEST(ShippedModels, AreSoundAndSurviveFormatting) {
  int models = 0;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/models")) {
    if (entry.path().extension() != ".alm") continue;
    ++models;
    const std::string path = entry.path().string();
    const Outcome check = program({"check", path});
    // A model may name a method that is still to come; nothing else may be wrong with it.
    EXPECT_TRUE(check.code == 0 || (check.out != "" && check.err.find("unknown method") != std::string::npos))
        << path << "\n"
        << check.err;
    const std::string canonical = program({"fmt", path}).out;
    EXPECT_EQ(program({"fmt", "-"}, canonical).out, canonical) << path;
  }
  EXPECT_GE(models, 8);
}

TEST(GrammarCommand, NamesEveryStatement) {
  const Outcome outcome = program({"grammar"});
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, grammar());
  for (const char* word : {"constraint", "kinetic", "hamiltonian", "rate", "family", "solve"}) {
    EXPECT_NE(outcome.out.find(word), std::string::npos) << word;
  }
}

TEST(Help, IsShortAndEverywhere) {
  const Outcome bare = program({});
  EXPECT_EQ(bare.code, 0);
  EXPECT_EQ(program({"--help"}).out, bare.out);
  for (const char* command : {"run", "check", "derive", "methods", "fmt", "grammar"}) {
    EXPECT_NE(bare.out.find(std::string("\n  ") + command + " "), std::string::npos) << command << "\n" << bare.out;
    const Outcome help = program({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_NE(help.out.find(std::string("alembert ") + command), std::string::npos) << help.out;
  }
  EXPECT_LT(std::count(bare.out.begin(), bare.out.end(), '\n'), 30);
  EXPECT_EQ(program({"--version"}).out.find("alembert "), 0u);
}

TEST(Program, SaysWhenItsOutputCannotBeWritten) {
  const Outcome outcome = program({"grammar"});
  ASSERT_EQ(outcome.code, 0);
  const std::string command = program_path() + " grammar > /dev/full 2>/dev/null";
  EXPECT_NE(std::system(command.c_str()), 0);
}

}  // namespace
}  // namespace alembert::internal::apps_test
