#include "alembert/method.h"

#include <utility>

#include "alembert/base/inside.h"
#include "alembert/default_methods.h"
#include "alembert/methods/method.h"

namespace alembert {

const std::string& Method::name() const { return held_->name; }
int Method::stages() const { return held_->stages; }

Orders Method::order() const {
  const internal::Claims& claims = held_->claims;
  return {claims.order_q, claims.order_v, claims.order_multiplier};
}

bool Method::symplectic() const { return held_->claims.symplectic; }
bool Method::symmetric() const { return held_->claims.symmetric; }
bool Method::preserves_energy() const { return held_->claims.energy; }

const std::string& Method::note() const { return held_->claims.note; }
std::string Method::tableau() const { return held_->tableau ? held_->tableau() : ""; }

std::string Method::refusal(const Equations& equations) const {
  return internal::refusal(*held_, internal::inside(equations));
}

Method find_method(const std::string& name) {
  return internal::Inside::make<Method>(std::make_shared<const internal::Method>(internal::find_method(name)));
}

Method method_of(const Model& model) {
  const internal::Model& m = internal::inside(model);
  const std::string usual = m.port ? ALEMBERT_DEFAULT_PORT_METHOD : ALEMBERT_DEFAULT_METHOD;
  internal::Method method = m.solve.method ? internal::find_method(*m.solve.method) : internal::find_method(usual);
  return internal::Inside::make<Method>(std::make_shared<const internal::Method>(std::move(method)));
}

std::vector<std::string> method_signatures() {
  std::vector<std::string> signatures;
  for (const internal::MethodFamily& family : internal::all_families()) signatures.push_back(family.signature);
  return signatures;
}

std::vector<MethodDescription> describe_methods() {
  std::vector<MethodDescription> all;
  for (const internal::MethodFamily& family : internal::all_families()) {
    std::vector<std::string> aliases;
    for (const internal::Alias& alias : family.aliases) aliases.push_back(alias.name + " = " + meaning(family, alias));
    all.push_back({family.signature, family.summary, family.source, family.orders, family.make(family.example).name,
                   std::move(aliases)});
  }
  return all;
}

}  // namespace alembert
