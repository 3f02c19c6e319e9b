// What the public headers give beyond runs: rows for observers alone, equations as expressions, studies, pages.

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <nlohmann/json.hpp>

#include "alembert/alembert.h"
#include "source_folder.h"

namespace alembert {
namespace {

Model pendulum_model() { return read_model(source_folder() + "/models/pendulum.alm"); }

TEST(PublicApi, FollowGivesTheRowsOfARunToObserversAlone) {
  const Model model = pendulum_model();
  const Method method = find_method("lobatto(3)");
  Recorder whole, rest;
  const Report report = follow(method, derive(model), {.end = 1, .step = 0.01, .observers = {&whole}});
  EXPECT_EQ(report.ending, Ending::done);
  ASSERT_EQ(whole.trajectory.rows(), 101U);
  const Stepper stepper = compile(method, derive(model), {.step = 0.01});
  const alembert::Run run = simulate(stepper, {.end = 1});
  EXPECT_EQ(run.trajectory.values[1], whole.trajectory.values[1]);
  EXPECT_EQ(follow(stepper, {.end = 1, .observers = {&rest}}).steps, 100);
  EXPECT_EQ(rest.trajectory.values, run.trajectory.values);
}

TEST(PublicApi, EveryMemberOfASweepHasItsObserver) {
  const Stepper stepper = compile(find_method("gauss(2)"), derive(pendulum_model(), {.inputs = {"l"}}), {.step = 0.01});
  std::vector<Recorder> rows(3);
  std::vector<double> told;
  SimulateOptions options{.end = 0.1};
  options.progress = [&](double done) { told.push_back(done); };
  const std::vector<Member> members =
      sweep(stepper, {{{"l", 1}}, {{"l", 2}}, {{"l", 3}}}, options, [&](std::size_t i) { return &rows[i]; });
  for (std::size_t i = 0; i < 3; ++i) {
    ASSERT_EQ(rows[i].trajectory.rows(), 11U);
    EXPECT_EQ(rows[i].trajectory.values[1][0], static_cast<double>(i + 1));  // x starts at l
    EXPECT_EQ(members[i].failure, "");
  }
  EXPECT_EQ(told, (std::vector<double>{1.0 / 3, 2.0 / 3, 1}));
}

TEST(PublicApi, WrongNamesOfASweepAreSaidAtOnceBeforeAnythingRuns) {
  const Stepper stepper = compile(find_method("gauss(2)"), derive(pendulum_model(), {.inputs = {"l"}}), {.step = 0.01});
  bool ran = false;
  try {
    sweep(stepper, {{{"l", 1}}, {{"m", 2}}, {{"ll", 3}, {"m", 4}}}, {.end = 0.1}, [&](std::size_t) {
      ran = true;
      return nullptr;
    });
    FAIL();
  } catch (const InputError& error) {
    ASSERT_EQ(error.diagnostics().size(), 2U) << error.what();
    EXPECT_EQ(error.diagnostics()[0].hint, "did you mean 'l'?");
    // A parameter that is there, but was folded, is not called unknown.
    EXPECT_EQ(error.diagnostics()[1].message, "the value of 'm' is part of the equations, and cannot be changed");
  }
  EXPECT_FALSE(ran);
  EXPECT_THROW(sweep(stepper, {{{"l", 1}}}, {.end = 1, .step = -0.01}), InputError) << "the end is never reached";
}

TEST(PublicApi, AnInterruptedSweepBeginsNoOtherMember) {
  const Stepper stepper = compile(find_method("gauss(2)"), derive(pendulum_model(), {.inputs = {"l"}}), {.step = 0.01});
  const std::atomic<bool> interrupt{true};
  const std::vector<Member> members = sweep(stepper, {{{"l", 1}}, {{"l", 2}}}, {.end = 1, .interrupt = &interrupt});
  for (const Member& member : members) EXPECT_EQ(member.failure, "interrupted");
}

TEST(PublicApi, EquationsByTheLettersOfTheTheory) {
  const Equations equations = derive(pendulum_model(), {.symbolic_parameters = true});
  ASSERT_EQ(equations.expressions("g").size(), 1U);
  EXPECT_EQ(to_text(equations.expressions("g")[0]), "x^2 + y^2 - l^2");
  EXPECT_EQ(to_latex(equations.expressions("y")[0]), "x");
  EXPECT_EQ(equations.expressions("z").size(), 2U);
  EXPECT_EQ(equations.expressions("reduced").size(), 3U);  // two accelerations and the multiplier
  EXPECT_TRUE(equations.expressions("k").empty());
  EXPECT_EQ(equations.show({}), equations.text());
  EXPECT_EQ(equations.show({.latex = true}), equations.latex());
  EXPECT_LT(equations.show({.form = ShownForm::index1}).size(), equations.text().size());
  try {
    equations.expressions("lamda");
    FAIL();
  } catch (const InputError& error) { EXPECT_EQ(error.diagnostics()[0].hint, "did you mean 'lambda'?"); }
}

TEST(PublicApi, MethodsAreDescribed) {
  const std::vector<MethodDescription> all = describe_methods();
  ASSERT_EQ(all.size(), method_signatures().size());
  for (const MethodDescription& one : all) {
    EXPECT_EQ(find_method(one.example).name(), one.example);
    EXPECT_FALSE(one.summary.empty()) << one.signature;
    EXPECT_FALSE(one.source.empty()) << one.signature;
  }
  EXPECT_NE(find_method("gauss(2)").tableau().find("0.25"), std::string::npos);  // a_11 of the two Gauss points
}

TEST(PublicApi, AMethodForThoseWhoNameNone) {
  const Equations equations = derive(pendulum_model());
  SimulateOptions options;
  options.end = 10;
  options.steps.control = Control::tolerance;
  options.steps.tolerance = 1e-3;
  const SuitedMethod loose = suited_method(equations, options);
  options.steps.tolerance = 1e-12;
  const SuitedMethod tight = suited_method(equations, options);
  EXPECT_TRUE(loose.method.refusal(equations).empty());
  EXPECT_GT(tight.method.order().q, loose.method.order().q);
  EXPECT_NE(tight.reason.find("holonomic constraints"), std::string::npos) << tight.reason;
  const Model impossible = read_model_text("coordinate x = 1\nkinetic x'^2/2\nconstraint x^2 = -1\n");
  EXPECT_THROW(suited_method(derive(impossible), options), InputError);
}

TEST(PublicApi, StudiesGiveWhatTheProgramPrints) {
  const Model model = pendulum_model();
  const Examination facts = examine(model);
  EXPECT_EQ(facts.degrees_of_freedom, 1);
  EXPECT_EQ(nlohmann::json::parse(to_json(facts))["degrees_of_freedom"], 1);
  EXPECT_NE(to_text(facts).find("1 degree of freedom"), std::string::npos);
  const Verification verified = verify(find_method("lobatto(2)"), derive(model), {.step = 0.02, .end = 1});
  EXPECT_FALSE(verified.failed()) << to_text(verified);
  const auto symplectic = std::find_if(verified.properties.begin(), verified.properties.end(),
                                       [](const Property& p) { return p.name == "symplectic"; });
  ASSERT_NE(symplectic, verified.properties.end());
  EXPECT_EQ(symplectic->claimed, "yes");
  EXPECT_EQ(symplectic->verdict, Verdict::ok);
  EXPECT_LT(symplectic->value, 1e-20) << "of extended precision";
  const Convergence measured = converge({find_method("gauss(1)")}, derive(model), {.steps = {0.1, 0.05}, .end = 1});
  EXPECT_FALSE(measured.failed());
  ASSERT_EQ(measured.methods.at(0).rows.size(), 2U);
  EXPECT_EQ(measured.methods[0].rows[1].steps, 20);
  EXPECT_EQ(measured.methods[0].claimed.q, 2);
  EXPECT_NEAR(measured.methods[0].q.observed, 2, 0.1);
  const double order = nlohmann::json::parse(to_json(measured))["methods"][0]["observed"]["q"];
  EXPECT_EQ(order, measured.methods[0].q.observed);
  EXPECT_NE(to_svg(measured).find("<svg"), std::string::npos);
  EXPECT_NE(to_csv(measured).find('\n'), std::string::npos);
}

TEST(PublicApi, ProgressMayEndAMeasurement) {
  struct Enough {};
  MeasureOptions options{.steps = {0.1, 0.05, 0.025}, .end = 1.0};
  options.progress = [](double) { throw Enough(); };
  EXPECT_THROW(converge({find_method("gauss(1)")}, derive(pendulum_model()), options), Enough);
  // Also where the reference alone would take many minutes.
  options.steps = {0.01, 0.0005};
  options.end = 200;
  EXPECT_THROW(converge({find_method("gauss(4)")}, derive(pendulum_model()), options), Enough);
  VerifyOptions asked{.step = 0.001, .end = 1000};  // of some seconds
  asked.waiting = [] { throw Enough(); };
  EXPECT_THROW(verify(find_method("gauss(4)"), derive(pendulum_model()), asked), Enough);
}

TEST(PublicApi, ModelsWithMoreToObserve) {
  const Model plain = pendulum_model();
  const Model model = read_model_text(plain.text(), "pendulum.alm", {.overrides = {"l=2"}, .observed = {"x^2 + y^2"}});
  Recorder rows;
  follow(find_method("gauss(2)"), derive(model), {.end = 0.1, .step = 0.01, .observers = {&rows}});
  const std::vector<int> columns = columns_named(rows.trajectory.columns, "x^2 + y^2");
  ASSERT_EQ(columns.size(), 1U);
  for (const double value : rows.trajectory.values[columns[0]]) EXPECT_NEAR(value, 4, 1e-13);
}

TEST(PublicApi, ARunToLookAt) {
  const alembert::Run run = simulate(compile(find_method("gauss(2)"), derive(pendulum_model())), {.end = 1});
  EXPECT_NE(figure(run.trajectory).find("<svg"), std::string::npos);
  const std::string shown = page(run.trajectory, "words of ours");
  EXPECT_NE(shown.find("<html"), std::string::npos);
  EXPECT_NE(shown.find("words of ours"), std::string::npos);
}

}  // namespace
}  // namespace alembert
