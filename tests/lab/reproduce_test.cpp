// Figures of the papers: what is kept is what was made, and a method that is not quite right is found out.

#include "alembert/lab/reproduce.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "alembert/error.h"
#include "alembert/methods/shared/euler.h"
#include "alembert/methods/shared/spark.h"
#include "conformance/problems.h"
#include "source_folder.h"

namespace alembert::internal::reproduce {
namespace {

class Folder {
 public:
  Folder() : path_(std::filesystem::temp_directory_path() / ("alembert_reproduce_" + std::to_string(::getpid()))) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  std::string path() const { return path_.string(); }
  std::string text(const std::string& name) const {
    std::ifstream file(path_ / name, std::ios::binary);
    EXPECT_TRUE(file) << name;
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path path_;
};

Options only(const std::string& id) {
  Options options;
  options.ids = {id};
  options.quick = true;
  return options;
}

std::vector<std::string> missed(const Reproduction& made) {
  std::vector<std::string> names;
  for (const auto& results : made.results) {
    for (const Result& result : results) {
      EXPECT_EQ(result.findings.failure, "");
      for (const Check& check : result.findings.checks) {
        if (!check.passed()) names.push_back(result.entry.id + ": " + check.name);
      }
    }
  }
  return names;
}

TEST(Reproduce, APerturbedCoefficientIsFoundOut) {
  Options options = only("003/8.1");
  EXPECT_EQ(missed(reproduce(options)), std::vector<std::string>());
  // One coefficient of the Gauss method with two stages is a little larger.
  options.find_method = [](const std::string& text) {
    Method method = alembert::internal::testing::method(text);
    if (text == "gauss(2)") {
      method.step = [](const Equations& e) {
        SparkCoefficients k = with_lobatto_points(gauss(2));
        k.A[0][1] += Quad(1) / 100000;
        return spark_step(e, k);
      };
    }
    return method;
  };
  const Reproduction made = reproduce(options);
  EXPECT_FALSE(made.passed());
  const std::vector<std::string> names = missed(made);
  ASSERT_FALSE(names.empty());
  for (const std::string& name : names) {
    EXPECT_EQ(name.find("003/8.1: "), 0u);
    EXPECT_NE(name.find("gauss(2)"), std::string::npos) << "the other two are as they were";
  }
  EXPECT_NE(to_text(made).find("003/8.1          missed"), std::string::npos) << to_text(made);
}

TEST(Reproduce, TheNaturalMethodIsNotTheTrueOne) {
  Options options = only("000/4.3");
  options.find_method = [](const std::string& text) {
    return alembert::internal::testing::method(text == "true_euler" ? "natural_euler" : text);
  };
  EXPECT_FALSE(reproduce(options).passed());
}

TEST(Reproduce, OtherValuesMiss) {
  Options options = only("003/8.2");
  options.overrides = {"gravity=1.0001"};
  const Reproduction made = reproduce(options);
  EXPECT_FALSE(made.passed());
  options.overrides = {"no_such=1"};
  EXPECT_THROW(reproduce(options), InputError);
}

TEST(Reproduce, AFailingRunIsAMiss) {
  Options options = only("003/8.1");
  options.overrides = {"q[1]'=1e300"};
  const Reproduction made = reproduce(options);
  EXPECT_FALSE(made.passed());
  EXPECT_NE(made.results[0][0].findings.failure, "");
  EXPECT_NE(to_json(made).find("\"passed\": false"), std::string::npos);
}

TEST(Reproduce, UnknownFiguresAreRefusedWithTheNearest) {
  try {
    reproduce(only("003/8.1x"));
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("did you mean '003/8.1'"), std::string::npos) << error.what();
  }
}

TEST(Reproduce, WhatDidNotChangeIsKept) {
  const Folder folder;
  Options options = only("003/8.2");
  options.cache = folder.path();
  options.program = "one";
  const Reproduction first = reproduce(options), second = reproduce(options);
  EXPECT_FALSE(first.results[0][0].cached);
  EXPECT_TRUE(second.results[0][0].cached);
  EXPECT_EQ(store(first.results[0][0].findings), store(second.results[0][0].findings));
  options.program = "two";
  EXPECT_FALSE(reproduce(options).results[0][0].cached) << "another program";
  options.program = "one", options.quick = false;
  EXPECT_FALSE(reproduce(options).results[0][0].cached) << "the whole run";
  options.quick = true, options.overrides = {"gravity=1"};
  EXPECT_FALSE(reproduce(options).results[0][0].cached) << "other values";
  options.overrides = {};
  for (const auto& file : std::filesystem::directory_iterator(folder.path())) std::ofstream(file.path()) << "{";
  EXPECT_FALSE(reproduce(options).results[0][0].cached) << "a broken file";
}

TEST(Reproduce, FindingsRoundTrip) {
  Findings findings;
  findings.checks = {near("a \"name\"", 0.1, 0.3, 0.1), at_most("b", NAN, 1e-300), within("c", 1, -INFINITY, INFINITY)};
  findings.figures = {{"", "<svg/>"}};
  findings.data = {{"more", "t,x\n0,1\n"}};
  findings.tables = {{"title", {"a", "b"}, {{"1", "2"}, {"3", "4"}}}};
  findings.notes = {"μ"};
  findings.seconds = 0.1;
  Findings read;
  ASSERT_TRUE(restore(store(findings), read));
  EXPECT_EQ(store(read), store(findings));
  EXPECT_EQ(read.checks[0].low, findings.checks[0].low);
  EXPECT_TRUE(std::isnan(read.checks[1].value));
  EXPECT_FALSE(read.checks[1].passed()) << "what is no number never passes";
  EXPECT_EQ(read.tables[0].rows[1][1], "4");
  EXPECT_FALSE(restore("[]", read));
}

TEST(Reproduce, PagesHoldEverything) {
  const Folder folder;
  write_pages(reproduce(only("003/8.3")), folder.path());
  const std::string page = folder.text("003.html"), index = folder.text("index.html");
  EXPECT_NE(index.find("003.html#003-8.3"), std::string::npos);
  for (const char* part : {"<svg", "largest energy error, lobatto_abd(4)", "models/mobile_robot.alm",
                           "alembert run models/mobile_robot.alm", "data/003-8.3-turning.csv"})
    EXPECT_NE(page.find(part), std::string::npos) << part;
  EXPECT_EQ(folder.text("figures/003-8.3.svg").find("<svg"), 0u);
  EXPECT_EQ(folder.text("data/003-8.3.csv").find("t,lobatto_abd(2),"), 0u);
  const auto verdict = nlohmann::json::parse(folder.text("verdict.json"));
  EXPECT_TRUE(verdict["passed"].get<bool>());
  ASSERT_EQ(verdict["entries"].size(), 1u);
  EXPECT_NEAR(verdict["entries"][0]["checks"][0]["value"].get<double>(), 0.2428235, 1e-6);
  EXPECT_NE(folder.text("summary.md").find("(figures/003-8.3.svg)"), std::string::npos);
  // Nothing is loaded from elsewhere: the only addresses are name spaces.
  for (const std::string& text : {page, index}) {
    for (std::size_t at = text.find("http"); at != std::string::npos; at = text.find("http", at + 1))
      EXPECT_EQ(text.substr(at, 26), "http://www.w3.org/2000/svg");
    EXPECT_EQ(text.find("src="), std::string::npos);
  }
}

TEST(Reproduce, EveryEntryIsWhole) {
  std::set<std::string> ids;
  for (const Paper& paper : papers()) {
    EXPECT_FALSE(paper.entries.empty()) << paper.id;
    for (const Entry& entry : paper.entries) {
      SCOPED_TRACE(entry.id);
      EXPECT_TRUE(ids.insert(entry.id).second) << "twice";
      EXPECT_EQ(entry.id.find(paper.id + "/"), 0u);
      for (const std::string* text : {&entry.title, &entry.says}) EXPECT_FALSE(text->empty());
      EXPECT_FALSE(entry.models.empty());
      EXPECT_FALSE(entry.commands.empty());
      for (const std::string& model : entry.models)
        EXPECT_EQ(gallery_text(model), [&] {
          std::ifstream file(source_folder() + "/models/" + model + ".alm");
          return std::string(std::istreambuf_iterator<char>(file), {});
        }()) << model;
    }
  }
}

}  // namespace
}  // namespace alembert::internal::reproduce
