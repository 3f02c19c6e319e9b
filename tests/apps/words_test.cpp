// Messages of the library name its fields; the program says its options.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <regex>

#include "apps/program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

TEST(Words, TheLibraryNamesNoOption) {
  const std::regex option("\"[^\"]*--[a-z][a-z-]+[^\"]*\"");
  int files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() + "/src/alembert")) {
    const std::string path = entry.path().string();
    // The commands that remake a figure are what the lab is there to print.
    if (entry.path().extension() != ".cpp" || path.find("/lab/") != std::string::npos) continue;
    ++files;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      EXPECT_FALSE(std::regex_search(line, option)) << path << ": " << line;
  }
  EXPECT_GT(files, 100);
}

TEST(Words, TheProgramSaysItsOptions) {
  const auto said = [](const std::vector<std::string>& options) {
    std::vector<std::string> arguments{"run", source_folder() + "/models/pendulum.alm"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    const Outcome output = program(arguments);
    EXPECT_EQ(output.err.find('`'), std::string::npos) << output.err;
    return output.err;
  };
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(said({"--step", "0"}), "say --step 0.01"));
  EXPECT_TRUE(has(said({"--set", "lenght=2"}), "--set lenght=2:1:1: unknown name 'lenght'"));
  EXPECT_TRUE(
      has(said({"--tolerance", "1e-6", "--min-step", "2", "--max-step", "1"}), "--min-step 2 is above --max-step 1"));
  EXPECT_TRUE(has(said({"--max-steps", "3", "--quiet"}), "allow more with --max-steps")) << "the reason of a failure";
}

}  // namespace
}  // namespace alembert::internal::apps_test
