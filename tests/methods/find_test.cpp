// Methods by their names, and what is asked by capability instead.

#include <gtest/gtest.h>

#include <set>

#include "alembert/default_methods.h"
#include "alembert/error.h"
#include "alembert/methods/method.h"
#include "conformance/problems.h"

namespace alembert::internal::testing {
namespace {

std::string complaint(const std::string& text) {
  try {
    find_method(text);
  } catch (const InputError& error) { return error.what(); }
  return "";
}

TEST(FindMethod, AliasesStandForMembersAndFamilies) {
  EXPECT_EQ(find_method("rattle").name, "lobatto(2)");
  EXPECT_EQ(find_method("radau5").name, "radau_collocation(3)");
  EXPECT_EQ(find_method("gauss_spark").name, find_method("gauss").name);
  EXPECT_EQ(find_method("gauss_spark(3)").name, "gauss(3)");
  EXPECT_EQ(find_method("suzuki(rattle)").name, "suzuki(lobatto(2))");
  EXPECT_EQ(find_method(parse_term(std::make_shared<Source>(Source{"", "gauss_spark"})), 4).name, "gauss(4)");
}

TEST(FindMethod, AliasesOfOneMemberTakeNoArguments) {
  EXPECT_NE(complaint("rattle(3)").find("stands for lobatto(2)"), std::string::npos) << complaint("rattle(3)");
  EXPECT_THROW(find_method(parse_term(std::make_shared<Source>(Source{"", "rattle"})), 3), InputError);
}

TEST(FindMethod, SuggestsNamesAndAliases) {
  EXPECT_NE(complaint("ratle").find("'rattle'"), std::string::npos) << complaint("ratle");
  EXPECT_NE(complaint("gauss_sprak").find("'gauss_spark'"), std::string::npos);
  EXPECT_NE(complaint("lobato(3)").find("'lobatto'"), std::string::npos);
}

TEST(FindMethod, NamesAndAliasesAreUnique) {
  std::set<std::string> names;
  for (const MethodFamily& family : all_families()) {
    EXPECT_TRUE(names.insert(family.name).second) << family.name;
    for (const Alias& alias : family.aliases) EXPECT_TRUE(names.insert(alias.name).second) << alias.name;
  }
}

TEST(FindMethod, DefaultsTakeTheirModels) {
  const Capabilities mechanical = find_method(ALEMBERT_DEFAULT_METHOD).capabilities;
  EXPECT_TRUE(mechanical.mechanical && mechanical.holonomic && mechanical.nonholonomic);
  EXPECT_TRUE(find_method(ALEMBERT_DEFAULT_PORT_METHOD).capabilities.port_hamiltonian);
}

TEST(FindMethod, TheReferenceIsAsAccurateAsItSays) {
  const Model pendulum = gallery("pendulum");
  const std::optional<Method> found = reference_method(derive(pendulum), 6);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->claims.order_q, 12);
  EXPECT_EQ(found->claims.order_multiplier, 12);
  EXPECT_TRUE(found->claims.symmetric && found->claims.velocity);
  EXPECT_FALSE(reference_method(derive(gallery("ph_pendulum")), 6));
}

TEST(Refusal, EveryFamilyThatTakesSomethingIsListed) {
  const std::string ports = families_that_take(&Capabilities::port_hamiltonian);
  for (const MethodFamily& family : all_families()) {
    if (family.composer) continue;
    const bool takes = family.make(family.example).capabilities.port_hamiltonian;
    const bool listed = (", " + ports + ",").find(family.name) != std::string::npos;
    if (takes) { EXPECT_TRUE(listed) << family.name; }
  }
  EXPECT_EQ(ports.find("lobatto_d"), std::string::npos);
  EXPECT_NE(port_refusal().find(ports), std::string::npos);
}

}  // namespace
}  // namespace alembert::internal::testing
