// "Symplectic" Euler SPARK method I: A = 0, c = 0, A^ = A' = 1. Order 1, nonholonomic constraints only. Jay 2009,
// section 7.1.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily euler_spark_1() {
  return euler_spark("euler_spark_1", "symplectic Euler SPARK I, nonholonomic only", 0, 1);
}

}  // namespace alembert::internal::methods
