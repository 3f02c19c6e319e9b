// Units: read, checked where they are given, and carried to parameters, columns and plots.

#include "alembert/model/units.h"

#include <gtest/gtest.h>

#include "alembert/model/model.h"
#include "alembert/trajectory.h"
#include "apps/program.h"

namespace alembert::internal {
namespace {

TEST(Units, AreProductsOfPowers) {
  const auto unit = [](const char* text) { return read_unit(text).unit.value(); };
  EXPECT_EQ(unit("N*m"), unit("J"));
  EXPECT_EQ(unit("kg*m^2/s^2"), unit("J"));
  EXPECT_EQ(unit("m/s^2"), unit("m s^-2"));
  EXPECT_EQ(unit("1/s"), unit("Hz"));
  EXPECT_EQ(unit("rad/s"), unit("1/s"));
  EXPECT_FALSE(unit("cm") == unit("m"));
  EXPECT_NEAR(unit("cm").scale, 0.01, 1e-17);
  EXPECT_EQ(unit("mm").powers, unit("m").powers);
  EXPECT_EQ(unit("px").powers.count("px"), 1u) << "a word that no table knows is a unit of its own";
  EXPECT_EQ(unit("N/(m*s)"), unit("N/m/s"));
  EXPECT_EQ(unit("(m/s)^2"), unit("m^2 s^-2"));
  EXPECT_EQ(unit("m^0.5"), unit("(m)^0.5"));
  EXPECT_EQ(read_unit(unit("kg/(m*s)").text().substr(1, 8)).unit, unit("kg/(m*s)")) << "what is printed can be read";
  for (const char* text : {"m//s", "*m", "m^", "m^x", "m^-", "m^1e999", "m^999", "3+4", "m/", "(m", "m)", "()", "m1"})
    EXPECT_FALSE(read_unit(text).unit) << text;
  EXPECT_EQ(unit("kg*m/s^2").text(), "'kg*m/s^2'");
}

/// A word that looks like a unit is no unit of its own.
TEST(Units, KnowWhatWasMeant) {
  const std::pair<const char*, const char*> meant[] = {
      {"kgg", "kg"},   {"Kg", "kg"},   {"Nm", "N*m"},      {"kNm", "kN*m"},    {"newton", "N"},
      {"Meters", "m"}, {"sec", "s"},   {"hz", "Hz"},       {"radians", "rad"}, {"raad", "rad"},
      {"degr", "deg"}, {"ohm", "Ohm"}, {"m/s*kgg^2", "kg"}};
  for (const auto& [text, sign] : meant) {
    const UnitText read = read_unit(text);
    EXPECT_FALSE(read.unit) << text;
    EXPECT_NE(read.hint.find("did you mean '" + std::string(sign) + "'?"), std::string::npos) << text << read.hint;
  }
  for (const char* text : {"px", "EUR", "steps", "veh/h", "pulses", "mg", "kPa", "um", "GHz"})
    EXPECT_TRUE(read_unit(text).unit) << text << read_unit(text).hint;
}

std::string wrong_units(const std::string& text) {
  try {
    read_model(std::make_shared<const Source>(Source{"m.alm", text}));
  } catch (const InputError& error) { return error.diagnostics().at(0).message; }
  return "";
}

const std::string spring =
    "parameter m = 3 \"kg\", k = 20 \"N/m\", g = 9.81 \"m/s^2\", l = 1 \"m\"\ncoordinate x \"m\"\nkinetic m/2*x'^2\n";

TEST(Units, ThatFitAreFine) {
  EXPECT_EQ(wrong_units(spring + "potential k/2*(x - l)^2 + m*g*x\nforce x = -sqrt(k*m)*x' + m*g*sin(x/l)\n"), "");
  EXPECT_EQ(wrong_units(spring + "parameter c = 2\npotential c*x + k/2*max(x - 0.5, 0)^2\n"), "")
      << "numbers and what has no unit fit everything";
  EXPECT_EQ(wrong_units(spring + "potential k/2*x^2\nforce x = k*l*cos(7*t) + k*l*sin(2*t - 1)\nobserve s: x + 2*t\n"),
            "")
      << "nobody gave the unit of a number times the time";
  EXPECT_EQ(wrong_units(spring + "potential k/2*x^2\nobserve f: if(x > l, k*x, 0) + 3\n"), "");
}

TEST(Units, ValuesOfATableFitEverything) {
  for (const char* kind : {"linear", "spline", "monotone"})
    EXPECT_EQ(wrong_units(spring + "table road(s) = (0, 0), (1, 2), (2, 1), (4, 3) " + kind +
                          "\npotential k/2*(x - road(x))^2\nobserve r: road(x) + x\nobserve w: road(t) + x'\n"
                          "force x = -road(t)*x' - (1 + road(x))*k*x\n"),
              "")
        << kind << ": nobody gave the unit of its values, which may be that of a factor, too";
}

TEST(Units, OfWhatIsSetMustFitToo) {
  const std::string model = spring + "parameter T = 2 \"s\", J = 3 \"N*m\"\npotential k/2*x^2\n";
  EXPECT_EQ(wrong_units(model + "force x = k*l\nevent e: x = l\nwhen e: x = 2*l, x' = -x'\ninitial x = l/2\n"
                                "variable z = 0 \"m\"\nrate z' = x'\n"),
            "");
  const std::string unfit = "the units do not fit: this is ";
  EXPECT_EQ(wrong_units(model + "force x = J\n"), unfit + "'kg*m^2/s^2', and must be 'kg*m/s^2'");
  EXPECT_EQ(wrong_units(model + "variable z = 0 \"m\"\nrate z' = x\n"), unfit + "'m', and must be 'm/s'");
  EXPECT_EQ(wrong_units(model + "initial x' = T\n"), unfit + "'s', and must be 'm/s'");
  EXPECT_EQ(wrong_units(model + "coordinate y = T \"m\"\nkinetic m/2*y'^2\n"), unfit + "'s', and must be 'm'");
  EXPECT_EQ(wrong_units(model + "event e: x = l\nwhen e: x = T\n"), unfit + "'s', and must be 'm'");
  EXPECT_EQ(wrong_units(model + "event e: x = T\n"), "the units do not fit: 'm' and 's' do not fit");
}

TEST(Units, ThatDoNotFitAreNamed) {
  EXPECT_EQ(wrong_units(spring + "potential k/2*x^2 + m*g\n"),
            "the units do not fit: 'kg*m^2/s^2' and 'kg*m/s^2' do not fit");
  EXPECT_EQ(wrong_units(spring + "potential k*x\n"),
            "the units do not fit: this energy is 'kg*m/s^2', another 'kg*m^2/s^2'");
  EXPECT_EQ(wrong_units(spring + "potential m*g*l*cos(x)\n"), "the units do not fit: cos takes a number, not 'm'");
  EXPECT_EQ(wrong_units(spring + "potential k/2*x^2\nforce x = k*l*cos(t*l)\n"),
            "the units do not fit: cos takes a number, not 'm*s'");
  EXPECT_EQ(wrong_units(spring + "parameter b = 10 \"cm\"\npotential k/2*(x - b)^2\n"),
            "the units do not fit: 'm' and '0.01 m' do not fit");
  EXPECT_EQ(wrong_units(spring + "potential k/2*x^2\nforce x = if(x > k, 1, 0)\n").substr(0, 23),
            "the units do not fit: '");
  EXPECT_EQ(wrong_units(spring + "potential k/2*x^2\nparameter w = 1 \"m//s\"\n"), "'m//s' is no unit");
}

TEST(Units, AreCarriedToFiles) {
  const apps_test::Folder folder;
  const std::string model = spring +
                            "potential k/2*x^2\nobserve pull: k*x\nobserve bare: 2*x/l\n"
                            "solve gauss(2) step 0.1 end 1\n";
  for (const char* name : {"a.json", "a.h5"}) {
    const std::string path = folder / name;
    ASSERT_EQ(apps_test::program({"run", "-", "--out", path, "-q"}, model).code, 0);
    const Trajectory trajectory = read_trajectory(path);
    ASSERT_EQ(trajectory.columns.units.size(), trajectory.columns.names.size()) << name;
    EXPECT_EQ(trajectory.columns.units[1], "m");
    EXPECT_EQ(trajectory.columns.units[2], "m/s");
    const auto unit_of = [&](const std::string& column) {
      const auto& names = trajectory.columns.names;
      return trajectory.columns.units.at(
          static_cast<std::size_t>(std::find(names.begin(), names.end(), column) - names.begin()));
    };
    EXPECT_EQ(unit_of("t"), "s");
    EXPECT_EQ(unit_of("energy"), "J");
    EXPECT_EQ(unit_of("pull"), "N");
    EXPECT_EQ(unit_of("bare"), "1");
    EXPECT_EQ(trajectory.run.parameters.at(1).unit, "N/m");
    EXPECT_EQ(trajectory.run.parameters.at(1).values.at(0), 20);
  }
  const std::string figure = folder / "a.svg";
  ASSERT_EQ(apps_test::program({"run", "-", "--plot", figure, "-q"}, model).code, 0);
  EXPECT_NE(apps_test::file_text(figure).find("x [m]"), std::string::npos);
}

TEST(Units, OfBodiesAndWhatTheyMakeAreCarried) {
  const apps_test::Folder folder;
  const std::string model =
      "parameter m = 2 \"kg\", l = 1 \"m\", g = 9.81 \"m/s^2\", k = 100 \"N/m\", J = 0.1 \"kg*m^2\", T = 3 \"N*m\"\n"
      "body arm mass m inertia (J, J, J) at (0, 0, -l/2)\ngravity (0, 0, -g)\n"
      "joint revolute hinge from ground axis (1, 0, 0) to arm point (0, 0, l/2)\n"
      "spring s from ground point (0, l, 0) to arm stiffness k length l/2\n"
      "drive motor joint hinge torque T\nload wind on arm point (0, 0, l/4) force (0, m*g/10, 0)\n"
      "contact floor: arm.r[3] + 3*l >= 0\n"
      "observe pull: s.force\nobserve tip: arm.point(0, 0, -l/2)\nobserve bearing: hinge.force\n"
      "observe bend: hinge.moment\nobserve turning: arm.omega\nobserve effort: motor.torque\n"
      "conserve height: arm.r[3]\nsolve lobatto(3) step 0.01 end 0.02\n";
  const std::string path = folder / "a.json";
  const apps_test::Outcome outcome = apps_test::program({"run", "-", "--out", path, "-q"}, model);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  const Trajectory trajectory = read_trajectory(path);
  const auto unit_of = [&](const std::string& column) {
    const auto& names = trajectory.columns.names;
    const auto found = std::find(names.begin(), names.end(), column);
    return found == names.end() ? "no column " + column
                                : trajectory.columns.units.at(static_cast<std::size_t>(found - names.begin()));
  };
  const std::pair<const char*, const char*> expected[] = {
      {"arm.r[1]", "m"},   {"arm.r[3]'", "m/s"}, {"arm.e[1]", ""},      {"pull", "N"},   {"tip[3]", "m"},
      {"bearing[2]", "N"}, {"bend[2]", "J"},     {"turning[1]", "1/s"}, {"effort", "J"}, {"height", "m"},
      {"energy", "J"},     {"floor.gap", "m"},   {"floor.force", "N"}};
  for (const auto& [column, unit] : expected) EXPECT_EQ(unit_of(column), unit) << column;
}

TEST(Units, OfPlanarBodiesAreCarriedToTheReport) {
  const Model model = read_model(std::make_shared<const Source>(
      Source{"m.alm", "parameter l = 1 \"m\"\nbody disk planar mass 2 inertia 3 at (l, 0)\n"}));
  ASSERT_EQ(model.coordinates.size(), 2u);
  EXPECT_EQ(model.coordinates[0].unit, "m");
  EXPECT_EQ(model.coordinates[1].unit, "rad");
}

TEST(Units, OfElementsAreCheckedOnlyWhereTheyAreGiven) {
  EXPECT_EQ(wrong_units("parameter l = 1 \"m\"\nbody arm mass 2 inertia (1, 2, 2) at (0, 0, l)\n"
                        "spring s from ground to arm stiffness 3 length 0.5 damping 2\ngravity (0, 0, -9.81)\n"
                        "load w on arm force (1, 0, 0) point (0, 0, 0.1)\nobserve f: s.force\n"),
            "");
  EXPECT_EQ(wrong_units("parameter m = 1 \"kg\"\nbody arm mass m inertia (1, 2, 2) at (0, 0, 1)\n"
                        "potential 3*arm.r[3]^2\n"),
            "");
}

}  // namespace
}  // namespace alembert::internal
