// "Symplectic" Euler SPARK method II: A = 1, c = 1, A^ = A' = 0. Order 1, nonholonomic constraints only. Jay 2009,
// section 7.2.

#include "alembert/methods/shared/spark.h"

namespace alembert::internal::methods {

MethodFamily euler_spark_2() {
  return euler_spark("euler_spark_2", "symplectic Euler SPARK II, nonholonomic only", 1, 0);
}

}  // namespace alembert::internal::methods
