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
  EXPECT_EQ(text.find("|  |"), std::string::npos) << "no cell is empty";
  EXPECT_NE(text.find("| contacts: the motion is not smooth, and has no order to measure | all | bouncing_ball |"),
            std::string::npos);
  EXPECT_NE(text.find("| symplectic | nonholonomic constraints: the motion is not symplectic |"), std::string::npos);
}

// Euler's methods claim no order where the reaction is not linear in the multiplier: what is measured there is no part
// of the range beside the claim.
TEST(Audit, RangesAreThoseOfTheClaim) {
  const Audit audit = make_audit({.methods = {"natural_euler(0.5)"}, .models = {"pendulum", "euler_41"}});
  ASSERT_TRUE(audit.passed()) << to_text(audit);
  const Pair* nonlinear = audit.find("natural_euler(0.5)", "euler_41");
  ASSERT_NE(nonlinear, nullptr);
  const auto order = std::find_if(nonlinear->properties.begin(), nonlinear->properties.end(),
                                  [](const Property& p) { return p.name == "order of v"; });
  ASSERT_NE(order, nonlinear->properties.end());
  EXPECT_LT(order->value, 0.8);
  const std::string text = to_markdown(audit);
  const std::size_t row = text.find("| `natural_euler(0.5)` | 1 (");
  ASSERT_NE(row, std::string::npos) << text;
  const std::string line = text.substr(row, text.find('\n', row) - row);
  EXPECT_EQ(line.find("(0.0"), std::string::npos) << line;
  EXPECT_NE(line.find("; not claimed on euler_41"), std::string::npos) << line;
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
