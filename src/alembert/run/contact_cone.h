#pragma once

// The laws of unilateral contact with Coulomb friction at one instant, for impulses or for forces:
//     w = D p + b ,   0 <= p_N, 0 <= w_N, complementary ,
//     |p_T| <= mu (p_N + o_N):  w_T = 0 inside, p_T = -mu (p_N + o_N) w_T/|w_T| on the border
// with w the velocities after an impact, or accelerations. What slips already has its direction d: p_T = -mu p_N d.

#include <Eigen/Core>
#include <array>
#include <optional>
#include <vector>

namespace alembert::internal {

struct ConeProblem {
  struct Tangent {
    int first = 0, size = 1;  // its entries of p and w
    double mu = 0;            // while it slips
    double at_rest = 0;       // while it does not
    bool slips = false;       // in the direction below
    std::array<double, 2> direction{};
  };
  struct Contact {
    int normal = 0;      // its entry of p and w
    double offset = 0;   // an impulse that is there already, for the bound of friction alone
    bool open = false;   // it exerts nothing
    bool given = false;  // its normal force is the offset and nothing else: its entries of D and b are 0
    std::vector<Tangent> tangents;
  };
  Eigen::MatrixXd D;
  Eigen::VectorXd b;
  std::vector<Contact> contacts;
};

struct ConeSolution {
  Eigen::VectorXd p, w;
  struct Tangent {
    bool slips = false;
    std::array<double, 2> direction{};
  };
  struct Contact {
    bool active = false;  // it exerts something, or may: w_N = 0
    std::vector<Tangent> tangents;
  };
  std::vector<Contact> contacts;
};

/// To rounding; nothing where there is no solution, or none was found.
std::optional<ConeSolution> solve(const ConeProblem& problem);

}  // namespace alembert::internal
