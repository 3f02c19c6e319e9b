#include "alembert/lab/audit.h"

#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <set>

#include "alembert/error.h"
#include "alembert/lab/entry.h"
#include "alembert/run/integrate.h"

namespace alembert::internal::audit {
namespace {

// Orders show in the first steps; energy, constraints and invariants within these.
constexpr double steps_of_a_run = 100;
constexpr double seconds_of_a_run = 2;  // on the wall, at most
constexpr long steps_again = 20;        // for the same bits

}  // namespace

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"oscillator", "free, linear"},
      {"kepler", "free, singular potential"},
      {"pendulum", "holonomic"},
      {"double_pendulum", "holonomic, chaotic"},
      {"spherical_pendulum", "holonomic, with a symmetry"},
      {"four_particles_morse", "holonomic, stiff potential"},
      {"quartic_surface", "holonomic, constraint of fourth degree"},
      {"curve_parameter", "holonomic, parameter of a curve without mass"},
      {"cart_pendulum", "mass matrix depends on q"},
      {"heavy_top", "quaternions"},
      {"rigid_free", "rotation without forces"},
      {"moving_support", "rheonomic"},
      {"moving_support_knife", "rheonomic and nonholonomic"},
      {"nonholonomic_particle", "nonholonomic"},
      {"knife_edge", "nonholonomic"},
      {"chaplygin_sleigh", "nonholonomic, attracting motion"},
      {"mclachlan_perlmutter", "nonholonomic, chaotic"},
      {"rolling_disk", "nonholonomic, rolling"},
      {"knife_paraboloid", "holonomic and nonholonomic"},
      {"euler_41", "reaction nonlinear in the multiplier"},
      {"mass_spring_damper", "dissipative"},
      {"double_pendulum_viscous", "holonomic and dissipative"},
      {"rough_wire", "friction that depends on the reaction"},
      {"ph_pendulum", "port-Hamiltonian with a constraint"},
      {"ph_mass_spring_damper", "port-Hamiltonian, dissipative"},
      {"bouncing_ball", "contact"},
  };
  return all;
}

bool Audit::passed() const {
  return stale.empty() &&
         std::none_of(pairs.begin(), pairs.end(), [](const Pair& pair) { return pair.status == Status::unexpected; });
}

const Pair* Audit::find(const std::string& method, const std::string& model) const {
  const auto found = std::find_if(pairs.begin(), pairs.end(),
                                  [&](const Pair& pair) { return pair.method == method && pair.model == model; });
  return found == pairs.end() ? nullptr : &*found;
}

namespace {

struct Candidate {
  std::string family;
  Method method;
};

/// What a family is known by in the short table: the member that the table of methods shows with its claims, and the
/// one in the middle of its samples.
std::vector<Candidate> candidates(const Options& options) {
  std::vector<Candidate> list;
  if (!options.methods.empty()) {
    for (const std::string& text : options.methods) {
      Method method = find_method(text);
      const std::string family = method.name.substr(0, method.name.find('('));
      list.push_back({family, std::move(method)});
    }
    return list;
  }
  // More stages than the samples have, for families that count them.
  constexpr int most_stages = 6;
  for (const MethodFamily& family : all_families()) {
    std::vector<Method> samples = sample_methods(family), members = {family.make(family.example)};
    if (!options.full) {
      members.push_back(samples[samples.size() / 2]);
    } else {
      members.insert(members.end(), samples.begin(), samples.end());
      if (family.least_stages > 0)
        for (int s = family.least_stages; s <= most_stages; ++s)
          members.push_back(find_method(family.name, {static_cast<double>(s)}));
    }
    std::set<std::string> seen;
    for (Method& method : members)
      if (seen.insert(method.name).second) list.push_back({family.name, std::move(method)});
  }
  return list;
}

Property same_bits(const Equations& e, const InitialValues& initial, const Method& method, double h) {
  const MotionPoint<double> start = polish<double>(e, initial, 0.0);
  const Endpoint<double> first = integrate<double>(e, method, start, 0.0, h, steps_again);
  const Endpoint<double> second = integrate<double>(e, method, start, 0.0, h, steps_again);
  const auto same = [](const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
  };
  const bool equal =
      first.failure == second.failure && same(first.point.y, second.point.y) && same(first.point.z, second.point.z);
  return {"same bits again", "yes", equal ? "yes" : "no", NAN, equal ? Verdict::ok : Verdict::false_claim};
}

const Deficit* known(const Pair& pair, const std::string& property) {
  for (const Deficit& deficit : deficits())
    if ((deficit.family.empty() || deficit.family == pair.family) &&
        (deficit.model.empty() || deficit.model == pair.model) && deficit.property == property)
      return &deficit;
  return nullptr;
}

/// Whether a measurement ended because a step of it could not be made: the run beside it could.
bool stopped(const std::string& measured) { return measured == "a step failed" || measured.starts_with("step "); }

/// What does not hold is known, or it is a fault. So is what could not be measured for want of a step.
void judge(Pair& pair, const std::string& failure, std::set<const Deficit*>& shown) {
  std::vector<std::pair<std::string, std::string>> wrong;  // property, in words
  if (!failure.empty()) wrong.emplace_back("run", failure);
  for (const Property& property : pair.properties)
    if (property.verdict == Verdict::false_claim)
      wrong.emplace_back(property.name, property.name + ": " + property.claimed + " claimed, " + property.measured);
  for (const Property& property : pair.properties)
    if (property.verdict == Verdict::not_measured && stopped(property.measured))
      wrong.emplace_back(property.name, property.name + ": " + property.measured);
  for (const auto& [property, words] : wrong) {
    const Deficit* deficit = known(pair, property);
    if (deficit) shown.insert(deficit);
    if (deficit && pair.status == Status::unexpected) continue;
    pair.status = deficit ? Status::deficit : Status::unexpected;
    pair.reason = deficit ? deficit->cause : words;
  }
}

struct Prepared {
  Model model;
  Equations equations;
  double step = 0;
};

std::string measure(Pair& pair, const Prepared& on, const Method& method) {
  pair.reason = on.model.contacts.empty() ? refusal(method, on.equations)
                                          : "contacts: the motion is not smooth, and has no order to measure";
  if (!pair.reason.empty()) {
    pair.status = Status::refused;
    return "";
  }
  VerifyOptions options;
  options.step = on.step;
  options.end = steps_of_a_run * on.step;
  options.seconds = seconds_of_a_run;
  const Verification found = verify(on.model, on.equations, method, options);
  pair.properties = found.properties;
  if (found.failure.empty())
    pair.properties.push_back(same_bits(on.equations, make_consistent(on.model, on.equations), method, on.step));
  return found.failure;
}

/// Deficits of methods and models that were looked at, and did not show.
std::vector<std::string> stale_deficits(const Audit& audit, const std::set<const Deficit*>& shown) {
  std::vector<std::string> list;
  for (const Deficit& deficit : deficits()) {
    const bool asked = std::any_of(audit.pairs.begin(), audit.pairs.end(), [&](const Pair& pair) {
      return pair.status != Status::refused && (deficit.family.empty() || pair.family == deficit.family) &&
             (deficit.model.empty() || pair.model == deficit.model);
    });
    if (asked && !shown.contains(&deficit))
      list.push_back(deficit.family + " on " + deficit.model + ", " + deficit.property +
                     ": holds, and was thought not to (" + deficit.cause + ")");
  }
  return list;
}

std::vector<std::string> chosen_models(const Options& options) {
  std::vector<std::string> names;
  for (const Subject& subject : subjects()) names.push_back(subject.model);
  for (const std::string& name : options.models)
    if (std::find(names.begin(), names.end(), name) == names.end())
      throw InputError("the audit has no model '" + name + "'", "did you mean '" + nearest_name(name, names) + "'?");
  return options.models.empty() ? names : options.models;
}

}  // namespace

Audit make_audit(const Options& options) {
  constexpr double usual_step = 0.01;  // of models that name none
  Audit audit;
  audit.models = chosen_models(options);
  const std::vector<Candidate> methods = candidates(options);
  std::vector<Prepared> prepared;
  for (const std::string& name : audit.models) {
    const auto source = std::make_shared<const Source>(Source{name + ".alm", reproduce::gallery_text(name)});
    Model model = read_model(source, {}, {}, {});
    Equations equations = derive(model);
    const double step = model.solve.step.value_or(usual_step);
    prepared.push_back({std::move(model), std::move(equations), step});
  }
  for (const Candidate& candidate : methods) {
    audit.methods.push_back(candidate.method.name);
    for (const std::string& model : audit.models)
      audit.pairs.push_back({candidate.method.name, candidate.family, model, Status::passed, "", {}});
  }
  std::set<const Deficit*> shown;
  std::mutex mutex;
  std::size_t made = 0;
  // A model at a time in each thread: graphs are not shared.
  tbb::parallel_for(std::size_t{0}, audit.models.size(), [&](std::size_t m) {
    for (std::size_t i = 0; i < methods.size(); ++i) {
      Pair& pair = audit.pairs[i * audit.models.size() + m];
      std::string failure;
      try {
        failure = measure(pair, prepared[m], methods[i].method);
      } catch (const InputError& error) { failure = error.what(); }
      const std::lock_guard lock(mutex);
      judge(pair, failure, shown);
      ++made;
      if (options.progress)
        options.progress(static_cast<double>(made) / static_cast<double>(audit.pairs.size()), pair.model);
    }
  });
  audit.stale = stale_deficits(audit, shown);
  return audit;
}

}  // namespace alembert::internal::audit
