#pragma once

// All figures and tables of the papers, made on all cores, kept by content, and written as pages.

#include "alembert/lab/entry.h"

namespace alembert::internal::reproduce {

struct Options {
  std::vector<std::string> ids;  // "003" or "003/8.1"; empty: all
  bool quick = false;
  std::vector<std::string> overrides;                     // "m1=2", for all models
  std::function<Method(const std::string&)> find_method;  // empty: the program's own methods
  std::string cache;                                      // folder of earlier results; "": none is used
  std::string program;  // what tells this program from every other: results of another one are made anew
  /// Fraction of the work, and the entries that are being made; called from one thread at a time.
  std::function<void(double done, const std::vector<std::string>& running)> progress;
};

struct Result {
  Entry entry;
  Findings findings;
  bool cached = false;
};

struct Reproduction {
  bool quick = false;
  std::vector<std::string> overrides;
  std::vector<Paper> papers;                 // those of which something was asked for; entries without `make`
  std::vector<std::vector<Result>> results;  // per paper, in its order
  bool passed() const;
};

/// Throws InputError for an unknown id and for overrides that do not fit the models.
Reproduction reproduce(const Options& options);

/// One line an entry, the numbers that missed, and a last line with the count.
std::string to_text(const Reproduction& reproduction);
/// One object with every number.
std::string to_json(const Reproduction& reproduction);
/// A summary whose figures are figures/ID.svg; larger ones than so many bytes are left out.
std::string to_markdown(const Reproduction& reproduction, std::size_t largest_figure);
/// index.html, a page for each paper, figures/, data/, verdict.json and summary.md. Throws InputError where the folder
/// cannot be written.
void write_pages(const Reproduction& reproduction, const std::string& folder);

/// "003/8.4" as the name of a file: "003-8.4".
std::string file_name(const std::string& id, const std::string& part);

/// Findings as text, for the cache; false where the text is not one of ours.
std::string store(const Findings& findings);
bool restore(const std::string& text, Findings& findings);

}  // namespace alembert::internal::reproduce
