// The problems: references (computed in quadruple precision, or closed forms), what others published, and our runs.
// The same references are in tests/reference/benchmarks.json, where a test compares them.

#include <cmath>
#include <initializer_list>

#include "alembert/lab/benchmark.h"

namespace alembert::internal::benchmark {
namespace {

using Values = std::vector<double>;
using Point = MotionPoint<double>;

const char test_set[] = "Test Set for IVP Solvers 2.4 (2008); RADAU5 and MEBDFDAE: CWI Test Set 2.1 (1999)";

Values joined(Values a, const Values& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Values negated(Values values) {
  for (double& value : values) value = -value;
  return values;
}

Values positions(const Point& point) { return point.y; }
Values motion(const Point& point) { return joined(point.y, point.z); }

/// Runs of one method with so many equal steps each.
std::vector<Trial> equal(const std::string& method, double end, std::initializer_list<long> counts) {
  std::vector<Trial> trials;
  for (const long count : counts) trials.push_back({method, {{end, count}}});
  return trials;
}

std::vector<Trial> tolerances(const std::string& method, std::initializer_list<double> values) {
  std::vector<Trial> trials;
  for (const double value : values) trials.push_back({method, {}, value});
  return trials;
}

/// As a user runs a model who says nothing else.
std::vector<Trial> by_tolerance_alone() { return tolerances("auto", {1e-2, 1e-3, 1e-4, 1e-6, 1e-8, 1e-10}); }

std::vector<Trial> all(std::initializer_list<std::vector<Trial>> lists) {
  std::vector<Trial> trials;
  for (const std::vector<Trial>& list : lists) trials.insert(trials.end(), list.begin(), list.end());
  return trials;
}

Problem car_axis() {
  const double end = 3;
  Problem p{"car_axis", "Car axis", "car_axis", {}, end};
  p.counted = {{4.9345578427524092131526793e-02, 4.9698946023000810676293397e-01, 1.0417425248854261151947762e+00,
                3.7391102726536581935789770e-01, -7.7058368403592084283940558e-02, 7.4468665920684164914017532e-03,
                1.7556815753541736629740615e-02, 7.7034104377960106312064279e-01, -4.7368865908533265153134760e-03,
                -1.1046803312595658398606007e-03},
               // There the reaction is +G^T lambda.
               [](const Point& x) { return joined(motion(x), negated(x.lambda)); }};
  p.counts = "positions, velocities and multipliers";
  p.trials = all({equal("gauss(6)", end, {38, 70, 140}), equal("gauss(8)", end, {38, 50, 97}),
                  equal("gauss(10)", end, {20, 38, 60}), equal("lobatto(8)", end, {38, 60, 120}),
                  equal("radau(6)", end, {38, 80, 160}), equal("murua_ggl(6)", end, {38, 70, 140}),
                  tolerances("gauss(4)", {1e-4, 1e-7, 1e-11}), by_tolerance_alone()});
  p.published = {{"BIMD", 1e-4, 2.19, 0.34, 71, 1693, 71, 71, 0.0088},
                 {"BIMD", 1e-7, 5.47, 3.34, 138, 4511, 138, 138, 0.0224},
                 {"BIMD", 1e-10, 8.01, 5.35, 235, 9669, 235, 235, 0.0488},
                 {"GAMD", 1e-4, 1.98, 0.39, 39, 2169, 39, 39, 0.0088},
                 {"GAMD", 1e-7, 4.82, 2.64, 98, 7167, 98, 98, 0.0293},
                 {"GAMD", 1e-10, 6.50, 3.84, 179, 18771, 179, 179, 0.0742},
                 {"MEBDFI", 1e-4, 0.88, -0.23, 280, 1246, 27, 27, 0.0059},
                 {"MEBDFI", 1e-7, 4.65, 3.34, 650, 2797, 47, 47, 0.0137},
                 {"MEBDFI", 1e-10, 4.21, 2.08, 1393, 5624, 85, 85, 0.0264},
                 {"PSIDE", 1e-4, 0.83, -0.28, 55, 1403, 42, 220, 0.0098},
                 {"PSIDE", 1e-7, 4.41, 2.27, 179, 4103, 83, 464, 0.0273},
                 {"PSIDE", 1e-10, 7.25, 4.86, 625, 13751, 115, 964, 0.0869},
                 {"RADAU", 1e-4, 1.34, 0.19, 98, 850, 95, 98, 0.0039},
                 {"RADAU", 1e-7, 3.73, 2.51, 289, 2559, 282, 288, 0.0127},
                 {"RADAU", 1e-10, 5.99, 4.22, 179, 4281, 169, 179, 0.0166},
                 {"RADAU5", 1e-4, NAN, 0.19, 98, -1, -1, -1, 0.15},
                 {"RADAU5", 1e-7, NAN, 2.51, 289, -1, -1, -1, 0.46},
                 {"RADAU5", 1e-10, NAN, 3.15, 884, -1, -1, -1, 1.42},
                 {"MEBDFDAE", 1e-4, NAN, -0.50, 275},
                 {"MEBDFDAE", 1e-7, NAN, 1.59, 787},
                 {"MEBDFDAE", 1e-10, NAN, 4.42, 1717}};
  p.origin = test_set;
  return p;
}

const Values andrews_q{1.58107711951537070971194e+01,  -1.57563710584118394697278e+01, 4.08222401196458048582823e-02,
                       -5.34730116342079593770185e-01, 5.24409965879954069371656e-01,  5.34730116342079593770185e-01,
                       1.04808074104193787306852e+00};
const std::vector<Published> andrews_published{{"BIMD", 1e-4, 0.27, 3.05, 46, 1034, 41, 46, 0.0185},
                                               {"BIMD", 1e-7, 2.82, 5.38, 122, 2553, 122, 122, 0.0459},
                                               {"GAMD", 1e-4, 0.35, 2.82, 82, 2281, 58, 82, 0.0293},
                                               {"GAMD", 1e-7, 1.53, 4.54, 128, 5176, 116, 128, 0.0693},
                                               {"MEBDFI", 1e-4, -1.11, 0.37, 118, 466, 23, 23, 0.0078},
                                               {"MEBDFI", 1e-7, 1.25, 3.50, 300, 1222, 38, 38, 0.0195},
                                               {"PSIDE", 1e-4, 0.22, 2.95, 92, 1675, 52, 368, 0.0410},
                                               {"PSIDE", 1e-7, 2.10, 4.98, 113, 2637, 63, 428, 0.0615},
                                               {"RADAU", 1e-4, -0.84, 1.36, 96, 810, 54, 96, 0.0137},
                                               {"RADAU", 1e-7, 0.47, 4.45, 114, 1292, 90, 114, 0.0195},
                                               {"RADAU5", 1e-4, NAN, 1.36, 96, -1, -1, -1, 0.54},
                                               {"RADAU5", 1e-7, NAN, 4.46, 117, -1, -1, -1, 0.83},
                                               {"MEBDFDAE", 1e-4, NAN, -0.30, 149},
                                               {"MEBDFDAE", 1e-7, NAN, 3.01, 398}};

Problem andrews() {
  const double end = 0.03;
  Problem p{"andrews", "Andrews' squeezing mechanism", "andrews", {}, end};
  p.counted = {andrews_q, positions};
  p.counts = "the seven angles; mescd velocities and multipliers too (in the printed tables accelerations as well)";
  p.others = {{1.13992030225910606419810e+03, -1.42437929517754007319603e+03, 1.10329119106185937453273e+01,
               1.92933741050320408316276e+01, 5.73569914829502453817688e-01, -1.92933741050320408316276e+01,
               3.23179149249130874990748e-01, 1.99175348104538628186240e+02, -2.97553099749717633244157e+01,
               2.30665436116221511286174e+01, 3.14527252757711370753845e+01, 2.26424947863943785777129e+01,
               1.16173923526112559068015e+01},
              [](const Point& x) { return joined(x.z, x.lambda); }};
  p.trials = all({equal("gauss(4)", end, {40, 80, 160}), equal("gauss(6)", end, {30, 45, 80}),
                  equal("gauss(8)", end, {24, 40, 60}), equal("lobatto(6)", end, {40, 60, 120}),
                  equal("radau(5)", end, {30, 60, 120}), equal("murua_ggl(5)", end, {30, 60, 120}),
                  tolerances("gauss(4)", {1e-4, 1e-6, 1e-10}), by_tolerance_alone()});
  p.published = andrews_published;
  p.origin = test_set;
  return p;
}

/// K1 .. K7 are (x, y, angle) each; the angles of the formulas are those between neighbours.
Values andrews_angles(const Point& point) {
  const auto turned = [&](int body) { return point.y.at(3 * static_cast<std::size_t>(body) - 1); };
  return {turned(1), turned(2) - turned(1), turned(3), turned(4) - turned(5),
          turned(5), turned(6) - turned(7), turned(7)};
}

Problem andrews_bodies() {
  const double end = 0.03;
  Problem p{"andrews_bodies", "Andrews' squeezing mechanism from bodies and joints", "andrews_bodies", {}, end};
  p.counted = {andrews_q, andrews_angles};
  p.counts = "the seven angles of the formulas";
  p.trials = all({equal("gauss(4)", end, {45, 100, 200}), equal("gauss(6)", end, {60, 80, 120}),
                  equal("lobatto(6)", end, {44, 70, 140}), by_tolerance_alone()});
  p.published = andrews_published;
  p.origin = test_set;
  return p;
}

Problem fekete() {
  const double end = 1000;
  Problem p{"fekete", "Fekete points, N = 20", "fekete", {}, end};
  p.counted = {{-4.070263380331286902751e-01, 3.463758772817202920588e-01,  8.451942450020941200846e-01,
                7.752934752463821734689e-02,  -2.628662719949943380373e-01, 9.617122871835721374561e-01,
                7.100577833343151812471e-01,  1.212948055594352746451e-01,  6.936177005171202431631e-01,
                2.348267744564946387216e-01,  7.449277976935609187130e-01,  6.244509285938966181782e-01,
                -4.341114738772802476344e-01, 8.785430442272952774697e-01,  1.992720444215197065530e-01,
                -9.515059600310506560801e-01, 2.203508762803714561638e-01,  2.146669498266117893414e-01,
                -6.385191643616799731979e-01, -4.310833259367532277634e-01, 6.375425027730848451676e-01,
                -1.464175087926516931526e-01, -9.380871635219493379653e-01, 3.139337298767006455058e-01,
                5.666974065060515597492e-01,  -6.739221885071904212161e-01, 4.740073135480019682365e-01,
                9.843259538438373071415e-01,  -1.696995357833054358047e-01, -4.800504290541260601991e-02,
                1.464175087926516931526e-01,  9.380871635219493379653e-01,  -3.139337298767006455058e-01,
                -7.092757549971387256461e-01, 5.264062637136827722388e-01,  -4.688542938869596279411e-01,
                -8.665731819289951470208e-01, -4.813878059748724845115e-01, -1.315929352972841086633e-01,
                -2.347897778709711748965e-01, -8.594340408021291088702e-01, -4.541441287937391054822e-01,
                5.530976940065722976119e-01,  -7.674370265629660625767e-01, -3.242273140017747498760e-01,
                7.711050969904512853127e-01,  6.357041816568580840170e-01,  3.573685519643682962192e-02,
                7.103951209384287189866e-01,  2.403570431255891941736e-01,  -6.614886725914502691539e-01,
                -3.038208738657144933304e-02, 4.501923293619193963630e-01,  -8.924145871453042440968e-01,
                -5.772996158107086168664e-01, -1.766763414984148562541e-01, -7.971892020966815140646e-01,
                2.414481766967354748331e-01,  -3.416456818398067308088e-01, -9.082846503437320325044e-01},
               positions};
  p.counts = "the positions";
  p.accuracies = {2, 4, 10};
  // Gauss while the points move; once they hardly do, long steps of a method that damps.
  const std::string rest = "lobatto_c(3, ggl)";
  p.trials = {{"gauss(8)", {{40, 16}, {end, 6, rest}}, 0, true, true},
              {"gauss(6)", {{40, 20}, {end, 6, rest}}, 0, true, true},
              {"gauss(6)", {{45, 45}, {110, 9, rest}, {end, 6, rest}}, 0, true, true},
              {"gauss(3)", {{150, 600}, {end, 1700}}},
              {"gauss(4)", {{150, 400}, {end, 1700}}},
              {"gauss(6)", {{150, 400}, {end, 1700}}},
              {"radau(5)", {{150, 600}, {end, 1700}}}};
  p.trials = all({p.trials, tolerances("auto", {1e-2, 1e-3, 1e-4, 1e-6})});
  p.published = {{"BIMD", 1e-2, NAN, 2.63, 30},   {"BIMD", 1e-3, NAN, 4.19, 43},    {"BIMD", 1e-4, NAN, 5.33, 65},
                 {"GAMD", 1e-2, NAN, 2.99, 26},   {"GAMD", 1e-3, NAN, 3.78, 26},    {"GAMD", 1e-4, NAN, 4.45, 38},
                 {"MEBDFI", 1e-2, NAN, 2.10, 60}, {"MEBDFI", 1e-3, NAN, 3.23, 129}, {"MEBDFI", 1e-4, NAN, 4.81, 218},
                 {"PSIDE", 1e-2, NAN, 2.20, 73},  {"PSIDE", 1e-3, NAN, 3.19, 88},   {"PSIDE", 1e-4, NAN, 4.12, 114},
                 {"RADAU", 1e-2, NAN, 1.97, 33},  {"RADAU", 1e-3, NAN, 2.65, 43},   {"RADAU", 1e-4, NAN, 4.29, 61}};
  p.origin = test_set;
  return p;
}

Problem pendulum() {
  const double end = 10;
  Problem p{"pendulum", "Simple pendulum, A01", "simple_pendulum", {}, end};
  p.counted = {{-0.2750874625761168600543914, -0.9614192050991250642651351, 4.175598100951728836460520,
                -1.194749054560475271647513},
               motion};
  p.counts = "position and velocity";
  p.trials =
      all({equal("gauss(2)", end, {400, 2500}), equal("gauss(4)", end, {50, 120, 400}),
           equal("gauss(6)", end, {25, 40, 80}), equal("gauss(10)", end, {16, 18, 25}),
           equal("lobatto(6)", end, {40, 70, 140}), equal("radau(6)", end, {25, 45, 90}),
           equal("murua(6)", end, {25, 40, 80}), tolerances("gauss(4)", {1e-4, 1e-7, 1e-12}), by_tolerance_alone()});
  return p;
}

/// All cranks turn by the same angle theta from the vertical, theta'^2 = 1 + (2 W/I)(1 - cos theta).
Problem four_bars(int N, double end, double sine, double cosine, std::vector<Trial> trials) {
  Problem p{"four_bars_" + std::to_string(N),
            "N four-bars A02, N = " + std::to_string(N),
            "n_four_bar",
            {"N=" + std::to_string(N)},
            end};
  const double W = 9.81 * ((N + 1) / 2.0 + N), I = (N + 1) / 3.0 + N;
  const double rate = std::sqrt(1 + 2 * W / I * (1 - cosine));
  Values q, v;
  for (int i = 0; i <= N; ++i) {
    q = joined(q, {i + sine, cosine});
    v = joined(v, {rate * cosine, -rate * sine});
  }
  p.counted = {joined(q, v), motion};
  p.counts = "positions and velocities";
  p.singular = true;
  p.trials = std::move(trials);
  return p;
}

}  // namespace

std::vector<Problem> problems() {
  return {car_axis(),
          andrews(),
          andrews_bodies(),
          fekete(),
          pendulum(),
          four_bars(2, 10, 0.3284581115408153786521642, 0.9445185381786009621612854,
                    all({equal("gauss(4)", 10, {200, 500}), equal("gauss(8)", 10, {200, 250}),
                         equal("lobatto(7)", 10, {200}), equal("radau(6)", 10, {250})})),
          four_bars(40, 20, 0.4109011537629452221452456, 0.9116799009719806516314131,
                    all({equal("lobatto(7)", 20, {400}), equal("gauss(8)", 20, {400})}))};
}

}  // namespace alembert::internal::benchmark
