// IDA, CVODE and ARKODE, on the double pendulum by hand and on mechanisms. Without ALEMBERT_SUNDIALS there are none of
// them.

#include "rivals.h"

#ifdef ALEMBERT_SUNDIALS

#include <arkode/arkode_erkstep.h>
#include <cvode/cvode.h>
#include <cvode/cvode_proj.h>
#include <ida/ida.h>
#include <nvector/nvector_serial.h>
#include <sundials/sundials_context.h>
#include <sunlinsol/sunlinsol_dense.h>
#include <sunmatrix/sunmatrix_dense.h>

#include <algorithm>
#include <cmath>

#include "alembert/base/cpu_time.h"
#include "mechanism.h"

namespace alembert::bench {

namespace {

constexpr long most_steps = 50'000'000;

/// What a solver needs around it; freed in the right order.
class Setting {
 public:
  explicit Setting(long size) {
    SUNContext_Create(nullptr, &context);
    y = N_VNew_Serial(size, context);
    y_dot = N_VNew_Serial(size, context);
    matrix = SUNDenseMatrix(size, size, context);
    solver = SUNLinSol_Dense(y, matrix, context);
  }
  Setting(const Setting&) = delete;
  Setting& operator=(const Setting&) = delete;
  ~Setting() {
    SUNLinSolFree(solver);
    SUNMatDestroy(matrix);
    N_VDestroy(y_dot);
    N_VDestroy(y);
    SUNContext_Free(&context);
  }
  SUNContext context = nullptr;
  N_Vector y = nullptr, y_dot = nullptr;
  SUNMatrix matrix = nullptr;
  SUNLinearSolver solver = nullptr;
};

double* data_of(N_Vector v) { return N_VGetArrayPointer(v); }

struct Gradients {
  double ax, ay, bx, by;  // half the gradients of both rods
  explicit Gradients(const double* q) : ax(q[0]), ay(q[1]), bx(q[2] - q[0]), by(q[3] - q[1]) {}
};

/// Solves G M^-1 G^T x = r, G twice the rods.
void solve_multipliers(const DoublePendulum& p, const Gradients& g, double r1, double r2, double* x) {
  const double a11 = 4 * (g.ax * g.ax + g.ay * g.ay) / p.m1, a12 = -4 * (g.ax * g.bx + g.ay * g.by) / p.m1;
  const double a22 = 4 * (g.bx * g.bx + g.by * g.by) * (1 / p.m1 + 1 / p.m2);
  const double determinant = a11 * a22 - a12 * a12;
  x[0] = (r1 * a22 - r2 * a12) / determinant;
  x[1] = (r2 * a11 - r1 * a12) / determinant;
}

/// to = -M^-1 G^T l.
void reaction(const DoublePendulum& p, const Gradients& g, const double* l, double* to) {
  to[0] = -2 * (l[0] * g.ax - l[1] * g.bx) / p.m1;
  to[1] = -2 * (l[0] * g.ay - l[1] * g.by) / p.m1;
  to[2] = -2 * l[1] * g.bx / p.m2;
  to[3] = -2 * l[1] * g.by / p.m2;
}

/// The multipliers for which the constraints are kept: G v' = -2 (squares of the velocities of the rods).
void accelerations(const DoublePendulum& p, const double* q, const double* v, double* l, double* to) {
  const Gradients g(q);
  const double ux = v[2] - v[0], uy = v[3] - v[1];
  const double r1 = 2 * (v[0] * v[0] + v[1] * v[1]) - 2 * g.ay * p.gravity;
  const double r2 = 2 * (ux * ux + uy * uy);  // both masses fall alike
  solve_multipliers(p, g, r1, r2, l);
  reaction(p, g, l, to);
  to[1] -= p.gravity;
  to[3] -= p.gravity;
}

int right_side(double, N_Vector y, N_Vector y_dot, void* user) {
  const auto& p = *static_cast<const DoublePendulum*>(user);
  const double* from = data_of(y);
  double* to = data_of(y_dot);
  double l[2];
  for (int i = 0; i < 4; ++i) to[i] = from[4 + i];
  accelerations(p, from, from + 4, l, to + 4);
  return 0;
}

/// The nearest point of the constraints, by Newton, and velocities along them.
int project(double, N_Vector y, N_Vector correction, double, N_Vector error, void* user) {
  auto p = *static_cast<const DoublePendulum*>(user);
  const double* from = data_of(y);
  double* to = data_of(correction);
  for (int i = 0; i < 4; ++i) p.q[i] = from[i];
  for (int i = 0; i < 4; ++i) p.v[i] = from[4 + i];
  for (int iteration = 0; iteration < 10; ++iteration) {
    const Gradients g(p.q.data());
    const double r1 = g.ax * g.ax + g.ay * g.ay - 1, r2 = g.bx * g.bx + g.by * g.by - 1;
    if (std::abs(r1) + std::abs(r2) < 1e-15) break;
    double l[2], move[4];
    solve_multipliers(p, g, r1, r2, l);
    reaction(p, g, l, move);
    for (int i = 0; i < 4; ++i) p.q[i] += move[i];
  }
  p.project_velocities();
  for (int i = 0; i < 4; ++i) to[i] = p.q[i] - from[i];
  for (int i = 0; i < 4; ++i) to[4 + i] = p.v[i] - from[4 + i];
  static_cast<void>(error);
  return 0;
}

/// Both levels of the constraints, with a multiplier each (Gear, Gupta and Leimkuhler): index 2.
int stabilised(double, N_Vector y, N_Vector y_dot, N_Vector residual, void* user) {
  const auto& p = *static_cast<const DoublePendulum*>(user);
  const double *q = data_of(y), *v = q + 4, *lambda = q + 8, *mu = q + 10, *dot = data_of(y_dot);
  double *r = data_of(residual), force[4], move[4];
  const Gradients g(q);
  reaction(p, g, lambda, force);
  reaction(p, g, mu, move);
  for (int i = 0; i < 4; ++i) r[i] = dot[i] - v[i] - move[i];
  for (int i = 0; i < 4; ++i) r[4 + i] = dot[4 + i] - force[i] + (i % 2 == 1 ? p.gravity : 0);
  r[8] = g.ax * g.ax + g.ay * g.ay - 1;
  r[9] = g.bx * g.bx + g.by * g.by - 1;
  r[10] = g.ax * v[0] + g.ay * v[1];
  r[11] = g.bx * (v[2] - v[0]) + g.by * (v[3] - v[1]);
  return 0;
}

/// What the solvers integrate. Behind the state IDA has two multipliers for each constraint.
struct Task {
  CVRhsFn right_side;
  CVProjFn project;
  IDAResFn stabilised;
  void* user;
  std::vector<double> start, rates, lambda;  // at the start
  long states() const { return static_cast<long>(start.size()); }
};

std::optional<Integrated> ended(int flag, double begin, const Task& task, N_Vector y) {
  if (flag < 0) return std::nullopt;
  Integrated result;
  result.seconds = internal::thread_seconds() - begin;
  result.state.assign(data_of(y), data_of(y) + task.states());
  return result;
}

std::optional<Integrated> run_cvode(const Task& task, double t, double tolerance) {
  const Setting setting(task.states());
  std::copy(task.start.begin(), task.start.end(), data_of(setting.y));
  void* memory = CVodeCreate(CV_BDF, setting.context);
  CVodeInit(memory, task.right_side, 0, setting.y);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetUserData(memory, task.user);
  CVodeSetLinearSolver(memory, setting.solver, setting.matrix);
  CVodeSetProjFn(memory, task.project);
  CVodeSetErrFile(memory, nullptr);
  CVodeSetMaxNumSteps(memory, most_steps);
  CVodeSetStopTime(memory, t);
  const double begin = internal::thread_seconds();
  double reached = 0;
  const int flag = CVode(memory, t, setting.y, &reached, CV_NORMAL);
  const auto result = ended(flag, begin, task, setting.y);
  CVodeFree(&memory);
  return result;
}

std::optional<Integrated> run_arkode(const Task& task, double t, double tolerance) {
  const Setting setting(task.states());
  std::copy(task.start.begin(), task.start.end(), data_of(setting.y));
  void* memory = ERKStepCreate(task.right_side, 0, setting.y, setting.context);
  ERKStepSetTableNum(memory, ARKODE_FEHLBERG_13_7_8);
  ERKStepSStolerances(memory, tolerance, tolerance);
  ERKStepSetUserData(memory, task.user);
  ERKStepSetErrFile(memory, nullptr);
  ERKStepSetMaxNumSteps(memory, most_steps);
  ERKStepSetStopTime(memory, t);
  const double begin = internal::thread_seconds();
  double reached = 0;
  const int flag = ERKStepEvolve(memory, t, setting.y, &reached, ARK_NORMAL);
  const auto result = ended(flag, begin, task, setting.y);
  ERKStepFree(&memory);
  return result;
}

std::optional<Integrated> run_ida(const Task& task, double t, double tolerance) {
  const long states = task.states(), size = states + 2 * static_cast<long>(task.lambda.size());
  const Setting setting(size);
  N_VConst(0, setting.y);
  N_VConst(0, setting.y_dot);
  std::copy(task.start.begin(), task.start.end(), data_of(setting.y));
  std::copy(task.lambda.begin(), task.lambda.end(), data_of(setting.y) + states);
  std::copy(task.rates.begin(), task.rates.end(), data_of(setting.y_dot));
  N_Vector id = N_VClone(setting.y);
  for (long i = 0; i < size; ++i) data_of(id)[i] = i < states ? 1 : 0;
  void* memory = IDACreate(setting.context);
  IDAInit(memory, task.stabilised, 0, setting.y, setting.y_dot);
  // Multipliers are neither judged nor waited for: their error is that of the velocities divided by a step.
  double largest = 1;
  for (const double value : task.lambda) largest = std::max(largest, std::abs(value));
  N_Vector absolute = N_VClone(setting.y);
  for (long i = 0; i < size; ++i) data_of(absolute)[i] = i < states ? tolerance : largest;
  IDASVtolerances(memory, tolerance, absolute);
  IDASetErrFile(memory, nullptr);
  IDASetUserData(memory, task.user);
  IDASetId(memory, id);
  IDASetSuppressAlg(memory, SUNTRUE);
  IDASetLinearSolver(memory, setting.solver, setting.matrix);
  IDASetMaxNumSteps(memory, most_steps);
  IDASetStopTime(memory, t);
  const double begin = internal::thread_seconds();
  double reached = 0;
  const int flag = IDASolve(memory, t, &reached, setting.y, setting.y_dot, IDA_NORMAL);
  const auto result = ended(flag, begin, task, setting.y);
  IDAFree(&memory);
  N_VDestroy(absolute);
  N_VDestroy(id);
  return result;
}

Task task_of(DoublePendulum& p) {
  Task task{right_side, project, stabilised, &p, {p.q.begin(), p.q.end()}, {p.v.begin(), p.v.end()}, {0, 0}};
  task.start.insert(task.start.end(), p.v.begin(), p.v.end());
  task.rates.resize(8);
  accelerations(p, p.q.data(), p.v.data(), task.lambda.data(), task.rates.data() + 4);
  return task;
}

int right_side_of(double t, N_Vector y, N_Vector y_dot, void* user) {
  return static_cast<Mechanism*>(user)->rates(t, data_of(y), data_of(y_dot), nullptr) ? 0 : 1;
}

int project_onto(double t, N_Vector y, N_Vector correction, double, N_Vector, void* user) {
  auto& mechanism = *static_cast<Mechanism*>(user);
  const long states = N_VGetLength(y);
  double* const moved = data_of(correction);
  std::copy_n(data_of(y), states, moved);
  if (!mechanism.project(t, moved)) return 1;
  for (long i = 0; i < states; ++i) moved[i] -= data_of(y)[i];
  return 0;
}

int stabilised_of(double t, N_Vector y, N_Vector y_dot, N_Vector residual, void* user) {
  static_cast<Mechanism*>(user)->stabilised(t, data_of(y), data_of(y_dot), data_of(residual));
  return 0;
}

Task task_of(Mechanism& m) {
  Task task{right_side_of,
            project_onto,
            stabilised_of,
            &m,
            m.start(),
            std::vector<double>(m.start().size()),
            std::vector<double>(static_cast<std::size_t>(m.constraints()))};
  m.rates(0, task.start.data(), task.rates.data(), task.lambda.data());
  return task;
}

using Solver = std::optional<Integrated> (*)(const Task&, double, double);

template <Solver solver>
std::optional<Integrated> run_pendulum(const DoublePendulum& start, double t, double tolerance) {
  DoublePendulum p = start;
  return solver(task_of(p), t, tolerance);
}

template <Solver solver>
std::optional<Integrated> run_mechanism(Mechanism& mechanism, double t, double tolerance) {
  return solver(task_of(mechanism), t, tolerance);
}

constexpr char ida[] = "IDA, both levels of the constraints", cvode[] = "CVODE, BDF with projection",
               arkode[] = "ARKODE, ERK of order 8";

}  // namespace

std::vector<PendulumRival> sundials_rivals() {
  return {{ida, run_pendulum<run_ida>}, {cvode, run_pendulum<run_cvode>}, {arkode, run_pendulum<run_arkode>}};
}

std::vector<MechanismRival> mechanism_rivals() {
  return {{ida, run_mechanism<run_ida>}, {cvode, run_mechanism<run_cvode>}, {arkode, run_mechanism<run_arkode>}};
}

}  // namespace alembert::bench

#else

namespace alembert::bench {

std::vector<PendulumRival> sundials_rivals() { return {}; }
std::vector<MechanismRival> mechanism_rivals() { return {}; }

}  // namespace alembert::bench

#endif  // ALEMBERT_SUNDIALS
