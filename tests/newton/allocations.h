#pragma once

namespace alembert::internal::tests {

/// How often this thread has asked for memory since the program began, by new, malloc, calloc or realloc.
long allocations();
/// False where they cannot be counted: under a sanitizer, or not with glibc.
bool allocations_are_counted();

}  // namespace alembert::internal::tests
