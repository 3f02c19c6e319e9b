#pragma once

// Components: models in files of their own, read with a scope of their own and carried into the graph of the model
// around them. Inside model/ only.

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "alembert/model/ports/port.h"
#include "alembert/model/scope/scope.h"

namespace alembert::internal {

/// A value from outside for a parameter or a start: by --set, or behind 'with'.
struct Assignment {
  std::shared_ptr<const Source> source;
  Item item;
  const char* purpose = "`set`";
};

/// A name of a component, as the model around it may use it.
struct Exported {
  Kind kind;
  std::string name;
  ArrayShape shape;
  Exprs entries;
  std::vector<Start> start;  // of a state
};

struct ComponentModel {
  Model model;
  std::vector<Exported> names;
};

/// The files that one reading has opened.
struct ComponentFiles {
  struct File {
    Text text;
    std::vector<Diagnostic> errors;
  };
  std::map<std::string, File> files;
  std::vector<std::string> open;         // those being read, the outermost first
  std::vector<FileText> tables;          // those of tables, as often as they were read
  std::vector<std::string> inputs = {};  // "F=wind.csv": inputs of the outermost model that follow files
};

/// One component, or one member of a family of them, in the graph of the model around it.
struct Component {
  std::string name;  // "motor", "cell[3]"
  PortSystem system;
  std::vector<Block> invariants;
  Exprs invariant_values;
  std::vector<Block> observed;
  Exprs observed_values;
  std::vector<Event> events;
};

/// Reads a text as a component: its inputs may have no values. Throws InputError.
ComponentModel read_component(const ComponentFiles::File& file, const std::vector<Assignment>& assignments,
                              ComponentFiles& files);

/// The text of a component that comes with the program, or null.
const char* library_component(const std::string& file_name);

}  // namespace alembert::internal
