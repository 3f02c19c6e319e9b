#include "alembert/model/tables.h"

#include <quadmath.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <sstream>

#include "alembert/base/files.h"
#include "alembert/error.h"

namespace alembert::internal {

namespace {

/// Behind a point: f + u*(b + u*(c + u*d)) with u from 0 to the next point.
struct Cubic {
  Quad b = 0, c = 0, d = 0;
};

using Quads = std::vector<Quad>;

/// The pieces of the cubic with these slopes at the points.
std::vector<Cubic> by_slopes(const Quads& h, const Quads& rise, const Quads& slope) {
  std::vector<Cubic> pieces(h.size());
  for (std::size_t i = 0; i < h.size(); ++i)
    pieces[i] = {slope[i], (3 * rise[i] - 2 * slope[i] - slope[i + 1]) / h[i],
                 (slope[i] + slope[i + 1] - 2 * rise[i]) / (h[i] * h[i])};
  return pieces;
}

/// Second derivatives continuous, and 0 at the ends: a tridiagonal system, solved in natural order (it is dominant).
std::vector<Cubic> natural_spline(const Quads& h, const Quads& rise) {
  const std::size_t n = h.size();
  Quads bend(n + 1, 0), pivot(n + 1, 1), right(n + 1, 0);
  for (std::size_t i = 1; i < n; ++i) {
    const Quad factor = i > 1 ? h[i - 1] / pivot[i - 1] : Quad(0);
    pivot[i] = 2 * (h[i - 1] + h[i]) - factor * (i > 1 ? h[i - 1] : Quad(0));
    right[i] = 6 * (rise[i] - rise[i - 1]) - factor * right[i - 1];
  }
  for (std::size_t i = n; i-- > 1;) bend[i] = (right[i] - h[i] * bend[i + 1]) / pivot[i];
  std::vector<Cubic> pieces(n);
  for (std::size_t i = 0; i < n; ++i)
    pieces[i] = {rise[i] - h[i] * (2 * bend[i] + bend[i + 1]) / 6, bend[i] / 2, (bend[i + 1] - bend[i]) / (6 * h[i])};
  return pieces;
}

Quad end_slope(Quad h0, Quad h1, Quad rise0, Quad rise1) {
  const Quad slope = ((2 * h0 + h1) * rise0 - h0 * rise1) / (h0 + h1);
  if (slope * rise0 <= 0) return 0;
  if (rise0 * rise1 <= 0 && fabsq(slope) > 3 * fabsq(rise0)) return 3 * rise0;
  return slope;
}

/// Fritsch and Butland 1984, as in PCHIP: between two points it goes nowhere beyond them.
std::vector<Cubic> monotone_cubic(const Quads& h, const Quads& rise) {
  const std::size_t n = h.size();
  Quads slope(n + 1, rise[0]);
  if (n == 1) return by_slopes(h, rise, slope);
  for (std::size_t i = 1; i < n; ++i) {
    const Quad before = 2 * h[i] + h[i - 1], behind = h[i] + 2 * h[i - 1];
    slope[i] = rise[i - 1] * rise[i] <= 0 ? Quad(0) : (before + behind) / (before / rise[i - 1] + behind / rise[i]);
  }
  slope[0] = end_slope(h[0], h[1], rise[0], rise[1]);
  slope[n] = end_slope(h[n - 1], h[n - 2], rise[n - 1], rise[n - 2]);
  return by_slopes(h, rise, slope);
}

std::vector<Cubic> cubics_of(const Table& table) {
  Quads h, rise;
  for (std::size_t i = 0; i + 1 < table.x.size(); ++i) {
    h.push_back(table.x[i + 1] - table.x[i]);
    rise.push_back((table.f[i + 1] - table.f[i]) / h[i]);
  }
  if (table.kind == Table::Kind::spline) return natural_spline(h, rise);
  if (table.kind == Table::Kind::monotone) return monotone_cubic(h, rise);
  std::vector<Cubic> pieces(h.size());
  for (std::size_t i = 0; i < h.size(); ++i) pieces[i].b = rise[i];
  return pieces;
}

}  // namespace

const Piecewise& Table::point(std::size_t number, const std::string& name) const {
  Table one{kind, x, Quads(x.size(), 0), {}};
  one.f[number] = 1;
  return one.function(name);
}

const Piecewise& Table::function(const std::string& name) const {
  const std::vector<Cubic> cubics = cubics_of(*this);
  std::vector<Piecewise::Piece<Quad>> pieces = {{x.front(), f.front(), 0, 0, 0}};
  for (std::size_t i = 0; i < cubics.size(); ++i) pieces.push_back({x[i], f[i], cubics[i].b, cubics[i].c, cubics[i].d});
  pieces.push_back({x.back(), f.back(), 0, 0, 0});
  return known(std::make_unique<Piecewise>(name, 0, x, std::move(pieces)));
}

namespace {

std::vector<std::string> fields_of(const std::string& line, char separator) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    else if (c == separator && !quoted) fields.emplace_back();
    else if (c != '\r') fields.back() += c;
  }
  for (std::string& field : fields) {
    field.erase(0, field.find_first_not_of(" \t"));
    field.erase(field.find_last_not_of(" \t") + 1);
  }
  return fields;
}

char separator_of(const std::string& head) {
  return head.find(',') != std::string::npos ? ',' : head.find(';') != std::string::npos ? ';' : '\t';
}

std::vector<std::string> head_of(std::string line) {
  if (line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
  return fields_of(line, separator_of(line));
}

std::optional<Quad> number_in(const std::string& text) {
  const bool minus = text.starts_with('-');
  Quad value = 0;
  if (!read_number(minus || text.starts_with('+') ? text.substr(1) : text, value) || !finiteq(value)) return {};
  return minus ? -value : value;
}

std::string joined(const std::vector<std::string>& names) {
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return list;
}

/// Where the column stands; says what is wrong where it is not there.
std::size_t find_column(const std::vector<std::string>& head, const std::string& column, TableFile& file) {
  const auto named = std::find(head.begin(), head.end(), column);
  std::size_t number = 0;
  if (!column.empty() && column.find_first_not_of("0123456789") == std::string::npos && column.size() < 7)
    number = std::stoul(column);
  if (named != head.end() && number == 0) number = static_cast<std::size_t>(named - head.begin()) + 1;
  if (number >= 1 && number <= head.size()) return number - 1;
  file.wrong = "has no column '" + column + "'";
  file.of_column = true;
  const std::string near = nearest_name(column, head);
  file.hint = near.empty() ? "its columns are " + joined(head) : "did you mean '" + near + "'?";
  return 0;
}

/// By its name; of other files, which the writer of a model may have no business with, nothing is shown.
bool is_table(const std::string& path) {
  return path.ends_with(".csv") || path.ends_with(".tsv") || path.ends_with(".txt") || path.ends_with(".dat");
}

}  // namespace

TableFile read_table_file(const std::string& path, const std::string& argument, const std::string& column) {
  if (const std::optional<std::string> text = read_file(path)) return read_table_text(*text, path, argument, column);
  TableFile file;
  file.wrong = "cannot be read";
  file.hint = argument.empty() ? "its place is beside the model" : "its path begins in the present folder";
  return file;
}

std::vector<std::string> columns_of(const std::string& path) {
  const std::optional<std::string> text = read_file(path);
  return text ? head_of(text->substr(0, text->find('\n'))) : std::vector<std::string>();
}

TableFile read_table_text(const std::string& text, const std::string& path, const std::string& argument,
                          const std::string& column) {
  TableFile file;
  file.text = text;
  std::istringstream in(text);
  std::string line;
  if (!std::getline(in, line) || line.empty() || line == "\r") {
    file.wrong = "is empty";
    return file;
  }
  const char separator = separator_of(line);
  const std::vector<std::string> head = head_of(line);
  if (number_in(head[0])) {
    file.wrong = "has no head line";
    file.hint = "its first line names the columns, as in: x,height";
    return file;
  }
  const std::size_t wanted = find_column(head, column, file);
  if (!file.wrong.empty() && !is_table(path)) file.hint = "";
  if (!file.wrong.empty()) return file;
  const auto named = std::find(head.begin(), head.end(), argument);
  if (!argument.empty() && named == head.end()) {
    file.wrong = "has no column '" + argument + "', along which '" + column + "' goes";
    if (is_table(path)) file.hint = "name the column of the time " + argument + "; its columns are " + joined(head);
    return file;
  }
  const std::size_t from = argument.empty() ? 0 : static_cast<std::size_t>(named - head.begin());
  if (from == wanted) {
    file.wrong = "has no column beside '" + head[wanted] + "' that it follows";
    file.hint = "its columns are " + (argument.empty() ? "x" : argument) + " and " + column;
    return file;
  }
  for (long number = 2; std::getline(in, line); ++number) {
    const std::vector<std::string> fields = fields_of(line, separator);
    if (fields.size() == 1 && fields[0].empty()) continue;
    const std::string place = "line " + std::to_string(number) + " ";
    if (fields.size() != head.size()) {
      file.wrong = place + "has " + std::to_string(fields.size()) + (fields.size() == 1 ? " field" : " fields") +
                   ", the head line " + std::to_string(head.size());
      return file;
    }
    const std::optional<Quad> x = number_in(fields[from]), f = number_in(fields[wanted]);
    if (!x || !f) {
      file.wrong = place + (is_table(path) ? "has '" + (x ? fields[wanted] : fields[from]) + "' for a number"
                                           : "has something else for a number");
      return file;
    }
    if (!file.x.empty() && !(*x > file.x.back())) {
      file.wrong = place + "goes back: the column '" + head[from] + "' must ascend";
      return file;
    }
    file.x.push_back(*x);
    file.f.push_back(*f);
  }
  if (file.x.size() < 2)
    file.wrong = "has " + std::to_string(file.x.size()) + " rows of numbers; a table has at least two";
  return file;
}

}  // namespace alembert::internal
