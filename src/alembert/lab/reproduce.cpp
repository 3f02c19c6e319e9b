#include "alembert/lab/reproduce.h"

#include <fmt/format.h>
#include <tbb/parallel_for_each.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <set>
#include <sstream>

#include "alembert/error.h"

namespace alembert::internal::reproduce {
namespace {

/// FNV-1a.
std::uint64_t hash(const std::string& text, std::uint64_t from = 14695981039346656037ull) {
  for (const char c : text) from = (from ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return (from ^ 0xff) * 1099511628211ull;  // so that the border between two texts counts
}

/// Everything a result depends on.
std::string key(const Options& options, const Entry& entry) {
  std::uint64_t h = hash(options.program);
  for (const std::string* text : {&entry.id, &entry.title, &entry.says, &entry.remark}) h = hash(*text, h);
  h = hash(options.quick ? "quick" : "whole", h);
  for (const std::string& text : options.overrides) h = hash(text, h);
  for (const std::string& name : entry.models) h = hash(gallery_text(name), h);
  return fmt::format("{}-{:016x}", file_name(entry.id, ""), h);
}

bool load(const std::string& path, Findings& findings) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return false;
  std::ostringstream text;
  text << file.rdbuf();
  return restore(text.str(), findings);
}

/// Moved into place when it is whole, so that no other run reads half of it. A cache that cannot be written is none.
void save(const std::string& path, const Findings& findings) {
  const std::string part = path + ".part";
  std::ofstream file(part, std::ios::binary);
  file << store(findings);
  file.close();
  std::error_code ignored;
  if (file) std::filesystem::rename(part, path, ignored);
  else std::filesystem::remove(part, ignored);
}

Findings make(const Entry& entry, const Workbench& work) {
  const auto begin = std::chrono::steady_clock::now();
  Findings findings;
  try {
    findings = entry.make(work);
  } catch (const RunFailed& failed) { findings.failure = failed.what(); } catch (const InputError& refused) {
    findings.failure = refused.what();
  }
  findings.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return findings;
}

/// Tells how far the work is, from any thread.
class Progress {
 public:
  Progress(const Options& options, double all) : options_(options), all_(all) {}
  void begin(const std::string& id) {
    const std::lock_guard lock(mutex_);
    running_.push_back(id);
    tell();
  }
  void end(const Entry& entry) {
    const std::lock_guard lock(mutex_);
    std::erase(running_, entry.id);
    done_ += entry.cost;
    tell();
  }

 private:
  void tell() const {
    if (options_.progress) options_.progress(all_ > 0 ? done_ / all_ : 1, running_);
  }
  const Options& options_;
  std::mutex mutex_;
  std::vector<std::string> running_;
  double done_ = 0, all_ = 0;
};

/// The entries that are asked for.
std::vector<Paper> chosen(const std::vector<std::string>& ids) {
  std::vector<Paper> all = papers();
  if (ids.empty()) return all;
  std::vector<std::string> known;
  for (const Paper& paper : all) {
    known.push_back(paper.id);
    for (const Entry& entry : paper.entries) known.push_back(entry.id);
  }
  for (const std::string& id : ids) {
    if (std::find(known.begin(), known.end(), id) != known.end()) continue;
    const std::string near = nearest_name(id, known);
    throw InputError("there is no figure or table '" + id + "'",
                     near.empty() ? "alembert reproduce --list shows all of them" : "did you mean '" + near + "'?");
  }
  const auto asked = [&](const std::string& id) { return std::find(ids.begin(), ids.end(), id) != ids.end(); };
  for (Paper& paper : all) {
    if (asked(paper.id)) continue;
    std::erase_if(paper.entries, [&](const Entry& entry) { return !asked(entry.id); });
  }
  std::erase_if(all, [](const Paper& paper) { return paper.entries.empty(); });
  return all;
}

}  // namespace

std::string file_name(const std::string& id, const std::string& part) {
  std::string name = part.empty() ? id : id + "-" + part;
  std::replace(name.begin(), name.end(), '/', '-');
  return name;
}

bool Reproduction::passed() const {
  for (const std::vector<Result>& list : results) {
    for (const Result& result : list) {
      if (!result.findings.passed()) return false;
    }
  }
  return true;
}

Reproduction reproduce(const Options& options) {
  Reproduction reproduction;
  reproduction.quick = options.quick;
  reproduction.overrides = options.overrides;
  reproduction.papers = chosen(options.ids);
  Workbench work;
  work.quick = options.quick;
  work.overrides = options.overrides;
  work.find_method = options.find_method ? options.find_method : [](const std::string& text) {
    return alembert::internal::find_method(parse_term(std::make_shared<const Source>(Source{"method", text})));
  };

  double all = 0;
  std::vector<Result*> shared, alone;
  for (Paper& paper : reproduction.papers) {
    std::vector<Result>& list = reproduction.results.emplace_back();
    for (Entry& entry : paper.entries) {
      if (!options.overrides.empty()) {
        for (const std::string& name : entry.models) work.model(name);  // throws where they do not fit
      }
      all += entry.cost;
      list.push_back({std::move(entry), {}, false});
    }
    paper.entries.clear();
    for (Result& result : list) (result.entry.alone ? alone : shared).push_back(&result);
  }
  if (!options.cache.empty()) {
    std::error_code ignored;
    std::filesystem::create_directories(options.cache, ignored);
  }
  // The dearest first: the others fill the gaps.
  std::stable_sort(shared.begin(), shared.end(),
                   [](const Result* a, const Result* b) { return a->entry.cost > b->entry.cost; });

  Progress progress(options, all);
  const auto one = [&](Result* result) {
    progress.begin(result->entry.id);
    const std::string path = options.cache.empty() ? "" : options.cache + "/" + key(options, result->entry) + ".json";
    result->cached = !path.empty() && load(path, result->findings);
    if (!result->cached) {
      result->findings = make(result->entry, work);
      if (!path.empty() && result->findings.passed()) save(path, result->findings);
    }
    progress.end(result->entry);
  };
  tbb::parallel_for_each(shared.begin(), shared.end(), one);
  for (Result* result : alone) one(result);
  return reproduction;
}

}  // namespace alembert::internal::reproduce
