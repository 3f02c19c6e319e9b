#include "alembert/run/contact_mode.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "alembert/base/lists.h"
#include "alembert/expr/derivative.h"
#include "alembert/model/refuse.h"

namespace alembert::internal {

namespace {

std::recursive_mutex& model_mutex() {
  static std::recursive_mutex mutex;
  return mutex;
}

/// Modes that are kept: each holds its compiled code.
constexpr std::size_t most_kept = 256;

std::string key(const Mode& mode) {
  std::string text;
  for (const ContactMode& contact : mode) {
    text += contact.closed ? 'c' : contact.touches ? 't' : 'o';
    if (!contact.closed) continue;
    if (!bears_alone(contact)) text += 's';
    for (const auto& [other, part] : contact.by_others) text += 'b' + std::to_string(other);
    for (const FrictionMode& friction : contact.friction) {
      if (friction.kind == FrictionMode::Kind::sticks) text += '=';
      else if (friction.kind == FrictionMode::Kind::turns) text += '~';
      else text += friction.plane ? 'd' : friction.direction[0] < 0 ? '-' : '+';
    }
  }
  return text;
}

/// The velocities that forces act along.
const Exprs& velocities_of(const Model& model) { return model.form == Form::lagrangian ? model.v : model.p; }

/// Whether friction that belongs to a normal force changes its direction with the velocities.
bool turns(const Mode& mode, std::size_t contact) {
  const auto own = [](const ContactMode& m) {
    return std::any_of(m.friction.begin(), m.friction.end(),
                       [](const FrictionMode& f) { return f.kind == FrictionMode::Kind::turns; });
  };
  return own(mode[contact]) || std::any_of(mode.begin(), mode.end(), [&](const ContactMode& m) {
           return own(m) && std::any_of(m.by_others.begin(), m.by_others.end(),
                                        [&](const auto& part) { return part.first == static_cast<int>(contact); });
         });
}

class ModeWriter {
 public:
  ModeWriter(const Model& model, const Mode& mode, const std::vector<double>& slack, bool rates)
      : mode_(mode), slack_(slack), rates_(rates), contacts_(model.contacts), made_{model, {}, {}} {
    made_.model.contacts.clear();
    made_.model.contact_events.clear();
    made_.model.friction_powers.clear();
  }

  ModeModel made() {
    share_forces();
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      if (mode_[i].closed) close(i);
      else open(i);
    }
    made_.model.multiplier0.resize(made_.model.constraints.size());
    if (!asked_.empty())
      made_.model.observed_values = substitute(made_.model.observed_values, asked_, acting_, graph());
    return std::move(made_);
  }

 private:
  Graph& graph() { return *made_.model.graph; }

  /// The normal forces, and of those that bear for others the gaps that they keep closed with their own.
  void share_forces() {
    forces_.resize(contacts_.size());
    gaps_.resize(contacts_.size());
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      gaps_[i] = contacts_[i].gap;
      if (mode_[i].closed && contacts_[i].restitution && mode_[i].by_others.empty())
        forces_[i] = graph().symbol("contact " + contacts_[i].name);
    }
    for (std::size_t i = 0; i < contacts_.size(); ++i) {
      Exprs parts;
      for (const auto& [other, part] : mode_[i].by_others) {
        const Expr number = open_number(part);
        parts.push_back(number * forces_[static_cast<std::size_t>(other)]);
        gaps_[static_cast<std::size_t>(other)] = gaps_[static_cast<std::size_t>(other)] + number * contacts_[i].gap;
      }
      if (!parts.empty()) forces_[i] = sum(graph(), parts);
    }
  }

  /// Where the value falls through 0 the mode ends.
  void end_where(Expr value, ModeEvent event) {
    const Contact& contact = contacts_[static_cast<std::size_t>(event.contact)];
    Event found{contact.name, value, true, contact.place, -1, 0, {}};
    made_.model.events.push_back(std::move(found));
    made_.events.push_back(event);
  }

  Expr constrain(const std::string& name, Expr multiplier, Expr value, bool nonholonomic, const Place& place) {
    Constraint c;
    c.name = name;
    c.value = value;
    c.multiplier = multiplier;
    c.nonholonomic = nonholonomic;
    c.place = place;
    made_.model.constraints.push_back(c);
    return c.multiplier;
  }

  /// What is observed of a contact.
  void say(Expr asked, Expr acting) {
    if (!asked) return;
    asked_.push_back(asked);
    acting_.push_back(acting);
  }
  void say_state(std::size_t i, ContactState state) {
    say(contacts_[i].state, graph().constant(static_cast<double>(state)));
  }

  void open(std::size_t i) {
    say(contacts_[i].force, graph().constant(0));
    for (const Expr s : contacts_[i].tangential) say(s, graph().constant(0));
    say_state(i, ContactState::open);
    Expr gap = contacts_[i].gap;
    if (mode_[i].touches) gap = gap + graph().constant(slack_[i]);
    end_where(gap, {ModeEvent::Kind::gap, static_cast<int>(i), 0});
  }

  void close(std::size_t i) {
    const Contact& contact = contacts_[i];
    const int number = static_cast<int>(i);
    const Expr force = contact.restitution ? pressed(i) : contact.gap;
    say(contact.force, force);
    say_state(i, state_of(mode_[i]));
    Exprs power;
    for (std::size_t k = 0; k < contact.friction.size(); ++k) {
      const Friction& friction = contact.friction[k];
      const FrictionMode& mode = mode_[i].friction[k];
      const ModeEvent here{ModeEvent::Kind::slip, number, static_cast<int>(k)};
      if (mode.kind == FrictionMode::Kind::sticks) stick(contact, friction, k, force, here);
      else power.push_back(slip(friction, mode, force, here, k == 0 ? contact.tangential : Exprs()));
    }
    if (!power.empty()) made_.model.friction_powers.push_back(sum(graph(), power));
  }

  /// The gap as a constraint; the force that keeps it closed.
  Expr pressed(std::size_t i) {
    const Contact& contact = contacts_[i];
    // Reactions are -g_q^T lambda: with -gap the multiplier is the force that presses.
    const bool rate = rates_ && turns(mode_, i);
    const Expr force = forces_[i], gap = gaps_[i];
    if (mode_[i].by_others.empty()) constrain(contact.name, force, rate ? -rate_of(gap) : -gap, rate, contact.place);
    if (bears_alone(mode_[i])) end_where(force, {ModeEvent::Kind::force, static_cast<int>(i), 0});
    return force;
  }

  /// In the velocities of the model.
  Expr rate_of(Expr gap) {
    const Model& m = made_.model;
    const Exprs slopes = gradient(gap, m.q);
    Exprs terms = gradient(gap, Exprs{m.t});
    const std::size_t own = m.q.size() - m.auxiliary.size() - m.first_order.size();
    for (std::size_t i = 0; i < m.q.size(); ++i) {
      if (is_zero(slopes[i])) continue;
      const std::size_t state = i - own, auxiliary = state - m.first_order.size();
      const Expr rate = i < own                        ? (m.multibody ? m.coordinate_rate[i] : m.v[i])
                        : state < m.first_order.size() ? m.first_order[state]
                                                       : m.auxiliary[auxiliary].rate;
      terms.push_back(slopes[i] * rate);
    }
    return sum(graph(), terms);
  }

  /// One that is given when the mode begins.
  Expr open_number(double value) {
    Model& m = made_.model;
    const std::string name = "contact number " + std::to_string(made_.numbers.size() + 1);
    m.parameters.push_back({name, {}, static_cast<int>(m.parameter_symbols.size()), 1, {}});
    m.parameter_symbols.push_back(graph().symbol(name));
    m.parameter_values.emplace_back(value);
    m.parameter_definitions.push_back(graph().constant(value));
    m.shapes_model.push_back(false);
    m.checked_on_read.push_back(false);
    made_.numbers.push_back(name);
    return m.parameter_symbols.back();
  }

  void stick(const Contact& contact, const Friction& friction, std::size_t k, Expr force, ModeEvent here) {
    const char* const parts[] = {".slip", ".rolling", ".drilling"};
    Exprs squares;
    for (std::size_t j = 0; j < friction.slip.size(); ++j) {
      std::string name = contact.name + parts[std::min<std::size_t>(k, 2)];
      if (friction.slip.size() > 1) name += "[" + std::to_string(j + 1) + "]";
      const Expr psi = constrain(name, graph().symbol("contact " + name), friction.slip[j], true, contact.place);
      squares.push_back(psi * psi);
      if (k == 0 && j < contact.tangential.size()) say(contact.tangential[j], -psi);
    }
    if (!bears_alone(mode_[static_cast<std::size_t>(here.contact)])) return;
    const Expr bound = friction.at_rest * force;
    here.kind = ModeEvent::Kind::bound;
    end_where(bound * bound - sum(graph(), squares), here);
  }

  /// The force -mu N d along the slip; the power that it takes. asked: what is observed of it.
  Expr slip(const Friction& friction, const FrictionMode& mode, Expr force, ModeEvent here, const Exprs& asked) {
    Model& m = made_.model;
    Exprs direction;
    if (mode.kind == FrictionMode::Kind::turns) {
      Exprs squares;
      for (const Expr s : friction.slip) squares.push_back(s * s);
      const Expr speed = sqrt(sum(graph(), squares));
      for (const Expr s : friction.slip) direction.push_back(s / speed);
    } else if (friction.slip.size() == 1) {
      direction.push_back(graph().constant(mode.direction[0]));
    } else {
      for (std::size_t j = 0; j < friction.slip.size(); ++j) direction.push_back(open_number(mode.direction[j]));
    }
    const Expr size = friction.coefficient * force;
    const Exprs& v = velocities_of(m);
    Exprs along;
    for (std::size_t j = 0; j < asked.size(); ++j) say(asked[j], -size * direction[j]);
    for (std::size_t j = 0; j < friction.slip.size(); ++j) {
      const Exprs row = gradient(friction.slip[j], v);
      for (std::size_t i = 0; i < m.force.size() && i < row.size(); ++i)
        if (!is_zero(row[i])) m.force[i] = m.force[i] - size * direction[j] * row[i];
      along.push_back(direction[j] * friction.slip[j]);
    }
    const Expr speed = sum(graph(), along);
    if (mode.kind == FrictionMode::Kind::slips) end_where(speed, here);
    return size * speed;
  }

  const Mode& mode_;
  const std::vector<double>& slack_;
  const bool rates_;
  const std::vector<Contact> contacts_;
  ModeModel made_;
  Exprs forces_, gaps_;   // normal forces; what is constrained for them
  Exprs asked_, acting_;  // what is observed of contacts, and what it is in this mode
};

/// All contacts closed, with friction in one state.
Mode all_closed(const Model& model, FrictionMode::Kind kind) {
  Mode mode;
  for (const Contact& contact : model.contacts) {
    ContactMode one{true, false, false, false, {}, {}};
    for (const Friction& friction : contact.friction) {
      const bool turns = kind != FrictionMode::Kind::sticks && friction.slip.size() > 1;
      one.friction.push_back({turns ? FrictionMode::Kind::turns : kind, {1, 0}, friction.slip.size() > 1});
    }
    mode.push_back(std::move(one));
  }
  return mode;
}

}  // namespace

bool keeps_contact(const Mode& mode) {
  return std::any_of(mode.begin(), mode.end(), [](const ContactMode& m) { return m.closed || m.touches; });
}

ModelLock::ModelLock() { model_mutex().lock(); }
ModelLock::~ModelLock() { model_mutex().unlock(); }

ModeModel mode_model(const Model& model, const Mode& mode, const std::vector<double>& slack, bool rates) {
  return ModeWriter(model, mode, slack, rates).made();
}

void start_at(Model& model, std::span<const double> state) {
  const auto put = [&](std::vector<Quad>& values, Exprs& starts, std::vector<bool>& pinned, std::size_t from) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] = state[from + i];
      if (i < starts.size()) starts[i] = model.graph->constant(state[from + i]);
    }
    pinned.assign(pinned.size(), false);
  };
  put(model.q0, model.q_start, model.q_pinned, 0);
  put(model.z0, model.z_start, model.z_pinned, model.q.size());
  for (Prescribed& one : model.prescribed) one.start.reset();
}

ContactModes::ContactModes(const Model& model, const Equations& e, const Method& method, const EngineOptions& options)
    : model_(model), e_(e), method_(method), options_(options), rates_(!method.capabilities.velocity_reactions) {
  for (const OpenParameter& parameter : e.parameters) derive_.inputs.push_back(parameter.name);
  const std::string why = contact_refusal(model, method, derive_);
  if (!why.empty())
    refuse(model, model.contacts[0].place, "method " + method.name + " cannot follow these contacts: " + why,
           "`examine(model)` lists the methods that apply");
}

std::string contact_refusal(const Model& model, const Method& method, const DeriveOptions& options) {
  if (model.contacts.empty() || method.capabilities.inclusions) return "";
  const ModelLock lock;
  const std::vector<double> slack(model.contacts.size(), 0);
  for (const FrictionMode::Kind kind : {FrictionMode::Kind::slips, FrictionMode::Kind::sticks}) {
    const ModeModel made = mode_model(model, all_closed(model, kind), slack, !method.capabilities.velocity_reactions);
    const std::string why = refusal(method, derive(made.model, options));
    if (why.empty()) continue;
    const bool friction = std::any_of(model.contacts.begin(), model.contacts.end(),
                                      [](const Contact& contact) { return !contact.friction.empty(); });
    return std::string(!friction                           ? "closed ones: "
                       : kind == FrictionMode::Kind::slips ? "sliding ones: "
                                                           : "sticking ones: ") +
           why;
  }
  return "";
}

std::unique_ptr<CompiledMode> ContactModes::compiled(ModeOrigin origin, const std::vector<double>& slack) {
  const ModelLock lock;
  const Mode mode = origin.mode;
  const std::vector<double>& parameters = origin.parameters;
  ModeModel made = mode_model(model_, mode, slack, rates_);
  // Velocities that are nothing but rounding have no size by which constraints could be fulfilled.
  std::vector<double> from = origin.state;
  const double still = 1e-12 * origin.acceleration * std::abs(options_.step);
  for (std::size_t i = model_.q.size(); i < from.size(); ++i)
    if (std::abs(from[i]) <= still) from[i] = 0;
  start_at(made.model, from);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    for (std::size_t k = 0; k < made.model.parameter_symbols.size(); ++k) {
      const Expr s = made.model.parameter_symbols[k];
      if (s.graph().name(s.id()) == e_.parameters[i].name) made.model.parameter_values[k] = parameters[i];
    }
  DeriveOptions open = derive_;
  open.inputs.insert(open.inputs.end(), made.numbers.begin(), made.numbers.end());
  Equations equations = derive(made.model, open);
  equations.least_z = origin.acceleration * std::abs(options_.step);
  equations.least_y = equations.least_z * std::abs(options_.step);
  EngineOptions options = options_;
  options.t0 = origin.t;
  auto result =
      std::make_unique<CompiledMode>(std::move(origin), std::move(made), std::move(equations), method_, options);
  // What is closed may be left in a kink of a constraint: who ends there solves for that.
  if (result->engine.kinks && keeps_contact(mode)) result->engine.kinks->settle_by({});
  // In the order in which the constraints were added.
  int lambda = static_cast<int>(e_.lambda.size()), psi = static_cast<int>(result->e.lambda.size() + e_.psi.size());
  for (std::size_t i = 0; i < mode.size(); ++i) {
    const bool own = mode[i].closed && model_.contacts[i].restitution && mode[i].by_others.empty();
    result->normal.push_back(!own ? -1 : rates_ && turns(mode, i) ? psi++ : lambda++);
    std::vector<int> first;
    for (std::size_t k = 0; k < model_.contacts[i].friction.size(); ++k) {
      const bool sticks = mode[i].closed && mode[i].friction[k].kind == FrictionMode::Kind::sticks;
      first.push_back(sticks ? psi : -1);
      if (sticks) psi += static_cast<int>(model_.contacts[i].friction[k].slip.size());
    }
    result->friction.push_back(std::move(first));
  }
  return result;
}

double CompiledMode::normal_force(std::size_t contact, std::span<const double> multipliers) const {
  double force = normal[contact] >= 0 ? multipliers[static_cast<std::size_t>(normal[contact])] : 0;
  for (const auto& [other, part] : shares[contact])
    force += part * normal_force(static_cast<std::size_t>(other), multipliers);
  return force;
}

void begin(Engine& engine, double t, std::span<const double> state) {
  const std::span<const double> rates = engine.multipliers.at(t, state);
  if (std::all_of(rates.begin(), rates.end(), [](double x) { return std::isfinite(x); })) {
    const std::vector<double> guess(rates.begin(), rates.end());
    engine.step.begin(guess.data());
  }
  GridPoint point;
  point.t = t;
  point.state.assign(state.begin(), state.end());
  point.compensation.assign(state.size(), 0);
  point.carried = engine.step.carried();
  engine.begin_at(point, t);
}

void prepare_samples(Engine& engine, double count) {
  EngineOptions asked = engine.options;
  asked.at_once = false;
  asked.samples = std::max(1.0, count);
  engine.prepare(asked);
}

void ContactModes::archive(Archive& fields, const std::vector<double>& slack) {
  const auto one = [&](CompiledMode& mode) {
    bool dense = mode.engine.dense.has_value();
    fields(dense);
    if (dense && !mode.engine.dense) prepare_samples(mode.engine, 1);
    fields(mode.engine);
  };
  auto size = static_cast<std::uint64_t>(known_.size());
  fields(size);
  if (!fields.reading())
    for (auto& [name, mode] : known_) {
      fields(mode->origin);
      one(*mode);
    }
  for (std::uint64_t i = 0; fields.reading() && i < size; ++i) {
    ModeOrigin origin;
    fields(origin);
    const std::string name = key(origin.mode);
    one(*known_.insert_or_assign(name, compiled(std::move(origin), slack)).first->second);
  }
  fields(acceleration);
}

CompiledMode& ContactModes::at(const Mode& mode, const std::vector<double>& slack, double t,
                               std::span<const double> state, const std::vector<double>& parameters) {
  const std::string name = key(mode);
  auto found = known_.find(name);
  if (found == known_.end()) {
    if (known_.size() >= most_kept) known_.clear();
    ModeOrigin origin{mode, t, {state.begin(), state.end()}, parameters, acceleration};
    found = known_.emplace(name, compiled(std::move(origin), slack)).first;
  }
  Engine& engine = found->second->engine;
  auto next = std::copy(parameters.begin(), parameters.end(), engine.parameters.begin());
  for (const ContactMode& contact : mode)
    for (const auto& [other, part] : contact.by_others) *next++ = part;
  for (const ContactMode& contact : mode)
    for (const FrictionMode& friction : contact.friction)
      if (contact.closed && friction.plane && friction.kind == FrictionMode::Kind::slips)
        next = std::copy(friction.direction.begin(), friction.direction.end(), next);
  found->second->shares.clear();
  for (const ContactMode& contact : mode) found->second->shares.push_back(contact.by_others);
  internal::begin(engine, t, state);
  return *found->second;
}

}  // namespace alembert::internal
