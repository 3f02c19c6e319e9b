// The audit: a sample of its cells.

#include "alembert/lab/audit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

#include "alembert/error.h"
#include "source_folder.h"

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
  for (const MethodFamily& family : all_families()) {
    const std::string shown = family.make(family.example).name;
    EXPECT_EQ(std::count(audit.methods.begin(), audit.methods.end(), shown), 1) << shown << ": none by hand";
  }
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

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells;
  for (std::size_t at = line.find("| "), end; (end = line.find(" |", at + 1)) != std::string::npos; at = end + 1)
    cells.push_back(line.substr(at + 2, end - at - 2));
  return cells;
}

// The page of methods shows a member of each family with what it preserves: each such claim is a measured cell of the
// page of the audit.
TEST(Audit, EveryClaimOfTheTableOfMethodsIsMeasuredOnThePage) {
  std::ifstream page(source_folder() + "/docs/audit.md");
  std::map<std::string, std::map<std::string, std::string>> table;
  std::vector<std::string> head;
  for (std::string line; std::getline(page, line) && line != "## Models";) {
    const std::vector<std::string> cells = cells_of(line);
    if (cells.empty() || line.starts_with("|---")) continue;
    if (head.empty()) head = cells;
    ASSERT_EQ(cells.size(), head.size()) << line;
    for (std::size_t i = 0; i < cells.size(); ++i) table[cells[0]][head[i]] = cells[i];
  }
  int claims = 0;
  for (const MethodFamily& family : all_families()) {
    const Method method = family.make(family.example);
    const Claims& c = method.claims;
    ASSERT_TRUE(table.contains("`" + method.name + "`")) << method.name;
    std::map<std::string, std::string>& row = table["`" + method.name + "`"];
    const auto expect = [&](const std::string& property, bool claimed, const std::string& words) {
      if (!claimed || words.empty()) return;
      ++claims;
      EXPECT_TRUE(row[property].starts_with(words)) << method.name << ", " << property << ": " << row[property];
    };
    const bool coordinates = method.capabilities.mechanical;  // no q elsewhere, and no constraints on it
    const bool q = coordinates && method.capabilities.holonomic, k = coordinates && method.capabilities.nonholonomic;
    if (coordinates) expect("order of q", c.order_q > 0, std::to_string(c.order_q) + " (");
    expect("order of v", c.order_v > 0, std::to_string(c.order_v) + " (");
    expect("order of the multiplier", c.order_multiplier > 0, std::to_string(c.order_multiplier) + " (");
    expect("symplectic", c.symplectic, "yes (");
    expect("symmetric (h, then -h)", c.symmetric, "yes (");
    expect("g = 0", c.position && q, "yes (");
    expect("g' = 0", c.velocity && q, "yes (");
    expect("k = 0", c.nonholonomic && k, "yes (");
    expect("energy to rounding", c.energy, "yes (");
  }
  EXPECT_GT(claims, 200);
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
