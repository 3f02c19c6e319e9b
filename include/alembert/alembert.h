#pragma once

// The whole program in seven lines:
//
//     Model model = read_model("double_pendulum.alm");
//     Equations equations = derive(model, {.inputs = {"m2"}});   // what varies is an input, everything else is folded
//     Method method = find_method("lobatto(3)");
//     Stepper stepper = compile(method, equations);              // the step's own equations as machine code
//     Run run = simulate(stepper, {.end = 240, .step = 0.01});
//     write(run, "double_pendulum.h5");
//     print(run.report);

#include "alembert/equations.h"
#include "alembert/error.h"
#include "alembert/expr.h"
#include "alembert/findings.h"
#include "alembert/method.h"
#include "alembert/model.h"
#include "alembert/numerics.h"
#include "alembert/report.h"
#include "alembert/simulate.h"
#include "alembert/stepper.h"
#include "alembert/study.h"
#include "alembert/trajectory.h"
#include "alembert/tree.h"
#include "alembert/version.h"
