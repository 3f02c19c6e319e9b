#pragma once

// Every family of methods on models of every kind: what is claimed beside what is measured, cell by cell. The families
// are those that there are; the models are named once, in audit.cpp.

#include <functional>
#include <string>
#include <vector>

#include "alembert/study/verify.h"

namespace alembert::internal::audit {

/// A model of the gallery and the kind of models that it stands for.
struct Subject {
  std::string model, kind;
};
const std::vector<Subject>& subjects();

/// A claim that is known not to hold on a model, and why. Where it holds after all the list is wrong.
struct Deficit {
  std::string family;    // of the method; "": every one
  std::string model;     // "": every one
  std::string property;  // as verify calls it; "run": the run fails
  std::string cause;
};
const std::vector<Deficit>& deficits();

enum class Status { passed, refused, deficit, unexpected };

struct Pair {
  std::string method, family, model;
  Status status = Status::passed;
  std::string reason;                // why it was refused, what is wrong, or the cause of the deficit
  std::vector<Property> properties;  // as verify measured them; then "same bits again"
};

struct Audit {
  std::vector<std::string> methods, models;
  std::vector<Pair> pairs;         // method by method, model by model
  std::vector<std::string> stale;  // deficits that did not show
  bool passed() const;
  const Pair* find(const std::string& method, const std::string& model) const;
};

struct Options {
  std::vector<std::string> methods;  // "lobatto(3)"; empty: one or two of every family, all samples where full
  std::vector<std::string> models;   // of subjects(); empty: all
  bool full = false;
  std::function<void(double done, const std::string& now)> progress = {};
};
/// Throws InputError for unknown names.
Audit make_audit(const Options& options);

std::string to_text(const Audit& audit);
std::string to_json(const Audit& audit);
std::string to_markdown(const Audit& audit);

}  // namespace alembert::internal::audit
