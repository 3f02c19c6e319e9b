#include "alembert/output/member_table.h"

#include "alembert/output/hdf5_file.h"

namespace alembert::internal {
namespace {

/// A list of texts has two datasets: the numbers of the members, and what is said of them.
struct TextList {
  Hdf5File::Table members;
  Hdf5File::Texts texts;
};

class Hdf5MemberTable final : public MemberTable {
 public:
  explicit Hdf5MemberTable(const std::string& path) : file_(path) {}
  ~Hdf5MemberTable() override {
    try {
      end();
    } catch (...) {}
  }

  void begin(const std::vector<std::string>& columns, const Attributes& attributes) override {
    const QuietHdf5 quiet;
    file_.open();
    members_ = file_.table("members", columns);
    constexpr std::size_t text_rows = 256;  // few members have something to say
    for (const char* name : member_texts) {
      file_.group(name);
      lists_.push_back({file_.table((std::string(name) + "/member").c_str(), {"member"}, text_rows),
                        file_.texts((std::string(name) + "/text").c_str())});
    }
    file_.attributes(attributes);
    file_.flush();
  }

  void row(std::span<const double> values) override {
    members_.rows.insert(members_.rows.end(), values.begin(), values.end());
  }

  void text(int list, std::uint64_t member, const std::string& text) override {
    TextList& to = lists_[static_cast<std::size_t>(list)];
    to.members.rows.push_back(static_cast<double>(member));
    to.texts.rows.push_back(text);
  }

  void flush() override {
    const QuietHdf5 quiet;
    // What is said of members is there before they are.
    for (TextList& list : lists_) {
      file_.append(list.texts);
      file_.append(list.members);
    }
    file_.append(members_);
    file_.flush();
  }

  void table(const char* name, const std::vector<std::string>& columns, std::vector<double> rows) override {
    const QuietHdf5 quiet;
    Hdf5File::Table made = file_.table(name, columns, rows.size() / columns.size());
    made.rows = std::move(rows);
    file_.append(made);
  }

  void end() override {
    if (!file_.is_open()) return;
    const QuietHdf5 quiet;
    flush();
    bool closed = members_.set.close();
    for (TextList& list : lists_) {
      closed &= list.members.set.close();
      closed &= list.texts.set.close();
    }
    closed &= file_.close();
    if (!closed) file_.fail("closing it failed");
  }

 private:
  Hdf5File file_;  // opened first and closed last
  Hdf5File::Table members_;
  std::vector<TextList> lists_;
};

}  // namespace

std::unique_ptr<MemberTable> make_member_table(const std::string& path) {
  return std::make_unique<Hdf5MemberTable>(path);
}

}  // namespace alembert::internal
