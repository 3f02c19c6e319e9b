// Every command and model in the documentation runs, and what is generated is up to date.

#include <gtest/gtest.h>

#include <regex>
#include <sstream>

#include "program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

const std::string root = source_folder();

struct CodeBlock {
  std::string language, text;
};

std::vector<CodeBlock> code_blocks(const std::string& path) {
  std::vector<CodeBlock> blocks;
  std::istringstream lines(file_text(path));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      if (!inside) blocks.push_back({line.substr(3), ""});
      inside = !inside;
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  EXPECT_FALSE(inside) << path;
  return blocks;
}

// Words as a shell splits them: double quotes keep blanks.
std::vector<std::string> words(const std::string& command) {
  std::vector<std::string> list;
  const std::regex word("\"([^\"]*)\"|(\\S+)");
  for (std::sregex_iterator it(command.begin(), command.end(), word), end; it != end; ++it)
    list.push_back((*it)[1].matched ? (*it)[1].str() : (*it)[2].str());
  return list;
}

TEST(Documentation, EveryCommandRuns) {
  const Folder folder;
  int commands = 0;
  std::vector<std::string> pages{root + "/README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(root + "/docs"))
    if (entry.path().extension() == ".md") pages.push_back(entry.path().string());
  for (const std::string& page : pages)
    for (const CodeBlock& block : code_blocks(page)) {
      if (block.language != "console") continue;
      std::istringstream lines(block.text);
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("$ ")) continue;
        std::vector<std::string> arguments = words(line.substr(2));
        ASSERT_EQ(arguments.at(0), "./alembert") << line;
        arguments.erase(arguments.begin());
        for (std::size_t i = 0; i < arguments.size(); ++i) {
          if (arguments[i].starts_with("models/")) arguments[i] = root + "/" + arguments[i];
          if (i > 0 && (arguments[i - 1] == "--out" || arguments[i - 1] == "--plot"))
            arguments[i] = folder / arguments[i];
        }
        const Outcome outcome = program(arguments);
        EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
        ++commands;
      }
    }
  EXPECT_GE(commands, 8);
}

TEST(Documentation, TheModelOnTheFirstPageIsTheGallerysOwnAndItsOutputReal) {
  std::string model, shown;
  for (const CodeBlock& block : code_blocks(root + "/README.md")) {
    if (block.language == "alm") model = block.text;
    if (block.language == "console" && shown.empty()) shown = block.text;
  }
  const Outcome own = program({"run", "-"}, model);
  ASSERT_EQ(own.code, 0) << own.err;
  const Outcome gallery = program({"run", root + "/models/double_pendulum.alm"});
  const auto first_lines = [](const std::string& text, int count) {  // times differ from run to run
    std::istringstream lines(text);
    std::string all, line;
    for (int i = 0; i < count && std::getline(lines, line); ++i) all += line + "\n";
    return all;
  };
  EXPECT_EQ(first_lines(own.out, 3), first_lines(gallery.out, 3));
  const std::string output = shown.substr(shown.find('\n') + 1);
  EXPECT_EQ(first_lines(output, 1), first_lines(gallery.out, 1));
  // What the page shows of energy and constraints is what comes out, in the digits that do not depend on the machine.
  const std::regex energy("max error ([0-9.e+-]+)");
  std::smatch a, b;
  const std::string printed = gallery.out;
  ASSERT_TRUE(std::regex_search(output, a, energy));
  ASSERT_TRUE(std::regex_search(printed, b, energy));
  EXPECT_NEAR(std::stod(a[1]), std::stod(b[1]), 1e-6);
}

TEST(Documentation, GeneratedPagesAreUpToDate) {
  EXPECT_EQ(file_text(root + "/docs/methods.md"), program({"methods", "--markdown"}).out)
      << "alembert methods --markdown > docs/methods.md";
  EXPECT_EQ(file_text(root + "/docs/language.md"), program({"grammar"}).out) << "alembert grammar > docs/language.md";
}

}  // namespace
}  // namespace alembert::internal::apps_test
