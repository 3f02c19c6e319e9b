// The compiled step in the hand: what varies is an input, copies go their own way, saved states go on bit for bit.

#include "alembert/stepper.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "alembert/alembert.h"
#include "newton/allocations.h"
#include "source_folder.h"

namespace alembert {
namespace {

std::string gallery(const std::string& name) { return source_folder() + "/models/" + name + ".alm"; }

std::vector<double> list(std::span<const double> values) { return {values.begin(), values.end()}; }

const char oscillator[] =
    "parameter k = 4, F = 0\ncoordinate x\nkinetic x'^2/2\npotential k*x^2/2\nforce x = F\ninitial x = 1\n";

TEST(Stepper, AnOpenParameterIsThatOfTheFoldedModel) {
  const Equations open = derive(read_model_text(oscillator), {.inputs = {"k"}});
  EXPECT_EQ(open.inputs(), (std::vector<std::string>{"k"}));
  Stepper stepper = compile(find_method("gauss(4)"), open, {.step = 0.1});
  stepper.set("k", 9);
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_EQ(stepper.t(), 1);
  EXPECT_NEAR(stepper.value("x"), std::cos(3.0), 1e-10);
  EXPECT_NEAR(stepper.value("x'"), -3 * std::sin(3.0), 1e-10);
  EXPECT_NEAR(stepper.energy(), 4.5, 1e-10);
}

TEST(Stepper, WhatIsDefinedByAnOpenParameterFollowsIt) {
  const Model model = read_model_text(
      "parameter w = 2, k = w^2, a = 3*w\ncoordinate x\nkinetic x'^2/2\npotential k*x^2/2\ninitial x = a\n");
  Stepper stepper = compile(find_method("gauss(4)"), derive(model, {.inputs = {"w"}}), {.step = 0.1});
  stepper.restart({{"w", 3}});
  EXPECT_EQ(stepper.value("x"), 9);
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_NEAR(stepper.value("x"), 9 * std::cos(3.0), 1e-9);
  const alembert::Run run = simulate(stepper, {.end = 2});
  ASSERT_EQ(run.report.parameters.size(), 3u);
  EXPECT_EQ(run.report.parameters[1].values[0], 9);
  EXPECT_NEAR(run.report.y[0], 9 * std::cos(6.0), 1e-8);
}

TEST(Stepper, InputsActFromTheNextStepOn) {
  Stepper stepper =
      compile(find_method("gauss(4)"), derive(read_model_text(oscillator), {.inputs = {"F"}}), {.step = 0.1});
  ASSERT_TRUE(stepper.steps(5));
  const double x = stepper.value("x"), v = stepper.value("x'");
  stepper.parameters()[0] = 2;  // the rest position is 1/2 now
  ASSERT_TRUE(stepper.steps(5));
  EXPECT_NEAR(stepper.value("x"), 0.5 + (x - 0.5) * std::cos(1.0) + v / 2 * std::sin(1.0), 1e-10);
}

TEST(Stepper, MakesTheStepsOfARun) {
  const Equations equations = derive(read_model(gallery("double_pendulum")));
  Stepper stepper = compile(find_method("lobatto(3)"), equations, {.step = 0.01});
  const alembert::Run run = simulate(stepper, {.end = 2, .step = 0.01});
  EXPECT_EQ(stepper.t(), 0) << "the stepper stays where it is";
  ASSERT_TRUE(stepper.steps(200));
  std::vector<double> end = run.report.y;
  end.insert(end.end(), run.report.z.begin(), run.report.z.end());
  EXPECT_EQ(list(stepper.state()), end);
  EXPECT_LT(stepper.position_residual(), 1e-14);
  const alembert::Run more = simulate(stepper, {.end = 4, .step = 0.01});
  EXPECT_EQ(more.report.steps, 200);
  EXPECT_NEAR(more.report.energy.final, 0, 1e-4);
}

TEST(Stepper, ARunWithoutAnEndIsRefused) {
  const Stepper stepper = compile(find_method("gauss(2)"), derive(read_model_text(oscillator)), {.step = 0.01});
  try {
    simulate(stepper, {});
    FAIL() << "it made no step";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("makes no step"), std::string::npos) << error.what();
  }
  EXPECT_EQ(simulate(stepper, {.end = 0.1}).report.steps, 10);
}

TEST(Stepper, OneCompilationServesBothDirectionsOfTime) {
  Stepper stepper = compile(find_method("lobatto(3)"), derive(read_model(gallery("double_pendulum"))), {.step = 0.01});
  const std::vector<double> start = list(stepper.state());
  ASSERT_TRUE(stepper.steps(100));
  stepper.set_step(-0.01);
  ASSERT_TRUE(stepper.steps(100));
  EXPECT_NEAR(stepper.t(), 0, 1e-14);
  for (std::size_t i = 0; i < start.size(); ++i) EXPECT_NEAR(stepper.state()[i], start[i], 1e-11);
}

TEST(Stepper, ACopyGoesOnAsTheOriginalAndThenItsOwnWay) {
  Stepper one = compile(find_method("gauss(2)"), derive(read_model(gallery("double_pendulum")), {.inputs = {"m2"}}),
                        {.step = 0.01});
  ASSERT_TRUE(one.steps(50));
  Stepper other = one;
  ASSERT_TRUE(one.steps(50));
  ASSERT_TRUE(other.steps(50));
  EXPECT_EQ(list(one.state()), list(other.state()));
  other.set("m2", 5);
  EXPECT_EQ(one.value("m2"), 1);
  ASSERT_TRUE(other.steps(50));
  ASSERT_TRUE(one.steps(50));
  EXPECT_NE(list(one.state()), list(other.state()));
}

class SavedStepper : public ::testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(SavedStepper, GoesOnBitForBit) {
  const auto [name, method] = GetParam();
  const auto fresh = [&, name = name, method = method] {
    return compile(find_method(method), derive(read_model(gallery(name))));  // with the step of the model
  };
  Stepper through = fresh();
  ASSERT_TRUE(through.steps(30)) << through.failure();
  const std::vector<std::byte> saved = through.save();
  ASSERT_TRUE(through.steps(30));
  Stepper other = fresh();
  other.load(saved);
  EXPECT_EQ(other.t(), 30 * other.h());
  ASSERT_TRUE(other.steps(30));
  EXPECT_EQ(list(other.state()), list(through.state()));
  EXPECT_EQ(other.save(), through.save());
  EXPECT_EQ(list(other.multipliers()), list(through.multipliers()));
}

TEST(Stepper, ASavedRunCountsItsEventsOn) {
  const Model model = read_model_text(
      "parameter n = 0\ncoordinate y = 1\nkinetic y'^2/2\npotential 9.81*y\n"
      "event hit: y = 0 falling\nwhen hit: y' = -y', n = n + 1\nstop after 2 hit\n"
      "solve gauss(2) step 0.1 end 9\n");
  const Equations equations = derive(model);
  const alembert::Run whole = simulate(compile(find_method("gauss(2)"), equations), {.end = 9, .step = 0.1});
  Stepper first = compile(find_method("gauss(2)"), equations);
  ASSERT_TRUE(first.steps(7));
  Stepper again = compile(find_method("gauss(2)"), equations);
  again.load(first.save());
  const alembert::Run rest = simulate(again, {.end = 9, .step = 0.1});
  EXPECT_EQ(rest.report.t, whole.report.t);
  EXPECT_EQ(rest.report.y, whole.report.y);
  while (first.stopped().empty()) ASSERT_TRUE(first.step());
  EXPECT_THROW(simulate(first, {.end = 9, .step = 0.1}), InputError) << "it has been stopped";
}

TEST(Stepper, EventsHaveTheirNames) {
  const auto model =
      read_model_text("coordinate x = 1\nkinetic x'^2/2\npotential x^2/2\nevent low: x = -1/2\nevent middle: x = 0\n");
  Stepper stepper = compile(find_method("gauss(3)"), derive(model), {.step = 0.5});
  std::vector<std::string> met;
  while (stepper.t() < 3) {
    ASSERT_TRUE(stepper.step());
    for (const EventRecord& event : stepper.events())
      met.push_back(stepper.event_names().at(static_cast<std::size_t>(event.event)));
  }
  EXPECT_EQ(met, (std::vector<std::string>{"middle", "low"}));
  EXPECT_EQ(Stepper(stepper).event_names(), stepper.event_names());
}

TEST(Stepper, AnOpenInputWhoseDefaultIsNoNumberIsRefused) {
  const char* const body = "coordinate x\nkinetic x'^2/2\nforce x = F\nsolve gauss(2) step 0.1 end 1\n";
  const auto open = [&](const std::string& input) {
    return derive(read_model_text("parameter a = 2\ninput F = " + input + "\n" + body), {.inputs = {"F"}});
  };
  EXPECT_THROW(open("sin(t)"), InputError);
  Stepper stepper = compile(find_method("gauss(2)"), open("3*a"));
  EXPECT_EQ(stepper.value("F"), 6);
}

INSTANTIATE_TEST_SUITE_P(
    Methods, SavedStepper,
    ::testing::Values(std::pair("double_pendulum", "lobatto(3)"), std::pair("double_pendulum", "gauss(5)"),
                      std::pair("chain", "gauss(3)"), std::pair("chain", "lobatto(2)"),
                      std::pair("steel_on_teflon", "symmetric(true_euler)"),
                      std::pair("four_particles", "energy_momentum"), std::pair("parallel_four_bar", "lobatto(2)"),
                      std::pair("heavy_top", "lobatto(2)"), std::pair("ph_pendulum", "gauss_collocation(2)")));

TEST(Stepper, RefusesBytesThatAreNotItsOwn) {
  Stepper stepper = compile(find_method("lobatto(3)"), derive(read_model(gallery("double_pendulum"))), {.step = 0.01});
  ASSERT_TRUE(stepper.steps(10));
  std::vector<std::byte> saved = stepper.save();
  const std::vector<double> here = list(stepper.state());
  Stepper other = compile(find_method("gauss(2)"), derive(read_model(gallery("double_pendulum"))), {.step = 0.01});
  EXPECT_THROW(other.load(saved), InputError);
  for (const std::size_t size : {std::size_t(0), std::size_t(7), saved.size() / 2, saved.size() - 1})
    EXPECT_THROW(stepper.load(std::span(saved).first(size)), InputError) << size;
  saved.push_back(std::byte{0});
  EXPECT_THROW(stepper.load(saved), InputError);
  EXPECT_EQ(list(stepper.state()), here);
}

TEST(Stepper, SettingAStateKeepsTheConstraints) {
  Stepper stepper = compile(find_method("lobatto(3)"), derive(read_model(gallery("pendulum"))), {.step = 0.01});
  ASSERT_TRUE(stepper.steps(20));
  stepper.set("x", 0.25);
  EXPECT_EQ(stepper.value("x"), 0.25);
  EXPECT_LT(stepper.position_residual(), 1e-14);
  EXPECT_LT(stepper.velocity_residual(), 1e-14);
  EXPECT_TRUE(stepper.steps(20));
  EXPECT_THROW(stepper.set("x", 1e3), InputError);
  EXPECT_THROW(stepper.set("z", 1), InputError);
  EXPECT_THROW(stepper.value("lenght"), InputError);
}

TEST(Stepper, AWholeStateMovesTheShortestWayOntoTheConstraints) {
  const Model model = read_model_text(
      "coordinate x = 0.6, y = -0.8\nkinetic (x'^2 + y'^2)/2\npotential 9.81*y\nconstraint rod: x^2 + y^2 = 1\n",
      "p.alm", {});
  Stepper stepper = compile(find_method("lobatto(3)"), derive(model), {.step = 0.01});
  ASSERT_TRUE(stepper.steps(10));
  // What holds already stays, bit for bit.
  const std::vector<double> before(stepper.state().begin(), stepper.state().end());
  stepper.set_state(before);
  EXPECT_TRUE(std::equal(before.begin(), before.end(), stepper.state().begin()));
  // With equal masses the shortest way to a circle is that to its centre.
  stepper.set_state(std::vector<double>{0.66, -0.88, 0.8, 0.7});
  const std::span<const double> s = stepper.state();
  EXPECT_NEAR(s[0], 0.6, 1e-12);
  EXPECT_NEAR(s[1], -0.8, 1e-12);
  // Of the velocity (0.8, 0.7) the part along the rod, 0.6*0.8 - 0.8*0.7, is taken away.
  const double along = 0.6 * 0.8 - 0.8 * 0.7;
  EXPECT_NEAR(s[2], 0.8 - 0.6 * along, 1e-12);
  EXPECT_NEAR(s[3], 0.7 + 0.8 * along, 1e-12);
  EXPECT_THROW(stepper.set_state(std::vector<double>{1, 2}), InputError);
  EXPECT_THROW(stepper.set_state(std::vector<double>{NAN, 0, 0, 0}), InputError);
  EXPECT_NEAR(stepper.state()[0], 0.6, 1e-12);
}

TEST(Stepper, AParameterOfAConstraintMovesTheState) {
  Stepper stepper =
      compile(find_method("lobatto(3)"), derive(read_model(gallery("pendulum")), {.inputs = {"l"}}), {.step = 0.01});
  const double before = stepper.value("l");
  stepper.set("l", 1.5 * before);
  EXPECT_LT(stepper.position_residual(), 1e-13);
  EXPECT_NEAR(std::hypot(stepper.value("x"), stepper.value("y")), 1.5 * before, 1e-13);
  EXPECT_TRUE(stepper.steps(20));
}

TEST(Stepper, NamesThatCannotStayOpenAreSaid) {
  const Model chain = read_model(gallery("chain"));
  EXPECT_THROW(derive(chain, {.inputs = {"N"}}), InputError);
  EXPECT_THROW(derive(chain, {.inputs = {"lenght"}}), InputError);
  EXPECT_NO_THROW(derive(read_model_text(oscillator), {.inputs = {"x", "x'"}}));
}

TEST(Stepper, ChecksOfBodiesHoldForOpenParametersToo) {
  const Model model = read_model_text(
      "parameter m = 1\nbody b mass m inertia (1, 1, 1) at (0, 0, 1)\njoint spherical s from ground to b point (0, 0, "
      "-1)\n");
  Stepper stepper = compile(find_method("lobatto(2)"), derive(model, {.inputs = {"m"}}), {.step = 0.01});
  EXPECT_NO_THROW(stepper.set("m", 2));
  EXPECT_THROW(stepper.set("m", -1), InputError);
}

TEST(Stepper, AFailedStepLeavesTheStateAndSaysWhy) {
  Stepper stepper = compile(find_method("lobatto(3)"), derive(read_model(gallery("double_pendulum"))), {.step = 0.01});
  ASSERT_TRUE(stepper.steps(5));
  stepper.set_step(1e6);
  const std::vector<double> here = list(stepper.state());
  if (stepper.step()) GTEST_FAIL() << "a step of 1e6 was made";
  EXPECT_EQ(list(stepper.state()), here);
  EXPECT_NE(stepper.failure().find("in the step from t = 0.05"), std::string::npos) << stepper.failure();
}

TEST(Stepper, OneThatWasMovedFromSaysSo) {
  Stepper from = compile(find_method("gauss(2)"), derive(read_model_text(oscillator)), {.step = 0.1});
  Stepper to = std::move(from);
  const auto refused = [](const char* what, const std::function<void()>& ask) {
    try {
      ask();
      ADD_FAILURE() << what << " was answered";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("moved from"), std::string::npos) << what << ": " << error.what();
    }
  };
  EXPECT_FALSE(from.step());
  EXPECT_FALSE(from.steps(2));
  EXPECT_NE(from.failure().find("moved from"), std::string::npos);
  refused("t", [&] { from.t(); });
  refused("h", [&] { from.h(); });
  refused("state", [&] { from.state(); });
  refused("names", [&] { from.names(); });
  refused("value", [&] { from.value("x"); });
  refused("parameters", [&] { from.parameters(); });
  refused("events", [&] { from.events(); });
  refused("event_names", [&] { from.event_names(); });
  refused("stopped", [&] { from.stopped(); });
  refused("steps_made", [&] { from.steps_made(); });
  refused("multipliers", [&] { from.multipliers(); });
  refused("energy", [&] { from.energy(); });
  refused("set", [&] { from.set("x", 1); });
  refused("set_step", [&] { from.set_step(0.1); });
  refused("set_state", [&] { from.set_state(std::vector<double>{1, 0}); });
  refused("restart", [&] { from.restart(); });
  refused("save", [&] { from.save(); });
  refused("load", [&] { from.load(to.save()); });
  refused("a copy", [&] { const Stepper copy = from; });
  refused("simulate", [&] { simulate(from, {.end = 1}); });
  refused("sweep", [&] { sweep(from, {{}}, {.end = 1}); });
  refused("equations", [&] { from.equations(); });
  from = to;
  EXPECT_TRUE(from.step());
}

TEST(Stepper, OptionsThatMakeNoSenseAreRefused) {
  const Equations equations = derive(read_model_text(oscillator));
  const Method method = find_method("gauss(2)");
  EXPECT_THROW(compile(method, equations, {.steps = NAN}), InputError);
  EXPECT_THROW(compile(method, equations, {.steps = -1}), InputError);
  EXPECT_THROW(compile(method, equations, {.newton = {.max_iterations = 0}}), InputError);
  EXPECT_THROW(compile(method, equations, {.newton = {.tolerance = -1}}), InputError);
  EXPECT_THROW(compile(method, equations, {.newton = {.tolerance = NAN}}), InputError);
  Stepper stepper = compile(method, equations, {.step = 0.1});
  EXPECT_THROW(simulate(stepper, {.end = 1, .observers = {nullptr}}), InputError);
  EXPECT_FALSE(stepper.steps(-1));
  EXPECT_NE(stepper.failure().find("at least 0"), std::string::npos) << stepper.failure();
  EXPECT_TRUE(stepper.steps(0));
  EXPECT_TRUE(stepper.step());
  EXPECT_EQ(stepper.failure(), "");
}

// Their constraints are always so near to dependence that every step looks at it.
TEST(Stepper, StepsWithNearlyDependentConstraintsTakeNoMemory) {
  if (!internal::tests::allocations_are_counted()) GTEST_SKIP() << "allocations cannot be counted in this build";
  const Model model = read_model(gallery("n_four_bar"));
  Stepper stepper = compile(method_of(model), derive(model), {.step = *model.step()});
  ASSERT_TRUE(stepper.steps(50)) << stepper.failure();
  const long before = internal::tests::allocations();
  ASSERT_TRUE(stepper.steps(50)) << stepper.failure();
  EXPECT_EQ(internal::tests::allocations(), before);
}

TEST(Stepper, RestartSaysWhatItMoved) {
  // Both rods lie: the first mass can only move up and down.
  Stepper stepper = compile(find_method("lobatto(3)"), derive(read_model(gallery("double_pendulum"))), {.step = 0.01});
  EXPECT_TRUE(stepper.restart().empty());
  const std::vector<MovedValue> moved = stepper.restart({{"x1'", 0.5}, {"y1'", 1}});
  ASSERT_EQ(moved.size(), 1u);
  EXPECT_EQ(moved[0].name, "x1'");
  EXPECT_EQ(moved[0].from, 0.5);
  EXPECT_NEAR(moved[0].to, 0, 1e-15);
  EXPECT_EQ(stepper.value("y1'"), 1);
  try {
    stepper.set("x1", 5);
    FAIL() << "rod1 is 1 long";
  } catch (const InputError& error) {
    const std::string words = error.what();
    EXPECT_NE(words.find("no positions satisfy rod1 with this value of x1"), std::string::npos) << words;
    EXPECT_EQ(words.find("pin"), std::string::npos) << words;
  }
}

// Two masses, one of which may vanish: its place then follows from that of the other.
const char two_springs[] =
    "parameter m1 = 1, m2 = 0.5, k = 4, c = 3, F = 0\ncoordinate x1 = 0.3, x2 = k/(k + c)*x1\n"
    "kinetic m1/2*x1'^2 + m2/2*x2'^2\npotential k/2*(x2 - x1)^2 + c/2*x2^2\nforce x1 = F\n";

double place_without_mass(double t, double k = 4) { return 0.3 * std::cos(std::sqrt(k * 3 / (k + 3)) * t); }

TEST(Stepper, AMassThatVanishesInARestartLeavesOtherEquations) {
  Stepper stepper = compile(find_method("lobatto_c(4)"),
                            derive(read_model_text(two_springs), {.inputs = {"F", "m2", "k"}}), {.step = 0.01});
  ASSERT_TRUE(stepper.steps(10));
  const std::vector<double> usual = list(stepper.state());
  EXPECT_TRUE(stepper.restart({{"m2", 0}, {"k", 5}}).empty());
  EXPECT_EQ(list(stepper.parameters()), (std::vector<double>{0, 0, 5})) << "in the order of the inputs, as before";
  ASSERT_TRUE(stepper.steps(100)) << stepper.failure();
  EXPECT_NEAR(stepper.value("x1"), place_without_mass(1, 5), 1e-9);
  EXPECT_NEAR(stepper.value("x2"), 5.0 / 8 * place_without_mass(1, 5), 1e-9);
  // What stays open acts, and what is folded cannot be changed behind its back.
  Stepper copy(stepper);
  const std::vector<std::byte> bytes = stepper.save();
  stepper.parameters()[0] = 1;
  ASSERT_TRUE(stepper.step());
  EXPECT_GT(stepper.value("x1'"), copy.step() ? copy.value("x1'") + 0.005 : 0);
  const std::vector<double> there = list(copy.state());
  copy.load(bytes);
  ASSERT_TRUE(copy.step());
  EXPECT_EQ(list(copy.state()), there);
  EXPECT_THROW(stepper.set("m2", 1), InputError);
  stepper.parameters()[1] = 1;
  EXPECT_FALSE(stepper.step());
  EXPECT_NE(stepper.failure().find("'m2' stays 0"), std::string::npos) << stepper.failure();
  Stepper other = compile(find_method("lobatto_c(4)"), stepper.equations(), {.step = 0.01});
  EXPECT_THROW(other.load(bytes), InputError) << "its equations are others";
  stepper.restart();
  ASSERT_TRUE(stepper.steps(10));
  EXPECT_EQ(list(stepper.state()), usual);
  EXPECT_THROW(stepper.restart({{"m1", 0}}), InputError) << "it is not open";
}

TEST(Stepper, MembersWithoutAMassAreRunToo) {
  const Model model = read_model_text(two_springs);
  const Method method = find_method("lobatto_c(4)");
  const std::vector<Values> values = {{{"m2", 0.5}}, {{"m2", 0}}, {{"m2", 0}, {"k", 5}}, {{"m2", 0}, {"x1", 0.6}}};
  Stepper stepper = compile(method, derive(model, {.inputs = {"m2", "k"}}), {.step = 0.01});
  for (const bool restarted : {false, true}) {
    if (restarted) stepper.restart({{"m2", 0}});
    const std::vector<Member> members = sweep(stepper, values, {.end = 1});
    for (const Member& member : members) ASSERT_EQ(member.failure, "");
    EXPECT_GT(std::abs(members[0].report.y[0] - place_without_mass(1)), 1e-3);
    EXPECT_NEAR(members[1].report.y[0], place_without_mass(1), 1e-9);
    EXPECT_NEAR(members[2].report.y[0], place_without_mass(1, 5), 1e-9);
    EXPECT_NEAR(members[3].report.y[0], members[3].report.initial.y[0] / 0.3 * place_without_mass(1), 1e-9);
    EXPECT_NEAR(members[3].report.initial.y[0], 0.6, 1e-6);
    EXPECT_EQ(members[2].report.parameters[1].values[0], 0);
  }
  EnsembleOptions options;
  options.axes = {{"m2", {0.5, 0}}, {"k", {4, 5}}};
  options.columns = {"q.x1"};
  options.run.end = 1;
  options.run.step = 0.01;
  const Ensemble all = ensemble(model, method, options);
  ASSERT_EQ(all.rows.size(), 4u);
  EXPECT_EQ(all.failed, 0u);
  EXPECT_NEAR(std::get<double>(all.rows[2].cells[0]), place_without_mass(1), 1e-9);
  EXPECT_NEAR(std::get<double>(all.rows[3].cells[0]), place_without_mass(1, 5), 1e-9);
}

TEST(Stepper, ACopyKnowsWhyAStepFailed) {
  Stepper far = compile(find_method("lobatto(3)"), derive(read_model(gallery("double_pendulum"))), {.step = 0.01});
  ASSERT_TRUE(far.steps(5));
  far.set_step(1e6);
  if (far.step()) GTEST_FAIL() << "a step of 1e6 was made";
  EXPECT_EQ(Stepper(far).failure(), far.failure());
}

TEST(Stepper, MembersOfASweepAreTheSingleRuns) {
  const Model model = read_model(gallery("double_pendulum"));
  const Stepper stepper = compile(find_method("lobatto(3)"), derive(model, {.inputs = {"m2", "l1"}}), {.step = 0.01});
  std::vector<Values> values;
  for (int i = 0; i < 20; ++i) values.push_back({{"m2", 0.5 + 0.1 * i}, {"l1", 1 + 0.05 * i}, {"y1'", 0.1 * i}});
  const std::vector<Member> members = sweep(stepper, values, {.end = 1});
  ASSERT_EQ(members.size(), values.size());
  for (const Member& member : members) {
    ASSERT_EQ(member.failure, "");
    std::vector<std::string> set;
    for (const auto& [name, value] : member.values) set.push_back(name + "=" + to_text(value));
    const Model folded = read_model(gallery("double_pendulum"), set);
    const alembert::Run alone =
        simulate(compile(find_method("lobatto(3)"), derive(folded), {.step = 0.01}), {.end = 1});
    for (std::size_t i = 0; i < alone.report.y.size(); ++i) EXPECT_NEAR(member.report.y[i], alone.report.y[i], 1e-12);
  }
}

// Starts that fail and say why, and motions that ask for other code, beside others that do neither.
TEST(Stepper, MembersThatFailOrAreCompiledAnewDisturbNoOthers) {
  const Model model = read_model_text(
      "parameter s = 1, b = 1\ncoordinate x, y, w\nkinetic (x'^2 + y'^2 + w'^2)/2\npotential 9.81*y + log(b)*w\n"
      "constraint rod: x^2 + y^2 = 1\nconstraint second: x^2 + y^2 + s*w = 1\ninitial x = 1\n");
  CompileOptions options{.step = 0.01};
  options.newton.kernel.backend = Backend::interpreter;
  const Stepper stepper = compile(find_method("gauss(2)"), derive(model, {.inputs = {"s", "b"}}), options);
  std::vector<Values> values;
  for (int i = 0; i < 48; ++i) {
    if (i % 3 == 0) values.push_back({{"s", 0}, {"b", 1 + 0.1 * i}});  // the second follows from the first
    else if (i % 3 == 1) values.push_back({{"b", -1 - i}});
    else values.push_back({{"s", 1 + 0.1 * i}});
  }
  const std::vector<Member> together = sweep(stepper, values, {.end = 0.1});
  for (std::size_t i = 0; i < values.size(); ++i) {
    const Member alone = sweep(stepper, {values[i]}, {.end = 0.1}).front();
    EXPECT_EQ(together[i].failure, alone.failure) << i;
    EXPECT_EQ(together[i].report.y, alone.report.y) << i;
    EXPECT_EQ(together[i].report.initial.redundant.size(), i % 3 == 0 ? 1u : 0u) << i;
    EXPECT_EQ(together[i].failure.find("is not finite at the start") != std::string::npos, i % 3 == 1) << i;
  }
}

// An input of a port-Hamiltonian system that stays open is a number from outside, written between steps.
TEST(Stepper, AnOpenInputOfAPortIsThatOfTheFoldedModel) {
  const auto text = [](const std::string& input) {
    return "parameter k = 4, d = 0.3\nstate q = 1, p\nstructure J(q, p) = 1\ndissipation R(p, p) = d\n"
           "port B(p, u) = 1\ninput u = " +
           input + "\noutput speed of u\nhamiltonian p^2/2 + k*q^2/2\n";
  };
  const CompileOptions options{.step = 0.05};
  for (const std::string name : {"gauss_collocation(2)", "discrete_gradient"}) {
    const Method method = find_method(name);
    Stepper open = compile(method, derive(read_model_text(text("sin(t)")), {.inputs = {"u"}}), options);
    EXPECT_EQ(open.equations().inputs(), std::vector<std::string>{"u"});
    for (const double force : {0.0, 1.5, -2.0}) {
      open.restart({{"u", force}});
      Stepper folded = compile(method, derive(read_model_text(text(to_text(force)))), options);
      ASSERT_TRUE(open.steps(40));
      ASSERT_TRUE(folded.steps(40));
      for (std::size_t i = 0; i < open.state().size(); ++i)
        EXPECT_NEAR(open.state()[i], folded.state()[i], 1e-13) << name << ", u = " << force;
    }
    // A force that changes: q'' + d q' + k q = u with u = k q + d q' is q'' = 0.
    Stepper free = open;
    free.restart({{"u", 0}, {"p", 1}});
    const double h = 1e-3;
    free.set_step(h);
    for (int i = 0; i < 1000; ++i) {
      free.set("u", 4 * free.value("q") + 0.3 * free.value("p"));
      ASSERT_TRUE(free.step());
    }
    EXPECT_NEAR(free.value("q"), 2, 10 * h);
  }
}

TEST(ModelBuilder, BuildsWhatTextSays) {
  ModelBuilder b("Pendulum");
  const Expr m = b.parameter("m", 2), l = b.parameter("l", m / 4);
  const Expr x = b.coordinate("x", l), y = b.coordinate("y");
  b.kinetic(m / 2 * (pow(b.rate(x), 2) + pow(b.rate(y), 2)));
  b.potential(m * 9.81 * y);
  b.constraint("rod", x * x + y * y - l * l);
  b.invariant("twice", 2 * b.rate(x));
  b.solve("lobatto(3)", 0.01, 1);
  const Model built = b.model();
  EXPECT_EQ(built.title(), "Pendulum");
  EXPECT_EQ(built.states(), (std::vector<std::string>{"x", "y", "x'", "y'"}));
  EXPECT_EQ(built.method(), "lobatto(3)");
  const alembert::Run run = simulate(compile(method_of(built), derive(built)), {.end = *built.end()});
  const Model read = read_model_text(
      "parameter m = 2, l = m/4\ncoordinate x, y\nkinetic m/2*(x'^2 + y'^2)\npotential m*9.81*y\n"
      "constraint rod: x^2 + y^2 = l^2\ninitial x = l\n");
  const alembert::Run other = simulate(compile(find_method("rattle"), derive(read), {.step = 0.001}), {.end = 1});
  EXPECT_LT(run.report.position, 1e-14);
  EXPECT_NEAR(run.report.y[0], other.report.y[0], 1e-3);
  EXPECT_THROW(b.rate(m), InputError);
}

}  // namespace
}  // namespace alembert
