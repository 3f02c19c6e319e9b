#include "alembert/plot/scene.h"

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <optional>
#include <set>

#include "alembert/expr/derivative.h"
#include "alembert/expr/operators.h"
#include "alembert/expr/piecewise.h"
#include "alembert/model/drawing.h"
#include "alembert/plot/mesh.h"
#include "alembert/plot/points.h"

namespace alembert::internal {
namespace {

/// Expressions of a model as a list of operations on columns.
class Program {
 public:
  /// What the symbols of the model are called as columns, or the numbers that they have.
  Program(const Model& model, const std::set<std::string>& columns) : model_(model), columns_(columns) {
    name(model.t, "t");
    const std::vector<std::string> q = flat_names(model.coordinates), p = flat_names(model.momenta);
    for (std::size_t i = 0; i < model.q.size(); ++i) name(model.q[i], q[i]);
    for (std::size_t i = 0; i < model.v.size(); ++i) name(model.v[i], q[i] + "'");
    for (std::size_t i = 0; i < model.p.size(); ++i) name(model.p[i], p[i]);
    for (const Constraint& c : model.constraints)
      if (c.multiplier) name(c.multiplier, (c.nonholonomic ? "psi." : "lambda.") + c.name);
    for (std::size_t i = 0; i < model.parameter_symbols.size(); ++i)
      number_[model.parameter_symbols[i].id()] = static_cast<double>(model.parameter_values[i]);
  }

  /// The number of the result that an expression has; nothing where it depends on what is no column.
  Ref operator()(Expr e) {
    if (!e) return {};
    if (!model_.input_symbols.empty() && depends(e, model_.input_symbols))
      e = substitute(e, model_.input_symbols, model_.input_values, *model_.graph);
    for (const std::uint32_t id : reachable(ExprSpan(&e, 1))) {
      if (result_.contains(id)) continue;
      const std::optional<int> made = make(e.graph(), id);
      if (!made) return {};
      result_[id] = *made;
    }
    return result_.at(e.id());
  }

  Refs operator()(const Exprs& list) {
    Refs places;
    for (const Expr e : list) places.push_back((*this)(e));
    return places;
  }

  /// The number of a column's own result.
  int column(const std::string& name) {
    const auto [found, fresh] = input_.emplace(name, 0);
    if (!fresh) return found->second;
    program_.inputs.push_back(name);
    return found->second = add("input", static_cast<int>(program_.inputs.size()) - 1, 0);
  }

  /// The same where there is such a column.
  Ref known(const std::string& name) { return columns_.contains(name) ? Ref(column(name)) : Ref(); }

  SceneProgram program() && { return std::move(program_); }

 private:
  void name(Expr symbol, const std::string& text) { name_[symbol.id()] = text; }

  int add(const std::string& operation, int a, int b) {
    const auto [found, fresh] = operator_.emplace(operation, static_cast<int>(program_.operators.size()));
    if (fresh) program_.operators.push_back(operation);
    program_.code.insert(program_.code.end(), {found->second, a, b});
    return static_cast<int>(program_.code.size()) / 3 - 1;
  }

  int constant(double value) {
    program_.constants.push_back(value);
    return add("constant", static_cast<int>(program_.constants.size()) - 1, 0);
  }

  int table(const Piecewise& function) {
    const auto [found, fresh] = table_.emplace(function.number(), static_cast<int>(program_.tables.size()));
    if (!fresh) return found->second;
    std::vector<double> pieces;
    for (const auto& piece : function.pieces())
      for (const double x : {piece.at, piece.f, piece.b, piece.c, piece.d}) pieces.push_back(x);
    program_.tables.push_back({{function.knots().begin(), function.knots().end()}, std::move(pieces)});
    return found->second;
  }

  std::optional<int> make(Graph& graph, std::uint32_t id) {
    const Node& node = graph.node(id);
    if (node.op == Op::constant || node.op == Op::parameter) return constant(static_cast<double>(graph.value(id)));
    if (node.op == Op::symbol) {
      if (const auto value = number_.find(id); value != number_.end()) return constant(value->second);
      const auto named = name_.find(id);
      if (named == name_.end() || !columns_.contains(named->second)) return std::nullopt;
      return column(named->second);
    }
    if (node.op == Op::piecewise) return add("table", result_.at(node.a), table(piecewise_of(Expr(&graph, id))));
    const int b = operand_count(node.op) > 1 ? result_.at(node.b) : 0;
    // The one name that two operators share.
    const std::string_view called = node.op == Op::negate ? "negate" : operator_of(node.op).name;
    return add(std::string(called), result_.at(node.a), b);
  }

  const Model& model_;
  const std::set<std::string>& columns_;
  std::map<std::uint32_t, std::string> name_;
  std::map<std::uint32_t, double> number_;
  std::map<std::uint32_t, int> result_;
  std::map<std::string, int> input_, operator_;
  std::map<double, int> table_;
  SceneProgram program_;
};

/// The forces in the points that may touch, along the normal, where the run has columns of them.
Refs contact_forces(const DrawnContact& c, Program& program) {
  Refs forces;
  for (std::size_t k = 0; k < c.touch.size(); ++k)
    forces.push_back(program.known(c.name + (c.touch.size() > 1 ? "[" + std::to_string(k + 1) + "]" : "") + ".force"));
  return forces;
}

SceneContact placed(const DrawnContact& c, Program& program) {
  SceneContact contact;
  contact.name = c.name;
  contact.body = c.body;
  contact.other = c.other;
  contact.shape = c.shape;
  contact.other_shape = c.other_shape;
  contact.force = contact_forces(c, program);
  contact.centre = program(c.centre);
  contact.base = program(c.base);
  contact.normal = program(c.normal);
  for (const Exprs& point : c.touch) contact.touch.push_back(program(point));
  contact.size = program(c.size);
  contact.other_size = program(c.other_size);
  contact.axle = program(c.axle);
  return contact;
}

void add_elements(const Drawing& drawing, Program& program, Scene& scene) {
  scene.gravity = program(drawing.gravity);
  for (const DrawnBody& b : drawing.bodies)
    scene.bodies.push_back(
        {b.name, program(b.position), program(b.axes), program(b.omega), program(b.mass), program(b.inertia)});
  for (const DrawnJoint& j : drawing.joints)
    scene.joints.push_back({j.name, j.kind, j.from, j.to, j.body, program(j.p), program(j.q), program(j.frame),
                            program(j.force), program(j.radius), program(j.normal), program(j.axle)});
  for (const DrawnSpring& s : drawing.springs)
    scene.springs.push_back({s.name, s.from, s.to, program(s.p), program(s.q), s.stiff, s.damped});
  for (const DrawnLoad& l : drawing.loads) scene.loads.push_back({l.name, l.body, program(l.at), program(l.force)});
  for (const DrawnContact& c : drawing.contacts) scene.contacts.push_back(placed(c, program));
}

void add_shapes(const Drawing& drawing, const Source& source, Program& program, Scene& scene) {
  for (const DrawnShape& s : drawing.shapes) {
    SceneShape shape;
    shape.kind = s.kind;
    shape.body = s.body;
    shape.colour = s.colour;
    shape.label = s.label;
    shape.at = program(s.at);
    shape.rotated = program(s.rotated);
    shape.about = program(s.about);
    shape.size = program(s.size);
    shape.radius = program(s.radius);
    shape.length = program(s.length);
    shape.axis = program(s.axis);
    shape.from = program(s.from);
    shape.to = program(s.to);
    shape.scale = program(s.scale);
    if (s.kind == "mesh") shape.corners = read_mesh(s.file, source.name);
    scene.shapes.push_back(std::move(shape));
  }
}

/// Which points an expression of positions is about; nothing where it has other coordinates than places, or more than
/// two points.
class Owners {
 public:
  Owners(const Model& model, const std::vector<MovingPoint>& points, const Trajectory& trajectory) : t_(model.t) {
    std::map<std::string, int> owner;
    for (std::size_t i = 0; i < points.size(); ++i)
      for (const int column : points[i].columns) owner[trajectory.columns.names[column]] = static_cast<int>(i);
    const std::vector<std::string> q = flat_names(model.coordinates);
    for (std::size_t i = 0; i < model.q.size(); ++i)
      if (const auto found = owner.find(q[i]); found != owner.end()) point_[model.q[i].id()] = found->second;
    for (const Expr s : model.parameter_symbols) parameters_.insert(s.id());
  }

  std::set<int> operator()(const Expr& e) const {
    std::set<int> on;
    for (const Expr s : free_symbols(ExprSpan(&e, 1))) {
      if (parameters_.contains(s.id()) || s == t_) continue;
      const auto point = point_.find(s.id());
      if (point == point_.end()) return {};
      on.insert(point->second);
    }
    return on.size() > 2 ? std::set<int>() : on;
  }

 private:
  Expr t_;
  std::map<std::uint32_t, int> point_;
  std::set<std::uint32_t> parameters_;
};

/// "m1=2", "l=(1, 0.5)" for all parameters of the run.
std::vector<std::string> overrides_of(const RunDescription& run) {
  const auto text = [](const Parameter& p, const auto& self, std::size_t level, std::size_t& at) -> std::string {
    if (level == p.shape.size()) return to_text(p.values.at(at++));
    std::string list = "(";
    for (int i = 0; i < p.shape[level]; ++i) list += (i > 0 ? ", " : "") + self(p, self, level + 1, at);
    return list + ")";
  };
  std::vector<std::string> overrides;
  for (const Parameter& p : run.parameters) {
    // A vector of one entry and those of families of components cannot be written; their values are those of the text
    // unless somebody set them.
    if (p.name.find("[]") != std::string::npos ||
        std::any_of(p.shape.begin(), p.shape.end(), [](int n) { return n < 2; }))
      continue;
    if (p.values.empty() || !std::all_of(p.values.begin(), p.values.end(), [](double x) { return std::isfinite(x); }))
      continue;
    std::size_t at = 0;
    overrides.push_back(p.name + "=" + text(p, text, 0, at));
  }
  for (const std::string& given : run.overrides)
    if (given.substr(0, given.find('=')).find("].") != std::string::npos) overrides.push_back(given);
  return overrides;
}

std::vector<ScenePoint> placed(const std::vector<MovingPoint>& points, const Trajectory& trajectory, Program& program) {
  std::vector<ScenePoint> list;
  for (const MovingPoint& point : points) {
    Refs place;
    for (const int column : point.columns) place.push_back(program.column(trajectory.columns.names[column]));
    list.push_back({point.name, std::move(place)});
  }
  return list;
}

constexpr std::size_t most_formulas = 2000;  // more would not be told apart on a screen

/// Constraints on positions whose coordinates are all places of points: rods and surfaces, which the page tells apart.
void add_constraints(const Model& model, const std::vector<MovingPoint>& points, const Trajectory& trajectory,
                     Program& program, Scene& scene) {
  if (points.empty() || model.constraints.size() > most_formulas) return;
  const Owners owners(model, points, trajectory);
  for (const Constraint& c : model.constraints) {
    if (c.nonholonomic || !c.value) continue;
    const std::set<int> on = owners(c.value);
    const Ref value = on.empty() ? Ref() : program(c.value);
    if (!value) continue;
    scene.constraints.push_back({c.name, *value, {on.begin(), on.end()}, depends(c.value, ExprSpan(&model.t, 1))});
  }
}

/// Gaps of points likewise: walls that they may touch. The points need not be drawn themselves.
void add_gaps(const Model& model, const std::vector<MovingPoint>& points, const Trajectory& trajectory,
              Program& program, Scene& scene) {
  if (points.empty() || model.contacts.size() > most_formulas) return;
  const Owners owners(model, points, trajectory);
  const std::vector<ScenePoint> all = placed(points, trajectory, program);
  for (const Contact& c : model.contacts) {
    const std::set<int> on = c.gap ? owners(c.gap) : std::set<int>();
    const Ref value = on.empty() ? Ref() : program(c.gap);
    if (!value) continue;
    std::vector<Refs> places;
    for (const int point : on) places.push_back(all[static_cast<std::size_t>(point)].position);
    scene.gaps.push_back(
        {c.name, *value, std::move(places), depends(c.gap, ExprSpan(&model.t, 1)), program.known(c.name + ".force")});
  }
}

/// Positions of bodies are points among the columns too; they are drawn as bodies. States of the first order, which
/// stand before the auxiliary variables at the end of q, are no places.
std::vector<MovingPoint> own_points(const Trajectory& trajectory, const DrawnModel& drawn) {
  std::set<std::string> bodies, states;
  for (const DrawnBody& b : drawn.drawing.bodies) bodies.insert(b.name);
  const Model& model = drawn.model;
  const std::vector<std::string> q = flat_names(model.coordinates);
  const std::size_t end = q.size() - std::min(q.size(), model.auxiliary.size());
  for (std::size_t i = end - std::min(end, model.first_order.size()); i < end; ++i) states.insert(q[i]);
  std::vector<MovingPoint> points = points_of(trajectory);
  std::erase_if(points, [&](const MovingPoint& point) {
    if (states.contains(trajectory.columns.names[point.columns[0]])) return true;
    const std::size_t dot = point.name.rfind('.');
    return dot != std::string::npos && bodies.contains(point.name.substr(0, dot));
  });
  return points;
}

}  // namespace

std::optional<Scene> scene_of(const Trajectory& trajectory, const std::shared_ptr<const Source>& source,
                              std::string& note) {
  DrawnModel drawn;
  if (source && !source->text.empty()) {
    try {
      drawn = read_drawn_model(source, overrides_of(trajectory.run));
    } catch (const InputError& e) {
      note = "the model could not be read again, so that only points are drawn: " +
             (e.diagnostics().empty() ? std::string() : e.diagnostics()[0].message);
      drawn = {};
    }
  }
  const std::set<std::string> columns(trajectory.columns.names.begin(), trajectory.columns.names.end());
  if (!drawn.model.graph) {
    drawn.model.graph = std::make_shared<Graph>();
    drawn.model.t = drawn.model.graph->symbol("t");
  }
  Scene scene;
  Program program(drawn.model, columns);
  std::vector<MovingPoint> points = own_points(trajectory, drawn);
  const bool told = !drawn.drawing.shapes.empty() && drawn.drawing.bodies.empty();
  add_gaps(drawn.model, points, trajectory, program, scene);
  if (told) points.clear();  // what the model says instead
  scene.points = placed(points, trajectory, program);
  add_elements(drawn.drawing, program, scene);
  if (source) {
    try {
      add_shapes(drawn.drawing, *source, program, scene);
    } catch (const InputError& e) { note = e.what(); }
  }
  add_constraints(drawn.model, points, trajectory, program, scene);
  if (points.empty() && drawn.drawing.bodies.empty() && drawn.drawing.shapes.empty()) return {};
  scene.program = std::move(program).program();
  return scene;
}

}  // namespace alembert::internal
