#pragma once

// Methods, by their names.

#include <memory>
#include <string>
#include <vector>

#include "alembert/equations.h"

namespace alembert {

namespace internal {
struct Method;
}

/// Orders of convergence that the method claims; of the multiplier that is reported.
struct Orders {
  int q = 0, v = 0, multiplier = 0;
};

/// A method with its arguments bound: lobatto(3). A small value: copies share it.
class Method {
 public:
  const std::string& name() const;
  int stages() const;  // 0 where the word has no meaning
  Orders order() const;
  // What it claims to preserve; see `alembert verify` for what it does on a model.
  bool symplectic() const;
  bool symmetric() const;
  bool preserves_energy() const;
  const std::string& note() const;  // what a user must know of it; may be empty
  std::string tableau() const;      // its coefficients as text; "" where it has none
  /// Why it does not take these equations; "" when it does.
  std::string refusal(const Equations& equations) const;

 private:
  friend struct internal::Inside;
  explicit Method(std::shared_ptr<const internal::Method> method) : held_(std::move(method)) {}
  std::shared_ptr<const internal::Method> held_;
};

/// "lobatto(3)", "gauss(2)", "suzuki(symmetric(true_euler))"; aliases too: "rattle". Throws InputError with the nearest
/// name.
Method find_method(const std::string& name);
/// The method of the model's solve statement, else the usual one.
Method method_of(const Model& model);
/// One name a family, with its arguments: "lobatto(s)".
std::vector<std::string> method_signatures();

/// A family of methods, as `alembert methods` lists it.
struct MethodDescription {
  std::string signature;             // "lobatto(s)"
  std::string summary, source;       // one line; where it comes from
  std::string orders;                // "2s-2"
  std::string example;               // a member: "lobatto(3)"
  std::vector<std::string> aliases;  // "rattle = lobatto(2)"
};
std::vector<MethodDescription> describe_methods();

}  // namespace alembert
