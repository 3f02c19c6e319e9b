// IDA, CVODE and ARKODE on the double pendulum. Without ALEMBERT_SUNDIALS there are none of them.

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

#include <memory>

#include "alembert/base/cpu_time.h"

namespace alembert::bench {

namespace {

constexpr long most_steps = 50'000'000;

/// What a solver needs around it; freed in the right order.
class Setting {
 public:
  explicit Setting(int size) {
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

void fill(N_Vector y, const DoublePendulum& p) {
  for (int i = 0; i < 4; ++i) data_of(y)[i] = p.q[i];
  for (int i = 0; i < 4; ++i) data_of(y)[4 + i] = p.v[i];
}

std::optional<Integrated> ended(int flag, double begin, N_Vector y) {
  if (flag < 0) return std::nullopt;
  Integrated result;
  result.seconds = internal::thread_seconds() - begin;
  for (int i = 0; i < 4; ++i) result.q[i] = data_of(y)[i];
  return result;
}

std::optional<Integrated> run_cvode(const DoublePendulum& start, double t, double tolerance) {
  const Setting setting(8);
  DoublePendulum p = start;
  fill(setting.y, p);
  void* memory = CVodeCreate(CV_BDF, setting.context);
  CVodeInit(memory, right_side, 0, setting.y);
  CVodeSStolerances(memory, tolerance, tolerance);
  CVodeSetUserData(memory, &p);
  CVodeSetLinearSolver(memory, setting.solver, setting.matrix);
  CVodeSetProjFn(memory, project);
  CVodeSetErrFile(memory, nullptr);
  CVodeSetMaxNumSteps(memory, most_steps);
  CVodeSetStopTime(memory, t);
  const double begin = internal::thread_seconds();
  double reached = 0;
  const int flag = CVode(memory, t, setting.y, &reached, CV_NORMAL);
  const auto result = ended(flag, begin, setting.y);
  CVodeFree(&memory);
  return result;
}

std::optional<Integrated> run_arkode(const DoublePendulum& start, double t, double tolerance) {
  const Setting setting(8);
  DoublePendulum p = start;
  fill(setting.y, p);
  void* memory = ERKStepCreate(right_side, 0, setting.y, setting.context);
  ERKStepSetTableNum(memory, ARKODE_FEHLBERG_13_7_8);
  ERKStepSStolerances(memory, tolerance, tolerance);
  ERKStepSetUserData(memory, &p);
  ERKStepSetErrFile(memory, nullptr);
  ERKStepSetMaxNumSteps(memory, most_steps);
  ERKStepSetStopTime(memory, t);
  const double begin = internal::thread_seconds();
  double reached = 0;
  const int flag = ERKStepEvolve(memory, t, setting.y, &reached, ARK_NORMAL);
  const auto result = ended(flag, begin, setting.y);
  ERKStepFree(&memory);
  return result;
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

std::optional<Integrated> run_ida(const DoublePendulum& start, double t, double tolerance) {
  const Setting setting(12);
  DoublePendulum p = start;
  N_VConst(0, setting.y);
  N_VConst(0, setting.y_dot);
  fill(setting.y, p);
  double* dot = data_of(setting.y_dot);
  for (int i = 0; i < 4; ++i) dot[i] = p.v[i];
  accelerations(p, p.q.data(), p.v.data(), data_of(setting.y) + 8, dot + 4);
  N_Vector id = N_VClone(setting.y);
  for (int i = 0; i < 12; ++i) data_of(id)[i] = i < 8 ? 1 : 0;
  void* memory = IDACreate(setting.context);
  IDAInit(memory, stabilised, 0, setting.y, setting.y_dot);
  // Multipliers are neither judged nor waited for: their error is that of the velocities divided by a step.
  N_Vector absolute = N_VClone(setting.y);
  for (int i = 0; i < 12; ++i) data_of(absolute)[i] = i < 8 ? tolerance : 1;
  IDASVtolerances(memory, tolerance, absolute);
  IDASetErrFile(memory, nullptr);
  IDASetUserData(memory, &p);
  IDASetId(memory, id);
  IDASetSuppressAlg(memory, SUNTRUE);
  IDASetLinearSolver(memory, setting.solver, setting.matrix);
  IDASetMaxNumSteps(memory, most_steps);
  IDASetStopTime(memory, t);
  const double begin = internal::thread_seconds();
  double reached = 0;
  const int flag = IDASolve(memory, t, &reached, setting.y, setting.y_dot, IDA_NORMAL);
  const auto result = ended(flag, begin, setting.y);
  IDAFree(&memory);
  N_VDestroy(absolute);
  N_VDestroy(id);
  return result;
}

}  // namespace

std::vector<PendulumRival> sundials_rivals() {
  return {{"IDA, both levels of the constraints", run_ida},
          {"CVODE, BDF with projection", run_cvode},
          {"ARKODE, ERK of order 8", run_arkode}};
}

}  // namespace alembert::bench

#else

namespace alembert::bench {

std::vector<PendulumRival> sundials_rivals() { return {}; }

}  // namespace alembert::bench

#endif  // ALEMBERT_SUNDIALS
