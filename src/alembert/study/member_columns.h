#pragma once

// What is wanted of each member of a study, as paths into its report, and how it is taken from there.

#include <string>
#include <vector>

#include "alembert/derive/equations.h"
#include "alembert/methods/method.h"
#include "alembert/model/model.h"
#include "alembert/report.h"

namespace alembert::internal {

/// The single paths that the wanted ones stand for: "energy.max_error", "q.r[2]" as entries(report) has them, one that
/// names a group stands for all in it, and beside them "events.NAME.t", the first time of an event of that name (of a
/// member of a family: "events.hit[3].t"), "events.NAME.last", its last time, and "events.NAME.count", how many there
/// were. Empty: time, energy error, residuals and steps. Throws InputError with all that no report has.
std::vector<std::string> member_columns(const std::vector<std::string>& wanted, const Model& model,
                                        const Equations& equations, const Method& method);

/// The cells of a report, one a column; nothing where the report has none.
std::vector<decltype(ReportEntry::value)> member_cells(const Report& report, const std::vector<std::string>& columns);

}  // namespace alembert::internal
