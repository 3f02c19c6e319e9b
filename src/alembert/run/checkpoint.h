#pragma once

// What a run leaves behind on its way so that another one can go on from there with the same bits.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "alembert/run/engine.h"
#include "alembert/simulate.h"

namespace alembert::internal {

/// What tells this run from others: version, model, parameters, method and all options that decide its steps and rows.
std::string run_signature(const Engine& engine, const SimulateOptions& options);

/// Puts the file in the place of the one before, which stays where that fails: then the reason in words.
std::string write_checkpoint(const std::string& path, const std::string& signature, std::span<const std::byte> content);

/// What such a file holds. Throws InputError where it is damaged, or of another run.
std::vector<std::byte> checkpoint_content(std::span<const std::byte> file, const std::string& signature);

/// What the report of a run says of the steps so far.
void archive_report(Archive& fields, Report& report);

}  // namespace alembert::internal
