// The audit: a sample of its cells.

#include "alembert/lab/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "alembert/error.h"

namespace alembert::internal::audit {
namespace {

TEST(Audit, HasModelsOfEveryKindOnce) {
  std::set<std::string> names;
  for (const Subject& subject : subjects()) EXPECT_TRUE(names.insert(subject.model).second) << subject.model;
  EXPECT_GE(names.size(), 24u);
}

TEST(Audit, KnowsWhatItHasNot) {
  EXPECT_THROW(make_audit({.methods = {"lobatto(3)"}, .models = {"pendulm"}}), InputError);
  EXPECT_THROW(make_audit({.methods = {"lobato(3)"}, .models = {"pendulum"}}), InputError);
}

TEST(Audit, ASampleOfItsCellsHolds) {
  Options options;
  options.models = {"pendulum", "nonholonomic_particle", "ph_mass_spring_damper", "bouncing_ball"};
  const Audit audit = make_audit(options);
  EXPECT_TRUE(audit.passed()) << to_text(audit);
  EXPECT_EQ(audit.methods.size(), all_families().size()) << "every family, none by hand";
  const std::string text = to_markdown(audit);
  std::size_t measured = 0;
  for (const Pair& pair : audit.pairs) {
    EXPECT_NE(text.find("| `" + pair.method + "` |"), std::string::npos) << pair.method;
    measured += pair.properties.size();
    if (pair.model == "bouncing_ball") { EXPECT_EQ(pair.status, Status::refused) << "its motion is not smooth"; }
  }
  EXPECT_GT(measured, 300u);
  EXPECT_EQ(text.find("not explained"), std::string::npos);
}

// What is lost and not claimed is no fault, and is seen.
TEST(Audit, TheNegativeControlIsSeen) {
  const Audit audit = make_audit({.methods = {"gauss_standard(1)"}, .models = {"nonholonomic_particle"}});
  const Pair* pair = audit.find("gauss_standard(1)", "nonholonomic_particle");
  ASSERT_NE(pair, nullptr);
  const auto k = std::find_if(pair->properties.begin(), pair->properties.end(),
                              [](const Property& p) { return p.name == "k = 0"; });
  ASSERT_NE(k, pair->properties.end());
  EXPECT_EQ(k->verdict, Verdict::does_not_hold) << "the negative control loses its constraint, and says so";
  EXPECT_EQ(pair->status, Status::passed);
}

}  // namespace
}  // namespace alembert::internal::audit
