#include "alembert/study/design.h"

#include <algorithm>
#include <cmath>

#include "alembert/model/model.h"
#include "alembert/numerics.h"
#include "alembert/study/random.h"

namespace alembert::internal {

namespace {

/// More members than this are not counted: their numbers are exact in a double.
constexpr std::uint64_t most_members = std::uint64_t{1} << 53;

/// A part of a text, with where it stands.
struct Piece {
  std::string text;
  std::size_t from = 0;
};

Piece trimmed(const std::string& text, std::size_t from, std::size_t to) {
  while (from < to && text[from] == ' ') ++from;
  while (to > from && text[to - 1] == ' ') --to;
  return {text.substr(from, to - from), from};
}

/// The parts between separators that stand outside brackets.
std::vector<Piece> pieces_of(const std::string& text, char separator, std::size_t from, std::size_t to) {
  std::vector<Piece> pieces;
  int depth = 0;
  std::size_t start = from;
  for (std::size_t i = from; i < to; ++i) {
    depth += text[i] == '(' || text[i] == '[' ? 1 : text[i] == ')' || text[i] == ']' ? -1 : 0;
    if (text[i] != separator || depth != 0) continue;
    pieces.push_back(trimmed(text, start, i));
    start = i + 1;
  }
  pieces.push_back(trimmed(text, start, to));
  return pieces;
}

/// Collects what is wrong in one text.
class Objections {
 public:
  Objections(const char* field, const std::string& text, std::vector<Diagnostic>& wrong)
      : source_(std::make_shared<const Source>(Source{std::string("`") + field + "`", text})), wrong_(wrong) {}
  void add(const Piece& where, std::string message, std::string hint) {
    const Place place{1, static_cast<int>(where.from) + 1, std::max(1, static_cast<int>(where.text.size()))};
    wrong_.push_back({source_, place, std::move(message), std::move(hint)});
  }

 private:
  std::shared_ptr<const Source> source_;
  std::vector<Diagnostic>& wrong_;
};

constexpr char axis_forms[] = "as in: m2=1,0.1,0.01, or l=0.5:2:100 for 100 values from 0.5 to 2";
constexpr char draw_forms[] = "as in: x=normal(0, 0.1) with mean and deviation, or x=uniform(-1, 1)";

double number_at(const Piece& piece, Objections& objections) {
  const std::optional<double> value = constant_value(piece.text);
  if (value && std::isfinite(*value)) return *value;
  objections.add(piece, piece.text.empty() ? "a number is missing" : "'" + piece.text + "' is not a number",
                 "numbers and what is made of them: 0.5, 1/3, 2*pi");
  return NAN;
}

void read_range(const std::vector<Piece>& parts, SweepAxis& axis, Objections& objections) {
  if (parts.size() != 3) {
    objections.add(parts.back(), "a range has three parts: first, last and how many", axis_forms);
    return;
  }
  axis.first = number_at(parts[0], objections);
  axis.last = number_at(parts[1], objections);
  const std::optional<double> count = constant_value(parts[2].text);
  constexpr double most = 1e12;  // members can be counted exactly, and no study is larger
  if (!count || *count != std::floor(*count) || !(*count >= 2 && *count <= most)) {
    objections.add(parts[2], "'" + parts[2].text + "' is not a number of values", "a whole number of at least 2");
    return;
  }
  axis.count = static_cast<std::size_t>(*count);
  if (axis.first == axis.last)
    objections.add(parts[1], "the range has no length", "its first and its last value are the same");
}

}  // namespace

std::optional<double> constant_value(const std::string& text) {
  const std::size_t slash = text.find('/');
  Quad value = 0, divisor = 1;
  if (read_number(text.substr(0, slash), value) &&
      (slash == std::string::npos || read_number(text.substr(slash + 1), divisor)))
    return static_cast<double>(value / divisor);
  // The language itself says what an expression is worth.
  if (text.empty() || text.find_first_of("\n#;\"=,:") != std::string::npos) return {};
  try {
    const auto source = std::make_shared<const Source>(
        Source{"value", "parameter value = " + text + "\ncoordinate place\nkinetic place'^2/2\n"});
    const Model model = read_model(source);
    if (model.parameter_values.size() != 1) return {};
    return static_cast<double>(model.parameter_values[0]);
  } catch (const InputError&) { return {}; }
}

double SweepAxis::number(std::size_t i) const {
  if (i + 1 == count) return last;
  return first + (last - first) * (static_cast<double>(i) / static_cast<double>(count - 1));
}

std::string SweepAxis::text(std::size_t i) const { return values.empty() ? to_text(number(i)) : values[i]; }

SweepAxis read_axis(const std::string& text, std::vector<Diagnostic>& wrong) {
  Objections objections("axes", text, wrong);
  SweepAxis axis;
  const std::size_t equals = text.find('=');
  const Piece name = trimmed(text, 0, std::min(equals, text.size()));
  if (equals == std::string::npos || name.text.empty() || trimmed(text, equals + 1, text.size()).text.empty()) {
    objections.add({text, 0}, "`axes` wants NAME=VALUES, not '" + text + "'", axis_forms);
    return axis;
  }
  axis.name = name.text;
  const std::vector<Piece> list = pieces_of(text, ',', equals + 1, text.size());
  for (const Piece& one : list) {
    const std::vector<Piece> parts = pieces_of(text, ':', one.from, one.from + one.text.size());
    if (one.text.empty()) objections.add(one, "a value of '" + axis.name + "' is missing", axis_forms);
    else if (parts.size() > 1 && list.size() > 1)
      objections.add(one, "a range stands alone, without further values", axis_forms);
    else if (parts.size() > 1) read_range(parts, axis, objections);
    else axis.values.push_back(one.text);
  }
  return axis;
}

Draw read_draw(const std::string& text, std::vector<Diagnostic>& wrong) {
  Objections objections("draws", text, wrong);
  Draw draw;
  const std::size_t equals = text.find('='), open = text.find('(', equals == std::string::npos ? 0 : equals);
  const Piece name = trimmed(text, 0, std::min(equals, text.size()));
  const Piece rest = trimmed(text, std::min(text.size(), equals == std::string::npos ? 0 : equals + 1), text.size());
  if (equals == std::string::npos || open == std::string::npos || name.text.empty() || rest.text.back() != ')') {
    objections.add({text, 0}, "`draws` wants NAME=DISTRIBUTION, not '" + text + "'", draw_forms);
    return draw;
  }
  draw.name = name.text;
  const Piece kind = trimmed(text, equals + 1, open);
  const std::vector<Piece> arguments = pieces_of(text, ',', open + 1, rest.from + rest.text.size() - 1);
  if (kind.text == "normal") draw.distribution = Distribution::normal;
  else if (kind.text == "uniform") draw.distribution = Distribution::uniform;
  else {
    const std::string near = nearest_name(kind.text, {"normal", "uniform"});
    const bool scheme = kind.text == "sobol" || kind.text == "latin";
    objections.add(kind, "there is no distribution '" + kind.text + "'",
                   scheme         ? "that is a way to choose points, `sampling`, for uniform and normal alike"
                   : near.empty() ? draw_forms
                                  : "did you mean '" + near + "'?");
    return draw;
  }
  if (arguments.size() != 2) {
    objections.add(rest, kind.text + " takes two numbers", draw_forms);
    return draw;
  }
  draw.a = number_at(arguments[0], objections);
  draw.b = number_at(arguments[1], objections);
  if (draw.distribution == Distribution::normal && draw.b <= 0)
    objections.add(arguments[1], "the deviation must be above 0", draw_forms);
  if (draw.distribution == Distribution::uniform && draw.a >= draw.b)
    objections.add(rest, "the lower end must be below the upper one", draw_forms);
  return draw;
}

Design::Design(std::vector<SweepAxis> axes, std::vector<Draw> draws, std::uint64_t members, std::uint64_t seed,
               Sampling sampling)
    : axes_(std::move(axes)), draws_(std::move(draws)), members_(members), seed_(seed), sampling_(sampling) {
  check(members >= 1, "a study has members");
  size_ = members;
  stride_.resize(axes_.size());
  for (std::size_t k = axes_.size(); k-- > 0;) {
    stride_[k] = size_;
    if (__builtin_mul_overflow(size_, static_cast<std::uint64_t>(axes_[k].size()), &size_) || size_ > most_members)
      throw InputError("the combinations of all values are more than can be counted",
                       "2^53 = 9007199254740992 members at most; fewer values, or draws instead of a grid");
  }
  if (size_ > most_members) throw InputError("`members` is at most 2^53 = 9007199254740992");
  if (sampling == Sampling::sobol && draws_.size() > static_cast<std::size_t>(sobol_dimensions))
    throw InputError("Sobol's sequence is known here for " + std::to_string(sobol_dimensions) +
                         " draws, and there are " + std::to_string(draws_.size()),
                     "`sampling` latin or random takes any number");
  for (const Draw& draw : draws_)
    if (!std::isfinite(draw.a) || !std::isfinite(draw.b) ||
        (draw.distribution == Distribution::normal ? draw.b <= 0 : draw.a >= draw.b))
      throw InputError("'" + draw.name + "' cannot be drawn from " + to_text(draw.a) + " and " + to_text(draw.b),
                       "a deviation is above 0, a lower end below the upper one");
  for (const SweepAxis& axis : axes_) names_.push_back(axis.name);
  for (const Draw& draw : draws_) names_.push_back(draw.name);
  keep_open(std::vector<bool>(axes_.size(), false));
}

std::size_t Design::index(std::uint64_t member, std::size_t axis) const {
  return static_cast<std::size_t>(member / stride_[axis] % axes_[axis].size());
}

std::vector<std::string> Design::texts(std::uint64_t member) const {
  std::vector<std::string> texts;
  for (std::size_t k = 0; k < axes_.size(); ++k) texts.push_back(axes_[k].text(index(member, k)));
  for (std::size_t k = 0; k < draws_.size(); ++k) texts.push_back(to_text(drawn(member, k)));
  return texts;
}

double Design::drawn(std::uint64_t member, std::size_t draw) const {
  // The same draws at every point of a grid: what differs there comes from the grid.
  const std::uint64_t place = member % members_, stream = stream_of(draws_[draw].name);
  double u = 0;
  switch (sampling_) {
    case Sampling::random: u = unit_interval(random_bits(seed_, stream, place)); break;
    case Sampling::latin:
      // One number in each of `members` equal parts, which come in a random order.
      u = (static_cast<double>(permuted(place, members_, seed_, stream)) +
           unit_interval(random_bits(seed_, stream, place))) /
          static_cast<double>(members_);
      u = std::min(u, unit_interval(~std::uint64_t{0}));  // the sum may have been rounded up to 1
      break;
    case Sampling::sobol:
      // A shift digit by digit, the same for all points of a dimension, keeps their even spacing.
      u = unit_interval(sobol(place, static_cast<int>(draw)) ^ random_bits(seed_, stream, 0));
      break;
  }
  const Draw& d = draws_[draw];
  if (d.distribution == Distribution::normal) return d.a + d.b * normal_quantile(u);
  const double width = d.b - d.a;
  return std::isfinite(width) ? d.a + width * u : d.a * (1 - u) + d.b * u;
}

void Design::keep_open(const std::vector<bool>& axes) {
  open_ = axes;
  group_size_ = members_;
  numbers_.assign(axes_.size(), {});
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (!open_[k]) continue;
    group_size_ *= axes_[k].size();
    for (const std::string& value : axes_[k].values) numbers_[k].push_back(constant_value(value).value());
  }
}

std::vector<std::string> Design::open_names() const {
  std::vector<std::string> names;
  for (std::size_t k = 0; k < axes_.size(); ++k)
    if (open_[k]) names.push_back(axes_[k].name);
  for (const Draw& draw : draws_) names.push_back(draw.name);
  return names;
}

std::vector<double> Design::open_values(std::uint64_t member) const {
  std::vector<double> values;
  for (std::size_t k = 0; k < axes_.size(); ++k) {
    if (!open_[k]) continue;
    const std::size_t i = index(member, k);
    values.push_back(axes_[k].values.empty() ? axes_[k].number(i) : numbers_[k][i]);
  }
  for (std::size_t k = 0; k < draws_.size(); ++k) values.push_back(drawn(member, k));
  return values;
}

std::uint64_t Design::member(std::uint64_t group, std::uint64_t place) const {
  std::uint64_t number = place % members_;
  place /= members_;
  for (std::size_t k = axes_.size(); k-- > 0;) {
    std::uint64_t& rest = open_[k] ? place : group;
    number += rest % axes_[k].size() * stride_[k];
    rest /= axes_[k].size();
  }
  return number;
}

}  // namespace alembert::internal
