// Models from expressions: each statement is written down in the model language, so that there is one way to check it.

#include <quadmath.h>

#include <unordered_map>
#include <utility>

#include "alembert/error.h"
#include "alembert/expr/derivative.h"
#include "alembert/expr/print.h"
#include "alembert/model.h"

namespace alembert {

struct ModelBuilder::Body {
  Graph graph;
  Expr t = graph.symbol("t");
  std::string title;
  std::vector<std::string> lines;
  std::unordered_map<std::uint32_t, Expr> rates;  // by number of the coordinate

  std::string write(Expr e) const {
    if (!e) throw InputError("an expression of the model is empty", "give it a value before it is used");
    if (&e.graph() != &graph)
      throw InputError("an expression belongs to another model", "build it of the symbols of this one");
    for (const std::uint32_t id : internal::reachable(internal::ExprSpan(&e, 1)))
      if (graph.node(id).op == Op::constant && !finiteq(graph.value(id)))
        throw InputError("a number in an expression of the model is not finite");
    return internal::to_infix(e);
  }
  void say(std::string line) { lines.push_back(std::move(line)); }
};

ModelBuilder::ModelBuilder(std::string title) : body_(std::make_unique<Body>()) {
  if (title.find_first_of("\"\n\r") != std::string::npos)
    throw InputError("a title holds no quotation marks and no line breaks: " + title);
  body_->title = std::move(title);
}
ModelBuilder::~ModelBuilder() = default;
ModelBuilder::ModelBuilder(ModelBuilder&&) noexcept = default;
ModelBuilder& ModelBuilder::operator=(ModelBuilder&&) noexcept = default;

Graph& ModelBuilder::graph() { return body_->graph; }
Expr ModelBuilder::time() { return body_->t; }
Expr ModelBuilder::number(double value) { return body_->graph.constant(value); }

Expr ModelBuilder::parameter(const std::string& name, double value) { return parameter(name, number(value)); }

Expr ModelBuilder::parameter(const std::string& name, Expr value) {
  body_->say("parameter " + name + " = " + body_->write(value));
  return body_->graph.symbol(name);
}

Expr ModelBuilder::coordinate(const std::string& name) {
  body_->say("coordinate " + name);
  const Expr x = body_->graph.symbol(name);
  body_->rates[x.id()] = body_->graph.symbol(name + "'");
  return x;
}

Expr ModelBuilder::coordinate(const std::string& name, Expr start) {
  const Expr x = coordinate(name);
  initial(x, start);
  return x;
}

Expr ModelBuilder::coordinate(const std::string& name, double start) { return coordinate(name, number(start)); }

Expr ModelBuilder::rate(Expr coordinate) {
  const auto found = body_->rates.find(coordinate.id());
  if (&coordinate.graph() != &body_->graph || found == body_->rates.end())
    throw InputError("only a coordinate of the model has a rate");
  return found->second;
}

Expr ModelBuilder::momentum(const std::string& name, Expr coordinate) {
  body_->say("momentum " + name + " of " + body_->write(coordinate));
  return body_->graph.symbol(name);
}

void ModelBuilder::kinetic(Expr energy) { body_->say("kinetic " + body_->write(energy)); }
void ModelBuilder::potential(Expr energy) { body_->say("potential " + body_->write(energy)); }
void ModelBuilder::lagrangian(Expr L) { body_->say("lagrangian " + body_->write(L)); }
void ModelBuilder::hamiltonian(Expr H) { body_->say("hamiltonian " + body_->write(H)); }
void ModelBuilder::rayleigh(Expr dissipation) { body_->say("rayleigh " + body_->write(dissipation)); }

void ModelBuilder::force(Expr coordinate, Expr force) {
  body_->say("force " + body_->write(coordinate) + " = " + body_->write(force));
}
void ModelBuilder::constraint(const std::string& name, Expr zero) {
  body_->say("constraint " + name + ": " + body_->write(zero) + " = 0");
}
void ModelBuilder::invariant(const std::string& name, Expr value) {
  body_->say("conserve " + name + ": " + body_->write(value));
}
void ModelBuilder::observe(const std::string& name, Expr value) {
  body_->say("observe " + name + ": " + body_->write(value));
}
void ModelBuilder::event(const std::string& name, Expr zero) {
  body_->say("event " + name + ": " + body_->write(zero) + " = 0");
}
void ModelBuilder::stop(Expr zero) { body_->say("stop when " + body_->write(zero) + " = 0"); }

void ModelBuilder::initial(Expr target, Expr value) {
  body_->say("initial " + body_->write(target) + " = " + body_->write(value));
}
void ModelBuilder::initial(Expr target, double value) { initial(target, number(value)); }
void ModelBuilder::pin(Expr target) { body_->say("pin " + body_->write(target)); }

void ModelBuilder::solve(const std::string& method, double step, double end) {
  body_->say("solve " + method + " step " + to_text(step) + " end " + to_text(end));
}
void ModelBuilder::statement(const std::string& text) { body_->say(text); }

std::string ModelBuilder::text() const {
  std::string text = "model \"" + body_->title + "\"\n";
  for (const std::string& line : body_->lines) text += line + "\n";
  return text;
}

Model ModelBuilder::model() const { return read_model_text(text(), {}, body_->title); }

}  // namespace alembert
