#pragma once

// How components are joined; inside model/ only.

#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "alembert/base/magnitude.h"
#include "alembert/model/elaborate.h"
#include "alembert/model/ports/port_entries.h"

namespace alembert::internal::joining {

using Row = std::map<int, Expr>;  // a linear form, by column

/// One scalar equation of a connect statement.
struct Wire {
  const Statement* statement;
  const Item* item;
  std::string index;  // "[2]" of a range or a vector
  Row u, y;           // by number of the port among the connected ones
  std::string text() const {
    return "'" + print(item->target) + " = " + print(*item->value) + "'" + (index.empty() ? "" : " " + index);
  }
};

class Joiner {
 public:
  Joiner(Elaboration& e, PortSystem& own) : e_(e), scope_(e.scope), graph_(e.scope.graph()), s_(own) {}

  void run();

 private:
  std::string input(int i) const { return flat_name(s_.inputs, i); }

  // All systems in one, not yet connected ----------------------------------------------------------------------------

  void assemble();

  // Inputs of components that get a value ----------------------------------------------------------------------------

  bool is_open(int i) const { return s_.u_value[i] == s_.u[i]; }

  void give_inputs();

  // connect ----------------------------------------------------------------------------------------------------------

  int port_number(int flat);
  void read_wires();
  bool read_wire(Wire& wire, Expr value);
  /// Groups of equations that share ports, each with as many ports as equations. The output of an input that has a
  /// value is no port of the connection: it is read off, and then the equation must hold an input.
  void check_counts();
  void check_open();

  // M N^T + N M^T = 0 ------------------------------------------------------------------------------------------------

  /// Made of parameters alone.
  bool fixed(Expr e) { return !(scope_.contents(e) & ~unsigned(holds_parameter)); }

  /// Zero by simplification, or with the parameters as they are and to rounding.
  bool zero(Expr e, Quad scale) { return is_zero(e) || (fixed(e) && magnitude(number(e)) <= Quad(1e-28) * scale); }

  Quad number(Expr e);
  void check_power();

  // Elimination ------------------------------------------------------------------------------------------------------

  // Columns: u of connected port j is j, its eta m + j, an input outside 2 m + its number among all inputs.
  void eliminate();
  std::vector<Row> feedthrough();
  void add(Row& row, int column, Expr value);
  /// 3: 1 or -1; 2: a number that is not 0; 1: a function of the states.
  int quality(Expr e);
  int best_row(int column);
  /// Among the columns that may lead: of inputs those not yet eliminated, of outputs those of inputs that stay.
  int best_column(int row, int first, int last);
  /// The row solved for the column, and put into all others.
  void pivot(int row, int column);
  void loop_error(int j);
  void redundant_error(int i);

  // The system that is left ------------------------------------------------------------------------------------------

  void join();
  /// The system with a state for each kept port and the ports outside, still without its matrices.
  PortSystem enlarged(const std::vector<int>& kept, const std::vector<int>& outside);
  void rebuild(const std::vector<Row>& added, const std::vector<int>& kept, const std::vector<int>& outside, int n_all);
  bool equal(Expr a, Expr b);
  /// From here on a connected input or output means its value, in all that components brought along too.
  void finish_names();

  Elaboration& e_;
  Scope& scope_;
  Graph& graph_;
  PortSystem& s_;
  std::unordered_map<std::uint32_t, int> number_;  // of an input by the numbers of its symbol and its output's
  std::map<int, Place> given_;                     // inputs with a value from 'input a.F = ...'
  std::map<std::string, std::vector<int>> open_;
  std::vector<Wire> wires_;
  std::vector<int> ports_;        // connected: numbers of inputs
  std::map<int, int> connected_;  // and back
  std::vector<Row> rows_;
  std::vector<std::set<int>> columns_;
  std::vector<int> pivot_row_;
  std::vector<bool> used_;
  Exprs from_, to_;  // symbols of connected inputs and outputs, and their values
};

}  // namespace alembert::internal::joining
