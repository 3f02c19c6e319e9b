#pragma once

// The names of one model, and what expressions made of them mean. Inside model/ only.

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "alembert/model/model.h"
#include "alembert/model/scope/declaration.h"
#include "alembert/model/scope/value.h"

namespace alembert::internal {

/// What an expression contains, as bits.
enum Content : unsigned char {
  holds_parameter = 1,
  holds_time = 2,
  holds_q = 4,
  holds_z = 8,
  holds_multiplier = 16,
  holds_port = 32,
  holds_contact = 64  // what acts in a contact, which its mode says
};

/// What a number is worked out for. value: it may be worked out again for other parameters; check: it must only be
/// sound; zero: whether it is 0 shapes the model; decision: it shapes the model (sizes, indices, ranges).
enum class Use { value, check, zero, decision };

/// Numbers with a name of their own: pi, deg, rpm.
std::optional<Quad> constant_named(const std::string& name);

class Scope {
 public:
  Scope(std::shared_ptr<const Source> source, std::shared_ptr<Graph> graph);

  // Errors. One a place: in a family the same text would fail again and again.
  void error(const Place& place, std::string message, std::string hint = {});
  /// Takes back what was said at a place, as it follows from something else; `more`: and nothing more is said there.
  void silence(const Place& place, bool more = true);
  std::vector<Diagnostic> errors;
  std::shared_ptr<const Source> source;  // of the text that is being evaluated
  std::set<std::string> observed;        // names of observe statements, which no expression knows
  std::set<std::string> switched;        // names of what events set
  std::set<std::string> events;          // names of events: they have no value
  std::set<std::string> lost;            // names in lines that could not be read: nothing is said about them

  // Names.
  Declaration* declare(Kind kind, const Term& name, const Term* target);
  Declaration* find(const std::string& name);
  std::deque<Declaration>& declarations() { return declarations_; }
  void unknown(const Place& place, const std::string& name, bool call = false);
  /// "the ports of 'm' are m.F (input), m.speed (output)"; "" where no component has this name.
  std::string ports_of(const std::string& component) const;
  /// What target means; reports and gives nothing when it means nothing that is in one of the kinds.
  std::optional<Target> reference(const Term& target, const std::vector<Kind>& kinds, const char* purpose);

  // Evaluating.
  Value evaluate(const Term& term);
  Value evaluate_scalar(const Term& term, const std::string& what);
  /// The value brought to a shape: equal, or the number 0, which fits every shape; reports otherwise.
  Value fit(Value value, const ArrayShape& shape, const Place& place, const std::string& what);
  std::optional<long> whole(const Term& term, const std::string& what);
  /// The number an expression has with the values known so far; else `missing` names a symbol without one.
  std::optional<Quad> number(Expr e, std::string& missing, Use use = Use::decision);
  /// The number of a term made of parameters and indices only; reports what changes.
  std::optional<Quad> number_of(const Term& term, const std::string& what, Use use = Use::decision);
  void know(Expr symbol, Quad value);
  void mark(Expr symbol, Content content);
  /// link[i].r of a family of bodies with its number, link[2].r: a name of its own; nothing where an error was
  /// reported.
  std::optional<Term> concrete(const Term& term);
  /// The number that an index of a statement over ranges has now.
  std::optional<long> index_value(const std::string& name) const;
  unsigned contents(Expr e);
  unsigned contents(const Value& value);

  /// Runs body for all values of the ranges, and of the families whose index stands free in terms. Stops when body
  /// returns false.
  void loop(const std::vector<Range>& ranges, const std::vector<const Term*>& terms,
            const std::function<bool(const std::vector<long>&)>& body);

  // Things worked out on first use.
  void resolve_family(Declaration& d, const Place& use);
  void resolve_parameter(Declaration& d, const Place& use);
  /// ArrayShape from the brackets of a declared target; families among them only where they start at 1.
  bool resolve_shape(Declaration& d);
  Value let_value(Declaration& d, const Place& use);
  void read_table(Declaration& d);

  Graph& graph() { return *graph_; }
  Form form = Form::lagrangian;
  bool contacts_known = false;  // what acts in contacts may be asked for: it is observed
  bool sizes_only = true;       // while sizes and parameters are worked out, nothing else has a meaning yet
  Expr t;
  std::unordered_map<std::uint32_t, Expr> velocity_of;       // by number of the coordinate's symbol
  std::unordered_map<std::uint32_t, Declaration*> owner_of;  // by number of a symbol
  std::set<std::uint32_t> decided, checked;                  // numbers of parameters whose values had these uses
  Exprs zero_tests;                                          // of parameters only
  std::vector<TableUse> tables;                              // of all calls of tables, in the order of evaluation
  std::vector<FileText> files;                               // that tables were read from

 private:
  struct Local {
    std::string name;
    bool is_index;
    long index;
    Value value;
  };
  struct Frame;  // a text of its own: other locals are not seen
  struct Path;   // root, brackets and primes of x[2]'

  std::string called(Kind kind) const;
  std::string members_hint(const std::string& name) const;
  std::string parts_hint(const std::string& name) const;
  std::string near_hint(const std::string& name, bool call) const;
  Declaration* find_alias(const std::string& name, long& index);
  const Local* local(const std::string& name) const;
  std::optional<Target> element(Declaration& d, const Path& path, long alias);
  std::optional<int> offset_of(const Declaration& d, const ArrayShape& shape, const std::vector<const Term*>& indices,
                               std::size_t first, long alias);
  Value access(const Term& term);
  Value access_name(const Term& term, const Path& path);
  Value access_let(Declaration& d, const Path& path);
  Value take(Value base, const std::string& name, const Path& path, std::size_t first);
  Value member(Declaration& d, const std::vector<long>& indices, const Place& use);
  bool resolve_let_ranges(Declaration& d);
  bool known_in_family(const Term& condition, Expr holds);
  bool has_index(const Term& term) const;
  Value time_derivative(const Value& value, const Place& place);
  Value call(const Term& term);
  Value call_function(Declaration& d, const Term& term);
  Value call_library(const Term& term);
  Value call_vector(const Term& term);
  Value call_matrix(const Term& term);
  Value call_tensor(const Term& term);
  Value call_friction(const Term& term);
  Value call_sum(const Term& term);
  Value call_if(const Term& term);
  Value call_table(Declaration& d, const Term& term);
  /// 1 where it holds, else 0; empty where an error was reported.
  Expr condition(const Term& term);
  double least_cost(const Term& term);
  Value chain(const Term& term);
  /// With part number i of a chain.
  Value added(const Term& term, std::size_t i, Value all, Value part);
  Value multiplied(const Term& term, std::size_t i, Value all, Value part);
  Value tuple(const Term& term);
  Value power(const Term& term);
  std::string changing(const Value& value);
  std::optional<Quad> quick_number(const Term& term, Use use = Use::decision);
  void record(Expr e, Use use);
  std::optional<Quad> worked_out(Expr e, std::string& missing);
  bool parameter_values(Declaration& d, const Term& value, std::vector<Quad>& values, Exprs& definitions);
  bool range(const Term& first, const Term& last, long& a, long& b);
  void free_indices(const Term& term, std::vector<std::string>& bound, std::vector<std::string>& found);

  std::shared_ptr<const Source> text_;  // of the model
  std::shared_ptr<Graph> graph_;
  std::deque<Declaration> declarations_;
  std::unordered_map<std::string, Declaration*> by_name_;
  std::set<std::pair<const Source*, std::pair<int, int>>> reported_;
  std::set<std::string> unknown_;
  std::vector<Local> locals_;
  std::size_t visible_ = 0;  // locals before this one belong to other texts
  std::vector<Quad> value_;
  std::vector<char> known_;
  std::vector<unsigned char> contents_;
  std::unordered_map<std::uint32_t, unsigned char> marks_;
  int depth_ = 0;
  long budget_ = 12'000'000;  // terms; a chain of 300,000 rods needs 9 million
  bool spent_ = false, too_deep_ = false;
};

}  // namespace alembert::internal
