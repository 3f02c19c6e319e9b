// Every command and model in the documentation runs, and what is generated is up to date.

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>
#include <set>
#include <sstream>

#include "program.h"
#include "source_folder.h"

namespace alembert::internal::apps_test {
namespace {

const std::string root = source_folder();

struct CodeBlock {
  std::string language, file, text;  // "```alm swing.alm": the file that the reader is told to write
};

std::vector<CodeBlock> code_blocks(const std::string& path) {
  std::vector<CodeBlock> blocks;
  std::istringstream lines(file_text(path));
  bool inside = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("```")) {
      const std::size_t blank = std::min(line.find(' '), line.size());
      if (!inside) blocks.push_back({line.substr(3, blank - 3), line.substr(std::min(blank + 1, line.size())), ""});
      inside = !inside;
    } else if (inside) {
      blocks.back().text += line + "\n";
    }
  }
  EXPECT_FALSE(inside) << path;
  return blocks;
}

std::vector<std::string> pages() {
  std::vector<std::string> list{root + "/README.md"};
  for (const auto& entry : std::filesystem::directory_iterator(root + "/docs"))
    if (entry.path().extension() == ".md") list.push_back(entry.path().string());
  return list;
}

/// Files of the gallery, of the page, and those that are written.
std::string argument_path(const Folder& folder, const std::string& argument) {
  if (argument.starts_with("models/")) return root + "/" + argument;
  const bool is_file =
      std::regex_match(argument, std::regex("[A-Za-z0-9_]+\\.(alm|csv|h5|json|svg|png|html|checkpoint)"));
  return is_file ? folder / argument : argument;
}

/// Digits differ from machine to machine and from run to run; everything else is compared.
std::string without_digits(const std::string& line) {
  static const std::regex number("[0-9]+(\\.[0-9]+)?(e[+-]?[0-9]+)?");
  static const std::regex blanks(" +");
  return std::regex_replace(std::regex_replace(line, number, "#"), blanks, " ");
}

void expect_shown(const std::string& page, const std::string& command, const std::vector<std::string>& shown,
                  const std::string& output) {
  std::set<std::string> real;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) real.insert(without_digits(line));
  for (const std::string& line : shown)
    EXPECT_TRUE(line == "..." || real.contains(without_digits(line)))
        << page << "\n$ " << command << "\nshows what does not come out:\n"
        << line;
}

TEST(Documentation, EveryCommandRunsAndWhatIsShownComesOut) {
  int commands = 0, compared = 0;
  for (const std::string& page : pages()) {
    const Folder folder;
    for (const CodeBlock& block : code_blocks(page)) {
      if (!block.file.empty()) folder.write(block.file, block.text);
      if (block.language != "console") continue;
      std::string command, output;
      std::vector<std::string> shown;
      const auto compare = [&] {
        expect_shown(page, command, shown, output);
        compared += static_cast<int>(shown.size());
        shown.clear();
      };
      std::istringstream lines(block.text);
      for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("$ ")) {
          shown.push_back(line);
          continue;
        }
        compare();
        command = line.substr(2);
        std::vector<std::string> arguments = words(command);
        ASSERT_EQ(arguments.at(0), "./alembert") << line;
        arguments.erase(arguments.begin());
        for (std::string& argument : arguments) argument = argument_path(folder, argument);
        const Outcome outcome = program(arguments);
        EXPECT_EQ(outcome.code, 0) << line << "\n" << outcome.err;
        output = outcome.out;
        ++commands;
      }
      compare();
    }
  }
  EXPECT_GE(commands, 40);
  EXPECT_GE(compared, 60);
}

TEST(Documentation, LinksBetweenPagesLeadSomewhere) {
  const std::regex link("\\]\\(([^)#:]+)(#[^)]*)?\\)");
  int links = 0;
  for (const std::string& page : pages()) {
    const std::string text = file_text(page);
    for (std::sregex_iterator it(text.begin(), text.end(), link), end; it != end; ++it, ++links) {
      const std::filesystem::path target = std::filesystem::path(page).parent_path() / (*it)[1].str();
      EXPECT_TRUE(std::filesystem::exists(target)) << page << ": " << target;
    }
  }
  EXPECT_GT(links, 30);
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
