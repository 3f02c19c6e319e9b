// Steps a second on a GPU, one motion a thread, and beside it RATTLE for the double pendulum as one would write it by
// hand. Run in the root of the tree (see gpu.sh). Words: members=1000000 steps=2000 of each, case=0 (one of the table
// alone), rows=, blocks=, shared= (what the program and its text may vary), careful=1 (the whole Newton matrix),
// energy=0 (constraints alone are watched), lean=0 (more is kept),
// write=FOLDER (the texts alone, where there is no GPU), text=FILE (another text for the case). Says how far the
// results are from the same program on the CPU after the first steps, and the largest residuals of all members.

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>

#include "alembert/code/c_source.h"
#include "alembert/code/gpu.h"
#include "alembert/run/engine_program.h"
#include "alembert/run/simulate.h"
#include "hand_written.h"

namespace alembert::internal {

namespace {

// Members that are begun on the CPU; the others are copies of them, which cost the same.
constexpr std::size_t distinct = 512;
// A chaotic motion forgets its start; until here rounding has not grown much.
constexpr long compared_steps = 1000;

struct Case {
  const char* model;
  const char* parameter;
  const char* method;
  double h;
};
constexpr Case cases[] = {
    {"double_pendulum", "m1", "lobatto(2)", 0.001}, {"double_pendulum", "m1", "lobatto(3)", 0.005},
    {"double_pendulum", "m1", "gauss(2)", 0.005},   {"heavy_top", "m", "lobatto(2)", 0.001},
    {"heavy_top", "m", "lobatto(3)", 0.002},        {"rolling_disk", "m", "lobatto(2)", 0.01}};

struct Wishes {
  std::size_t members = 1'000'000;
  long steps = 2000;
  int rows = 4, only = -1;
  bool careful = false, energy = true, lean = true;
  CudaChoice choice;
  std::string folder, text;
};

std::string read_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write(const Wishes& wishes, const std::string& name, const std::string& text) {
  std::ofstream(wishes.folder + "/" + name + ".cu") << text;
}

// Multipliers are predicted from three steps, and Newton's method has a new matrix in every iteration.
constexpr const char* rival = R"(
extern "C" __global__ void __launch_bounds__(64) run(double* v, const double* p, long long count, long long times) {
  const long long k = blockIdx.x * (long long)blockDim.x + threadIdx.x;
  if (k >= count) return;
  const double h = 0.001, g = 9.81, m2 = 1, m1 = p[k];
  double x1 = v[k], y1 = v[count + k], x2 = v[2 * count + k], y2 = v[3 * count + k];
  double u1 = v[4 * count + k], w1 = v[5 * count + k], u2 = v[6 * count + k], w2 = v[7 * count + k];
  double a1 = v[8 * count + k], a2 = v[9 * count + k], b1 = a1, b2 = a2, c1 = a1, c2 = a2;
  const double k1 = h * h / m1, k2 = h * h / m2, fall = h * h * g / 2, i1 = 1 / m1, i2 = 1 / m2, ih = 1 / h;
  for (; times > 0; --times) {
    const double dx = x2 - x1, dy = y2 - y1;
    double l1 = 3 * (a1 - b1) + c1, l2 = 3 * (a2 - b2) + c2;
    double px, py, qx, qy, ex, ey;
    for (int i = 0; i < 8; ++i) {
      px = x1 + h * u1 + k1 * (l2 * dx - l1 * x1);
      py = y1 + h * w1 + k1 * (l2 * dy - l1 * y1) - fall;
      qx = x2 + h * u2 - k2 * (l2 * dx);
      qy = y2 + h * w2 - k2 * (l2 * dy) - fall;
      ex = qx - px;
      ey = qy - py;
      const double r1 = px * px + py * py - 1, r2 = ex * ex + ey * ey - 1;
      const double j11 = -2 * k1 * (px * x1 + py * y1), j12 = 2 * k1 * (px * dx + py * dy);
      const double j21 = 2 * k1 * (ex * x1 + ey * y1), j22 = -2 * (k1 + k2) * (ex * dx + ey * dy);
      const double inverse = 1 / (j11 * j22 - j12 * j21);
      const double d1 = (r1 * j22 - r2 * j12) * inverse, d2 = (r2 * j11 - r1 * j21) * inverse;
      l1 -= d1;
      l2 -= d2;
      if (!((fabs(d1) + fabs(d2)) * (h * h) > 1e-15)) break;
    }
    px = x1 + h * u1 + k1 * (l2 * dx - l1 * x1);
    py = y1 + h * w1 + k1 * (l2 * dy - l1 * y1) - fall;
    qx = x2 + h * u2 - k2 * (l2 * dx);
    qy = y2 + h * w2 - k2 * (l2 * dy) - fall;
    ex = qx - px;
    ey = qy - py;
    u1 = (px - x1) * ih;
    w1 = (py - y1) * ih - h * g / 2;
    u2 = (qx - x2) * ih;
    w2 = (qy - y2) * ih - h * g / 2;
    const double s1 = px * u1 + py * w1, s2 = ex * (u2 - u1) + ey * (w2 - w1);
    const double m11 = (px * px + py * py) * i1, m12 = -(px * ex + py * ey) * i1;
    const double m22 = (ex * ex + ey * ey) * (i1 + i2), inverse = 1 / (m11 * m22 - m12 * m12);
    const double n1 = (s1 * m22 - s2 * m12) * inverse, n2 = (s2 * m11 - s1 * m12) * inverse;
    u1 -= (n1 * px - n2 * ex) * i1;
    w1 -= (n1 * py - n2 * ey) * i1;
    u2 -= n2 * ex * i2;
    w2 -= n2 * ey * i2;
    x1 = px, y1 = py, x2 = qx, y2 = qy;
    c1 = b1, c2 = b2, b1 = a1, b2 = a2, a1 = l1, a2 = l2;
  }
  v[k] = x1, v[count + k] = y1, v[2 * count + k] = x2, v[3 * count + k] = y2;
  v[4 * count + k] = u1, v[5 * count + k] = w1, v[6 * count + k] = u2, v[7 * count + k] = w2;
}
)";

void measure_rival(const Wishes& wishes) {
  if (!wishes.folder.empty()) return write(wishes, "rival", rival);
  constexpr int variables = 10;
  constexpr double h = 0.001;
  GpuProgram gpu(rival, variables, 1);
  const std::size_t members = std::min(wishes.members, gpu.most_runs());
  std::vector<double> v(variables * members), table(members);
  const auto mass = [](std::size_t k) { return 3 * (1 + 0.2 * static_cast<double>(k) / distinct); };
  for (std::size_t m = 0; m < members; ++m) {
    table[m] = mass(m % distinct);
    const auto start = bench::DoublePendulum::at_angles(table[m], 1, 9.81, 0.6, 0.8);
    for (std::size_t i = 0; i < 4; ++i) v[i * members + m] = start.q[i];
    v[8 * members + m] = 20;
    v[9 * members + m] = 5;
  }
  const double seconds = gpu.run(v.data(), table.data(), members, wishes.steps);
  bench::HandRattle cpu(bench::DoublePendulum::at_angles(mass(0), 1, 9.81, 0.6, 0.8), h);
  for (long n = 0; n < wishes.steps; ++n) cpu.step();
  double residual = 0, apart = 0;
  for (std::size_t m = 0; m < members; ++m) {
    bench::DoublePendulum one;
    for (std::size_t i = 0; i < 4; ++i) one.q[i] = v[i * members + m];
    residual = std::max(residual, one.constraint());
  }
  for (std::size_t i = 0; i < 4; ++i) apart = std::max(apart, std::abs(v[i * members] - cpu.pendulum().q[i]));
  fmt::print("double pendulum, RATTLE by hand: {:.3g} steps a second; |g| {:.1e}; {:.1e} from the CPU at t = {}\n",
             static_cast<double>(members) * static_cast<double>(wishes.steps) / seconds, residual, apart,
             static_cast<double>(wishes.steps) * h);
}

/// Members of one case, ready for their first steps, in the layout of the device.
struct Members {
  std::vector<double> start, table;
  std::vector<std::vector<double>> expected;  // of every 16th, on the CPU
};

Members begin_members(const Case& one, Engine& engine, const StepProgram& step, std::size_t members) {
  const auto kept = static_cast<std::size_t>(step.program.scratch);
  const auto used = static_cast<std::size_t>(step.program.parameters);
  Members all;
  all.start.resize(kept * distinct);
  all.table.resize(used * members);
  std::vector<double> own(step.program.variables);
  ProgramInterpreter cpu(step.program);
  const double usual = engine.parameters[0];
  for (std::size_t k = 0; k < distinct; ++k) {
    const double value = usual * (1 + 0.2 * static_cast<double>(k) / distinct);
    if (!engine.begin({{one.parameter, value}})) throw std::runtime_error("a member that does not begin");
    begin_program(engine, step, static_cast<double>(compared_steps), own.data());
    for (std::size_t i = 0; i < kept; ++i) all.start[i * distinct + k] = own[i];
    for (std::size_t m = k; m < members; m += distinct)
      for (std::size_t i = 0; i < used; ++i) all.table[i * members + m] = engine.parameters[i];
    if (k % 16 != 0) continue;
    for (long n = 0; n < compared_steps; ++n) cpu.run(own.data(), engine.parameters.data());
    all.expected.push_back(own);
  }
  return all;
}

void measure(const Case& one, const Wishes& wishes) {
  const Model model = read_model(std::string("models/") + one.model + ".alm");
  const Equations equations = derive(model, {.inputs = {one.parameter}});
  EngineOptions options;
  options.step = one.h;
  options.newton.kernel.backend = Backend::interpreter;
  Engine engine(model, equations, find_method(one.method), options);
  const EngineProgram made = program_of(engine, {.rows = wishes.rows,
                                                 .reduce = true,
                                                 .own_matrix = wishes.careful,
                                                 .lean = wishes.lean,
                                                 .watch = true,
                                                 .energy = wishes.energy,
                                                 .locate = true});
  if (!made.step) {
    fmt::print("{:16} {:11} {}\n", one.model, one.method, made.why);
    return;
  }
  const StepProgram& step = *made.step;
  std::string source = cuda_source(step.program, step.left, step.status, wishes.choice);
  if (!wishes.text.empty()) source = read_text(wishes.text);
  if (!wishes.folder.empty()) return write(wishes, std::string(one.model) + "_" + one.method, source);
  const auto before = std::chrono::steady_clock::now();
  GpuProgram gpu(source, step.program.scratch, step.program.parameters);
  const double compiling = std::chrono::duration<double>(std::chrono::steady_clock::now() - before).count();
  const std::size_t members = std::min(wishes.members, gpu.most_runs());
  const Members all = begin_members(one, engine, step, members);
  const auto kept = static_cast<std::size_t>(step.program.scratch);
  std::vector<double> v(kept * members);
  const auto at = [&](int variable, std::size_t member) {
    return v[static_cast<std::size_t>(variable) * members + member];
  };
  const auto fill = [&](double count) {
    for (std::size_t i = 0; i < kept; ++i)
      for (std::size_t m = 0; m < members; ++m) v[i * members + m] = all.start[i * distinct + m % distinct];
    for (std::size_t m = 0; m < members; ++m) v[static_cast<std::size_t>(step.left) * members + m] = count;
  };
  fill(static_cast<double>(compared_steps));
  gpu.run(v.data(), all.table.data(), members, compared_steps);
  double apart = 0;
  std::size_t elsewhere = 0;  // left the program on one side, earlier than on the other
  for (std::size_t k = 0; k < all.expected.size() && 16 * k < members; ++k) {
    if (at(step.made, 16 * k) != all.expected[k][step.made]) {
      ++elsewhere;
      continue;
    }
    for (int i = step.state; i < step.state + step.states; ++i)
      apart = std::max(apart, std::abs(at(i, 16 * k) - all.expected[k][i]));
  }
  fill(static_cast<double>(wishes.steps));
  const double seconds = gpu.run(v.data(), all.table.data(), members, wishes.steps);
  double position = 0, velocity = 0, made_steps = 0;
  std::map<double, std::size_t> ended;
  for (std::size_t m = 0; m < members; ++m) {
    position = std::max(position, at(step.position, m));
    velocity = std::max(velocity, at(step.velocity, m));
    made_steps += at(step.made, m);
    if (at(step.status, m) != 0) ++ended[at(step.status, m)];
  }
  fmt::print(
      "{:16} {:11} {} members: {:.3g} steps a second, compiled in {:.1f} s; |g| {:.1e}, |g'| {:.1e}; {:.1e} "
      "from the CPU at t = {}",
      one.model, one.method, members, made_steps / seconds, compiling, position, velocity, apart,
      static_cast<double>(compared_steps) * one.h);
  if (elsewhere > 0) fmt::print(", where {} of {} left on one side alone", elsewhere, all.expected.size());
  for (const auto& [status, count] : ended) fmt::print("; {} ended early (status {})", count, status);
  fmt::print("\n");
}

Wishes wishes_of(int argc, char** argv) {
  Wishes wishes;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i], value = word.substr(std::min(word.size(), word.find('=') + 1));
    const auto is = [&](const char* name) { return word.starts_with(std::string(name) + "="); };
    if (is("members")) wishes.members = std::stoul(value);
    else if (is("steps")) wishes.steps = std::stol(value);
    else if (is("rows")) wishes.rows = std::stoi(value);
    else if (is("case")) wishes.only = std::stoi(value);
    else if (is("careful")) wishes.careful = value == "1";
    else if (is("lean")) wishes.lean = value == "1";
    else if (is("energy")) wishes.energy = value == "1";
    else if (is("blocks")) wishes.choice.blocks = std::stoi(value);
    else if (is("shared")) wishes.choice.shared = std::stoi(value);
    else if (is("text")) wishes.text = value;
    else if (is("write")) wishes.folder = value;
    else throw std::invalid_argument("unknown: " + word);
  }
  return wishes;
}

}  // namespace

int measure_all(int argc, char** argv) {
  const Wishes wishes = wishes_of(argc, argv);
  if (const std::string why = why_no_gpu(); wishes.folder.empty() && !why.empty()) {
    fmt::print(stderr, "{}\n", why);
    return 2;
  }
  if (wishes.only < 0 && wishes.folder.empty()) fmt::print("{}\n", gpu_name());
  if (wishes.only <= 0) measure_rival(wishes);
  for (int i = 0; i < static_cast<int>(std::size(cases)); ++i)
    if (wishes.only < 0 || wishes.only == i) measure(cases[i], wishes);
  return 0;
}

}  // namespace alembert::internal

int main(int argc, char** argv) { return alembert::internal::measure_all(argc, argv); }
