// The corpora of the fuzzer once more, and a few seconds of mutations of them.

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <regex>
#include <set>

#include "fuzz/targets.h"
#include "source_folder.h"

namespace alembert::internal::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

/// Of mutations, for each target: more where the test `fuzz` says so.
double seconds() {
  const char* const text = std::getenv("ALEMBERT_FUZZ_SECONDS");
  return text ? std::atof(text) : 1.5;
}

/// Another seed, other mutations: for hours of them.
unsigned seed() {
  const char* const text = std::getenv("ALEMBERT_FUZZ_SEED");
  return text ? static_cast<unsigned>(std::atoi(text)) : 22;
}

constexpr double longest = 5;               // seconds on a processor for an input
constexpr std::size_t most_bytes = 20'000;  // of a mutated input

std::vector<std::string> corpus(const std::string& name) {
  std::vector<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(source_folder() + "/tests/fuzz/corpus/" + name))
    paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<std::string> texts;
  for (const auto& path : paths) {
    std::ifstream file(path, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// The words of the language, as its page has them.
const std::vector<std::string>& words() {
  static const std::vector<std::string> all = [] {
    std::ifstream file(source_folder() + "/docs/language.md");
    const std::string page(std::istreambuf_iterator<char>(file), {});
    const std::regex word("[a-z]+[0-9]?");
    std::set<std::string> found;
    for (std::sregex_iterator at(page.begin(), page.end(), word), end; at != end; ++at) found.insert(at->str());
    return std::vector<std::string>(found.begin(), found.end());
  }();
  return all;
}

/// Bytes changed, taken out, doubled, moved, and mixed with another input and with words of the language.
std::string mutated(const std::vector<std::string>& texts, std::mt19937& random) {
  std::string text = texts[random() % texts.size()];
  const auto place = [&] { return text.empty() ? std::size_t{0} : random() % text.size(); };
  for (int i = 1 + static_cast<int>(random() % 6); i > 0; --i) {
    const std::size_t at = place(), size = 1 + random() % 24;
    switch (random() % 8) {
      case 0:
        if (!text.empty()) text[at] = static_cast<char>(random());
        break;
      case 1: text.erase(at, size); break;
      case 2: text.insert(place(), text.substr(at, size)); break;
      case 3: text.insert(at, std::string(1 + random() % 4, "0123456789.eE+-*/^()[],='\"\n#"[random() % 27])); break;
      case 4:
        if (!text.empty()) text[at] = static_cast<char>(text[at] ^ (1 << random() % 8));
        break;
      case 5: {
        const std::string& other = texts[random() % texts.size()];
        if (!other.empty()) text.insert(at, other.substr(random() % other.size(), 4 * size));
        break;
      }
      case 6: text.insert(at, " " + words()[random() % words().size()] + " "); break;
      default: text.resize(at); break;
    }
  }
  if (text.size() > most_bytes) text.resize(most_bytes);
  return text;
}

/// "" where the input is read or refused; else what happened.
std::string fault_of(const Target& target, const std::string& bytes) {
  const std::clock_t begin = std::clock();
  try {
    target.read(bytes);
  } catch (const std::exception& error) { return error.what(); }
  const double passed = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  return passed > longest ? "it takes " + std::to_string(passed) + " s" : "";
}

/// The same where libraries of others may break: only what this process would make of it counts.
std::string fault_outside(const Target& target, const std::string& bytes) {
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit time = {10, 10};
    ::setrlimit(RLIMIT_CPU, &time);
    ::_exit(fault_of(target, bytes).empty() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 1 ? "a promise is broken" : "";
}

constexpr long fewest = 20;  // fewer mutations of a target are no trial of it

class Fuzz : public testing::TestWithParam<Target> {};

TEST_P(Fuzz, ReadsOrRefuses) {
  const Target& target = GetParam();
  const std::vector<std::string> texts = corpus(target.corpus);
  ASSERT_FALSE(texts.empty());
  const auto fault = target.outside ? fault_outside : fault_of;
  for (const std::string& text : texts) ASSERT_EQ(fault(target, text), "") << text.substr(0, 2000);
  std::mt19937 random(seed() + static_cast<unsigned>(target.name[0]));
  long tried = 0;
  // As long as was asked for, and on a busy machine until enough were tried.
  const auto begin = Clock::now();
  while (tried < fewest || std::chrono::duration<double>(Clock::now() - begin).count() < seconds()) {
    const std::string text = mutated(texts, random);
    ASSERT_EQ(fault(target, text), "") << text;
    ++tried;
  }
  std::printf("%s: %zu inputs of the corpus, %ld mutations\n", target.name, texts.size(), tried);
}

INSTANTIATE_TEST_SUITE_P(Targets, Fuzz, testing::ValuesIn(targets()),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace alembert::internal::fuzz
