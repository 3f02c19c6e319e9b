// What is written comes back; what is cut off, too long or of another size is refused.

#include "alembert/base/bytes.h"

#include <gtest/gtest.h>

#include <cmath>

#include "alembert/numerics.h"

namespace alembert::internal {
namespace {

ByteWriter sample() {
  ByteWriter out;
  out.write(3.5);
  out.write(Quad(1) / 3);
  out.write(std::vector<int>{1, 2, 3});
  out.write(std::string("pendulum"));
  out.write(true);
  return out;
}

TEST(Bytes, come_back_as_they_were) {
  const ByteWriter out = sample();
  ByteReader in(out.bytes());
  EXPECT_EQ(in.read<double>(), 3.5);
  EXPECT_TRUE(in.read<Quad>() == Quad(1) / 3);
  std::vector<int> list;
  in.read(list);
  EXPECT_EQ(list, (std::vector<int>{1, 2, 3}));
  std::string text;
  in.read(text);
  EXPECT_EQ(text, "pendulum");
  EXPECT_THROW(in.finish(), InputError);
  EXPECT_TRUE(in.read<bool>());
  in.finish();
}

TEST(Bytes, keep_every_bit_of_a_number) {
  for (const double value : {-0.0, std::nextafter(1.0, 2.0), 5e-324, HUGE_VAL}) {
    ByteWriter out;
    out.write(value);
    const double back = ByteReader(out.bytes()).read<double>();
    EXPECT_EQ(std::signbit(back), std::signbit(value));
    EXPECT_EQ(back, value);
  }
}

TEST(Bytes, cut_off_anywhere_they_are_refused) {
  const ByteWriter out = sample();
  for (std::size_t size = 0; size < out.bytes().size(); ++size) {
    ByteReader in(std::span(out.bytes()).first(size));
    const auto read_all = [&] {
      in.read<double>();
      in.read<Quad>();
      std::vector<int> list;
      in.read(list);
      std::string text;
      in.read(text);
      in.read<bool>();
    };
    EXPECT_THROW(read_all(), InputError) << size;
  }
}

TEST(Bytes, a_list_of_another_size_is_refused_and_a_huge_one_takes_no_memory) {
  ByteWriter out;
  out.write(std::vector<double>{1, 2});
  std::vector<double> three(3);
  EXPECT_THROW(ByteReader(out.bytes()).refill(three), InputError);
  std::vector<double> two(2);
  ByteReader(out.bytes()).refill(two);
  EXPECT_EQ(two, (std::vector<double>{1, 2}));
  ByteWriter huge;
  huge.write(~std::uint64_t{0});
  std::vector<double> list;
  EXPECT_THROW(ByteReader(huge.bytes()).read(list), InputError);
}

}  // namespace
}  // namespace alembert::internal
