#include "alembert/numerics.h"

#include <gtest/gtest.h>
#include <quadmath.h>

#include <bit>
#include <clocale>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <random>

namespace alembert::internal {
namespace {

Quad read_real(const std::string& text) {
  Quad value = 0;
  EXPECT_TRUE(read_number(text, value)) << text;
  return value;
}

TEST(RealText, DoublesAreWrittenAsPeopleWriteThem) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(0.0), "0");
  EXPECT_EQ(to_text(-0.0), "-0");
  EXPECT_EQ(to_text(1.0), "1");
  EXPECT_EQ(to_text(-2.5), "-2.5");
  EXPECT_EQ(to_text(240.0), "240");
  EXPECT_EQ(to_text(100000.0), "100000");
  EXPECT_EQ(to_text(0.00012), "0.00012");
  EXPECT_EQ(to_text(1e-300), "1e-300");
  EXPECT_EQ(to_text(1.5e22), "1.5e22");
  EXPECT_EQ(to_text(1.0 / 3.0), "0.3333333333333333");
  EXPECT_EQ(to_text(std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(to_text(-std::numeric_limits<double>::quiet_NaN()), "nan");
  EXPECT_EQ(to_text(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(RealText, EveryDoubleReadsBack) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 20000; ++i) {
    const double value = std::bit_cast<double>(static_cast<std::uint64_t>(random()));
    if (!std::isfinite(value)) continue;
    const std::string text = to_text(value);
    ASSERT_EQ(std::strtod(text.c_str(), nullptr), value) << text;
    ASSERT_EQ(static_cast<double>(read_real(text)), value) << text;
  }
  for (const double value : {5e-324, 2.2250738585072014e-308, 1.7976931348623157e308, 9007199254740993.0}) {
    EXPECT_EQ(std::strtod(to_text(value).c_str(), nullptr), value);
  }
}

TEST(RealText, EveryRealReadsBack) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 2000; ++i) {
    Quad value = Quad(random()) / Quad(random() | 1) + Quad(random()) * Quad(0x1p-80);
    value = ldexpq(value, static_cast<int>(random() % 30000) - 15000);
    const std::string text = to_text(i % 2 ? value : -value);
    ASSERT_TRUE(read_real(text) == (i % 2 ? value : -value)) << text;
  }
  EXPECT_EQ(to_text(Quad(1) / 10), "0.1");  // the decimal 0.1 in full precision
  EXPECT_NE(to_text(Quad(0.1)), "0.1");     // the double 0.1 is another number
  EXPECT_EQ(to_text(Quad(0.5)), "0.5");
  EXPECT_EQ(to_text(Quad(1) / 3).substr(0, 30), "0.3333333333333333333333333333");
  EXPECT_EQ(to_text(Quad(INFINITY)), "inf");
}

TEST(RealText, ReadsNumbersAndOnlyNumbers) {
  EXPECT_TRUE(read_real("1") == 1);
  EXPECT_TRUE(read_real(".5") == 0.5);
  EXPECT_TRUE(read_real("1e-3") == Quad(1) / 1000);
  EXPECT_TRUE(read_real("-12.50E+1") == -125);
  EXPECT_TRUE(read_real("3.14159265358979323846264338327950288419716939937510") == acosq(-1));
  EXPECT_TRUE(isinfq(read_real("1e999999")));
  EXPECT_TRUE(isinfq(read_real("1e99999999999999999999")));
  EXPECT_TRUE(read_real("1e-99999999999999999999") == 0);
  EXPECT_TRUE(read_real("0." + std::string(6000, '0') + "1e6001") == 1);
  for (const char* text :
       {"", ".", "-", "e5", "1e", "1e+", "1e+-3", "1 ", " 1", "1x", "0x10", "nan", "inf", "1..2", "--1"}) {
    Quad value = 7;
    EXPECT_FALSE(read_number(text, value)) << text;
  }
}

TEST(RealText, IsTheSameInEveryLocale) {
  const std::string before = std::setlocale(LC_ALL, nullptr);
  if (!std::setlocale(LC_ALL, "de_DE.UTF-8") && !std::setlocale(LC_ALL, "fr_FR.UTF-8")) {
    GTEST_SKIP() << "no locale with a decimal comma here";
  }
  EXPECT_EQ(to_text(1.5), "1.5");
  EXPECT_TRUE(read_real("1.5") == 1.5);
  EXPECT_TRUE(read_real(to_text(Quad(1) / 3)) == Quad(1) / 3);
  std::setlocale(LC_ALL, before.c_str());
}

}  // namespace
}  // namespace alembert::internal
