// alembert reproduce, run --plot and view, as a user meets them.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>

#include "alembert/lab/entry.h"
#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

/// The page of web/, or the simple one where the program was built without it.
bool shows_motion(const std::string& page) {
  return page.find("id=\"alembert-data\"") != std::string::npos || page.find("<canvas") != std::string::npos;
}

using Json = nlohmann::ordered_json;

TEST(ReproduceCommand, MakesPagesAndKeepsThem) {
  const Folder folder;
  const Outcome first = program({"reproduce", "003/8.1", "--quick", "--out", folder / "pages"});
  EXPECT_EQ(first.code, 0) << first.err;
  EXPECT_EQ(first.err, "");
  EXPECT_NE(first.out.find("1 figures and tables, 9 numbers: all as expected"), std::string::npos) << first.out;
  for (const char* name : {"pages/index.html", "pages/003.html", "pages/figures/003-8.1.svg", "pages/data/003-8.1.csv"})
    EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  const Json verdict = Json::parse(file_text(folder / "pages/verdict.json"));
  EXPECT_FALSE(verdict["entries"][0]["cached"].get<bool>());

  const Outcome second = program({"reproduce", "003/8.1", "--quick", "--json", "--out", folder / "pages"});
  EXPECT_EQ(second.code, 0) << second.err;
  EXPECT_TRUE(Json::parse(second.out)["entries"][0]["cached"].get<bool>());
  const Outcome anew = program({"reproduce", "003/8.1", "--quick", "--json", "--anew", "--out", folder / "pages"});
  EXPECT_FALSE(Json::parse(anew.out)["entries"][0]["cached"].get<bool>());
}

TEST(ReproduceCommand, ANumberThatMissesEndsWithOneAndTheNameOfTheFigure) {
  const Folder folder;
  const Outcome outcome = program({"reproduce", "003", "--quick", "--set", "q[1]=1.0001", "--out", folder / "pages"});
  EXPECT_EQ(outcome.code, 2) << "not all models of the paper have q[1]";
  const Outcome missed =
      program({"reproduce", "003/8.1", "003/7-control", "--quick", "--set", "q[1]=1.0001", "--out", folder / "pages"});
  EXPECT_EQ(missed.code, 1) << missed.out;
  EXPECT_NE(missed.err.find("003/8.1 missed: Fig. 8.1"), std::string::npos) << missed.err;
  EXPECT_NE(missed.out.find("largest energy error, gauss(1): "), std::string::npos) << missed.out;
  EXPECT_NE(file_text(folder / "pages/index.html").find("q[1]=1.0001"), std::string::npos);
}

TEST(ReproduceCommand, WrongInputEndsWithTwo) {
  const Outcome unknown = program({"reproduce", "003/8.11"});
  EXPECT_EQ(unknown.code, 2);
  EXPECT_NE(unknown.err.find("did you mean '003/8.1'"), std::string::npos) << unknown.err;
  EXPECT_EQ(program({"reproduce", "003/8.1", "--quick", "--out", "/proc/nowhere"}).code, 2);
}

TEST(ReproduceCommand, ListsAllFigures) {
  const Outcome outcome = program({"reproduce", "--list"});
  EXPECT_EQ(outcome.code, 0);
  for (const reproduce::Paper& paper : reproduce::papers()) {
    for (const reproduce::Entry& entry : paper.entries)
      EXPECT_NE(outcome.out.find("  " + entry.id + " "), std::string::npos) << entry.id;
  }
}

TEST(ReproduceCommand, TheCommandsOnThePagesRun) {
  const Folder folder;
  std::vector<std::string> seen;
  for (const reproduce::Paper& paper : reproduce::papers()) {
    for (const reproduce::Entry& entry : paper.entries) {
      for (const std::string& command : entry.commands) {
        if (std::find(seen.begin(), seen.end(), command) != seen.end()) continue;
        seen.push_back(command);
        std::vector<std::string> arguments = words(command);
        ASSERT_EQ(arguments.at(0), "alembert") << command;
        arguments.erase(arguments.begin());
        for (std::size_t i = 0; i < arguments.size(); ++i) {
          if (arguments[i].starts_with("models/")) arguments[i] = source_folder() + "/" + arguments[i];
          if (i > 0 && (arguments[i - 1] == "--out" || arguments[i - 1] == "--plot"))
            arguments[i] = folder / arguments[i];
          if (i > 0 && arguments[i - 1] == "--end" && std::stod(arguments[i]) > 1000) arguments[i] = "50";
        }
        const Outcome outcome = program(arguments);
        EXPECT_EQ(outcome.code, 0) << command << "\n" << outcome.err;
      }
    }
  }
  EXPECT_GE(seen.size(), 10u);
}

TEST(PlotOption, WritesFigureAndPage) {
  const Folder folder;
  const Outcome outcome = program({"run", "-", "--plot", folder / "a.svg", "--plot", folder / "a.html"}, pendulum);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("a.svg, "), std::string::npos) << outcome.out;
  const std::string svg = file_text(folder / "a.svg"), page = file_text(folder / "a.html");
  for (const char* part : {"Positions", "Coordinates", "Energy error", "Constraints", "Invariants", "Multipliers"}) {
    EXPECT_NE(svg.find(std::string(">") + part + "<"), std::string::npos) << part;
  }
  EXPECT_TRUE(shows_motion(page));
  // The simple page has the figure, the other the columns.
  for (const char* part : {"\"name\":\"x'\"", "\"kind\":\"multipliers\"", "\"kind\":\"residuals\""})
    EXPECT_TRUE(page.find(part) != std::string::npos || page.find("<canvas") != std::string::npos) << part;
  EXPECT_NE(page.find("Newton"), std::string::npos) << "the report";
}

TEST(PlotOption, AFailingRunIsDrawnUntilItFails) {
  const Folder folder;
  const std::string wall = "model \"Wall\"\ncoordinate x\nkinetic x'^2/2\npotential 1e-6*sqrt(2 - x)\ninitial x' = 1\n";
  const Outcome outcome =
      program({"run", "-", "-m", "gauss(1)", "--step", "0.1", "--end", "4", "--plot", folder / "a.svg"}, wall);
  EXPECT_EQ(outcome.code, 1);
  EXPECT_NE(file_text(folder / "a.svg").find("Coordinates"), std::string::npos);
}

TEST(PlotOption, WrongNamesAreRefusedBeforeTheRun) {
  EXPECT_EQ(program({"run", "-", "--plot", "a.png"}, pendulum).code, 2);
  EXPECT_EQ(program({"run", "-", "--plot", "/nowhere/a.svg"}, pendulum).code, 1);
  EXPECT_EQ(program({"run", "-", "--plot", "/nowhere/a.svg"}, pendulum).out, "");
}

TEST(ViewCommand, MakesAPageOfEveryFormat) {
  const Folder folder;
  for (const char* name : {"a.csv", "b.json", "c.h5"}) {
    ASSERT_EQ(program({"run", "-", "--quiet", "--out", folder / name}, pendulum).code, 0);
    const Outcome outcome = program({"view", folder / name});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_NE(outcome.out.find("101 rows from t = 0 to 1"), std::string::npos) << outcome.out;
    const std::string page = file_text(folder / (std::string(name, 1) + ".html"));
    EXPECT_TRUE(shows_motion(page));
    EXPECT_NE(page.find("<h1>Pendulum, lobatto(3), step 0.01"), std::string::npos) << name;
  }
  EXPECT_EQ(program({"view", folder / "a.csv", "--out", folder / "x.svg"}).code, 0);
  EXPECT_EQ(file_text(folder / "x.svg").find("<svg"), 0u);
  EXPECT_EQ(program({"view", folder / "nothing.csv"}).code, 2);
  EXPECT_EQ(program({"view", folder / "a.csv", "--out", folder / "x.png"}).code, 2);
  EXPECT_EQ(program({"view", folder / "a.csv", folder / "c.h5", "--out", folder / "both.html"}).code, 0);
  EXPECT_EQ(program({"view", folder / "a.csv", folder / "c.h5", "--out", folder / "both.svg"}).code, 2)
      << "one run only";
}

TEST(GalleryCommand, MakesAPageForEachModelAndOneForAll) {
  const Folder folder;
  folder.write("good.alm", pendulum);
  folder.write("bad.alm", "model \"Bad <b>\"\ncoordinate x\nkinetic x\n");
  const Outcome outcome =
      program({"gallery", folder / "good.alm", folder / "bad.alm", "--out", folder / "pages", "--steps", "5"});
  EXPECT_EQ(outcome.code, 1) << "one of them is wrong";
  EXPECT_NE(outcome.out.find("2 models, 1 of them to their end"), std::string::npos) << outcome.out;
  EXPECT_TRUE(shows_motion(file_text(folder / "pages/good.html")));
  const std::string index = file_text(folder / "pages/index.html");
  EXPECT_NE(index.find("href=\"good.html\""), std::string::npos);
  EXPECT_EQ(index.find("href=\"bad.html\""), std::string::npos);
  EXPECT_EQ(program({"gallery", folder / "good.alm", folder / "good.alm"}).code, 2) << "two of one name";
}

}  // namespace
}  // namespace alembert::internal::apps_test
