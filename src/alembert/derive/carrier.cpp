#include "alembert/derive/carrier.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "alembert/error.h"
#include "alembert/model/ports/port.h"

namespace alembert::internal {

namespace {

/// The numbers that a name stands for among the entries of blocks; none where it is not there.
std::vector<int> entries_named(const std::vector<Block>& blocks, const std::string& name) {
  std::vector<int> numbers;
  for (const Block& b : blocks)
    for (int i = 0; i < b.size; ++i)
      if (b.name == name || entry_name(b, i) == name) numbers.push_back(b.first + i);
  return numbers;
}

bool is_initial_value(const Model& model, std::string name) {
  if (model.form == Form::lagrangian && name.ends_with("'")) name.pop_back();
  return !entries_named(model.coordinates, name).empty() || !entries_named(model.momenta, name).empty();
}

Diagnostic unknown(const Model& model, const std::string& name) {
  std::vector<std::string> known;
  for (const auto* blocks : {&model.parameters, &model.coordinates, &model.momenta})
    for (const Block& b : *blocks) known.push_back(b.name);
  for (const Block& b : model.port ? model.port->inputs : model.inputs) known.push_back(b.name);
  const std::string near = nearest_name(name, known);
  return {nullptr,
          {},
          "there is no parameter, input or initial value '" + name + "' that could stay open",
          near.empty() ? "" : "did you mean '" + near + "'?"};
}

}  // namespace

OpenNames open_names(const Model& model, const std::vector<std::string>& names) {
  OpenNames open;
  std::vector<Diagnostic> wrong;
  for (const std::string& name : names) {
    const std::vector<int> parameters = entries_named(model.parameters, name);
    const std::vector<int> inputs = entries_named(model.port ? model.port->inputs : model.inputs, name);
    for (const int i : parameters) {
      if (model.shapes_model[i]) {
        const auto block = std::find_if(model.parameters.begin(), model.parameters.end(),
                                        [&](const Block& b) { return i >= b.first && i < b.first + b.size; });
        wrong.push_back({model.source, block->place,
                         "the parameter '" + block->name + "' cannot stay open: its value decides sizes or ranges",
                         "read and derive the model again for another value"});
        break;
      }
      if (std::find(open.parameters.begin(), open.parameters.end(), i) == open.parameters.end())
        open.parameters.push_back(i);
    }
    for (const int i : inputs)
      if (std::find(open.inputs.begin(), open.inputs.end(), i) == open.inputs.end()) open.inputs.push_back(i);
    if (parameters.empty() && inputs.empty() && !is_initial_value(model, name)) wrong.push_back(unknown(model, name));
  }
  if (!wrong.empty()) throw InputError(std::move(wrong));
  return open;
}

Carrier::Carrier(const Model& model, Equations& e, const DeriveOptions& options,
                 const std::vector<std::string>& settled)
    : graph_(*e.graph) {
  put(model.t, e.t);
  add(model.q, e.y);
  add(model.form == Form::lagrangian ? model.v : model.p, e.z);
  OpenNames open = open_names(model, options.inputs);
  open.settled = open_names(model, settled).parameters;
  if (options.symbolic_parameters) {
    for (const Exprs* list : {&model.parameter_symbols, &model.input_symbols})
      for (const Expr s : *list) put(s, graph_.symbol(s.graph().name(s.id())));
  } else {
    // What events change cannot be folded in.
    for (const std::vector<Event>* events : {&model.events, &model.contact_events})
      for (const Event& event : *events)
        for (const Action& action : event.actions)
          if (action.to == Action::To::parameter &&
              std::find(open.parameters.begin(), open.parameters.end(), action.entry) == open.parameters.end())
            open.parameters.push_back(action.entry);
    put_parameters(model, e, open);
    put_inputs(model, e, open);
  }
  for (const Contact& contact : model.contacts) {
    Exprs acting = contact.tangential;
    acting.push_back(contact.force);
    acting.push_back(contact.state);
    for (const Expr s : acting)
      if (s) put(s, graph_.symbol(s.graph().name(s.id())));
  }
  for (std::size_t i = 0; i < e.g_constraint.size(); ++i)
    put(model.constraints[e.g_constraint[i]].multiplier, e.lambda[i]);
  for (std::size_t i = 0; i < e.psi_constraint.size(); ++i)
    put(model.constraints[e.psi_constraint[i]].multiplier, e.psi[i]);
}

void Carrier::put_parameters(const Model& model, Equations& e, const OpenNames& open) {
  const std::size_t count = model.parameter_symbols.size();
  std::unordered_map<std::uint32_t, std::size_t> number;
  for (std::size_t i = 0; i < count; ++i) number[model.parameter_symbols[i].id()] = i;
  Exprs image(count);
  std::vector<bool> follows(count, false);  // an open parameter is in it
  for (const int i : open.parameters) {
    const Expr s = model.parameter_symbols[i];
    const std::string& name = s.graph().name(s.id());
    follows[i] = std::find(open.settled.begin(), open.settled.end(), i) == open.settled.end();
    image[i] = follows[i] ? graph_.parameter(static_cast<int>(e.parameters.size()), name, model.parameter_values[i])
                          : graph_.constant(model.parameter_values[i]);
    e.parameters.push_back({name, static_cast<double>(model.parameter_values[i])});
  }
  // Definitions may come in any order in the text; each is worked out once those in it are.
  std::vector<std::size_t> stack(count);
  for (std::size_t i = 0; i < count; ++i) stack[i] = count - 1 - i;
  while (!stack.empty()) {
    const std::size_t i = stack.back();
    const Exprs parts = image[i] ? Exprs() : free_symbols(ExprSpan(&model.parameter_definitions[i], 1));
    const std::size_t before = stack.size();
    Exprs from, to;
    for (const Expr s : parts) {
      const auto found = number.find(s.id());
      if (found == number.end() || found->second == i) continue;
      if (!image[found->second]) stack.push_back(found->second);
      from.push_back(s);
      to.push_back(image[found->second]);
      if (follows[found->second]) follows[i] = true;
    }
    if (stack.size() > before) continue;
    stack.pop_back();
    if (image[i]) continue;
    image[i] = follows[i] ? substitute(model.parameter_definitions[i], from, to, graph_)
                          : graph_.constant(model.parameter_values[i]);
  }
  add(model.parameter_symbols, image);
  e.model_parameters = image;
}

/// Inputs are their values, or, where they stay open, nodes that kernels read from the table.
void Carrier::put_inputs(const Model& model, Equations& e, const OpenNames& open) {
  if (model.port) return;
  for (std::size_t i = 0; i < model.input_symbols.size(); ++i) {
    const Expr s = model.input_symbols[i];
    if (std::find(open.inputs.begin(), open.inputs.end(), static_cast<int>(i)) == open.inputs.end()) {
      put(s, (*this)(model.input_values[i]));
      continue;
    }
    const std::string& name = s.graph().name(s.id());
    const Expr default_value = (*this)(model.input_values[i]);
    if (!is_constant(default_value))
      throw InputError("the input '" + name +
                           "' cannot stay open: its default is no number, but follows the time or "
                           "what else stays open",
                       "give it a number in the model, and set the input from outside");
    const Quad usual = constant_value(default_value);
    put(s, graph_.parameter(static_cast<int>(e.parameters.size()), name, usual));
    e.parameters.push_back({name, static_cast<double>(usual)});
  }
}

void Carrier::put(Expr from, Expr to) {
  from_.push_back(from);
  to_.push_back(to);
}

void Carrier::add(const Exprs& from, const Exprs& to) {
  for (std::size_t i = 0; i < from.size(); ++i) put(from[i], to[i]);
}

}  // namespace alembert::internal
