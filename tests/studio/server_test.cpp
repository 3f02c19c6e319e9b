// The program as a studio: what it refuses, what it answers, and how it ends.

#include <dirent.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "alembert/plot/web.h"
#include "apps/program.h"
#include "studio/client.h"

namespace alembert::internal::studio_test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using apps_test::Folder;
using Clock = std::chrono::steady_clock;

const std::string swinging = apps_test::oscillator;

class StudioServer : public testing::Test {
 protected:
  void SetUp() override {
    if (web_bundle("studio.js").empty()) GTEST_SKIP() << "built without pages";
  }
};

/// A folder with a model and a table, and secrets beside it that names and links lead to.
struct Place {
  Place() {
    fs::create_directories(outer / "inner");
    outer.write("inner/own.alm", swinging);
    outer.write("secret.alm", "model \"Secret\"\ncoordinate x\nkinetic x'^2\n");
    outer.write("secret.csv", "x,f\n0,0\n1,1\n");
    outer.write("inner/own.csv", "x,f\n0,0\n1,1\n");
    fs::create_symlink(outer / "secret.alm", outer / "inner/link.alm");
    fs::create_symlink(outer / "secret.csv", outer / "inner/link.csv");
    fs::create_directory_symlink(outer / "", outer / "inner/up");
  }
  Folder outer;
  std::string inner = outer / "inner";
};

std::string table_model(const std::string& file) {
  return "table f(x) = \"" + file +
         "\" column f linear\ncoordinate x\nkinetic x'^2/2\npotential f(x)\n"
         "solve gauss(2) step 0.1 end 1\n";
}

TEST_F(StudioServer, ForeignHostsOriginsAndTokensAreRefused) {
  const Place place;
  const RunningStudio studio(place.inner);
  const std::string page = "GET /" + studio.token() + "/ HTTP/1.1";
  const std::string host = "Host: " + studio.host();
  EXPECT_EQ(studio.status(page, {host}), 200);
  EXPECT_EQ(studio.status(page, {"Host: evil.example"}), 403);
  EXPECT_EQ(studio.status(page, {"Host: evil.example:" + std::to_string(studio.port())}), 403);
  EXPECT_EQ(studio.status(page, {}), 403);
  EXPECT_EQ(studio.status(page, {host, "Host: evil.example"}), 403);
  EXPECT_EQ(studio.status(page, {host, "Origin: http://evil.example"}), 403);
  EXPECT_EQ(studio.status(page, {host, "Origin: null"}), 403);
  EXPECT_EQ(studio.status(page, {host, "Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"}), 403);
  EXPECT_EQ(studio.status("GET / HTTP/1.1", {host}), 403);
  EXPECT_EQ(studio.status("GET /studio.js HTTP/1.1", {host}), 403);
  EXPECT_EQ(studio.status("GET /" + std::string(32, '0') + "/ HTTP/1.1", {host}), 403);
  EXPECT_EQ(studio.status("POST /" + studio.token() + "/ HTTP/1.1", {host}), 405);
  const std::string socket = "GET /" + studio.token() + "/socket HTTP/1.1";
  const std::vector<std::string> upgrade = {host, "Upgrade: websocket", "Connection: Upgrade",
                                            "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="};
  const auto with_origin = [&](const std::string& origin) {
    std::vector<std::string> headers = upgrade;
    headers.push_back("Origin: " + origin);
    return headers;
  };
  EXPECT_EQ(studio.status(socket, upgrade), 403);
  EXPECT_EQ(studio.status(socket, with_origin("http://evil.example")), 403);
  EXPECT_EQ(studio.status(socket, with_origin("null")), 403);
  EXPECT_EQ(studio.status("GET /socket HTTP/1.1", with_origin("http://" + studio.host())), 403);
  EXPECT_EQ(studio.status(socket, with_origin("http://" + studio.host())), 101);
}

TEST_F(StudioServer, ServesItsPageAndNoFile) {
  const Place place;
  const RunningStudio studio(place.inner);
  EXPECT_EQ(studio.get("").first, 200);
  EXPECT_NE(studio.get("").second.find("studio.js"), std::string::npos);
  EXPECT_EQ(studio.get("studio.js").first, 200);
  EXPECT_EQ(studio.get("studio.css").first, 200);
  for (const char* path : {"own.alm", "../own.alm", "..", "%2e%2e/own.alm", "download/", "download/../own.alm",
                           "download/00112233445566778899aabbccddeeff.csv", "download//etc/passwd", "/etc/passwd"})
    EXPECT_EQ(studio.get(path).first, 404) << path;
}

TEST_F(StudioServer, NoFileOutsideTheFolder) {
  const Place place;
  const RunningStudio studio(place.inner);
  Page page(studio);
  EXPECT_EQ(page.ask("read", {{"path", "own.alm"}})["text"], swinging);
  for (const std::string& path : {std::string("../secret.alm"), std::string("link.alm"), std::string("up/secret.alm"),
                                  place.outer / "secret.alm", std::string("./../secret.alm")}) {
    EXPECT_EQ(page.ask("read", {{"path", path}})["kind"], "error") << path;
    EXPECT_EQ(page.ask("save", {{"path", path}, {"text", "changed"}})["kind"], "error") << path;
    EXPECT_EQ(page.ask("picture", {{"path", path}})["kind"], "error") << path;
  }
  EXPECT_EQ(apps_test::file_text(place.outer / "secret.alm"), "model \"Secret\"\ncoordinate x\nkinetic x'^2\n");
  // What a model names is looked for in the folder alone, too; whether it is there outside cannot be told.
  EXPECT_TRUE(page.ask("check", {{"text", table_model("own.csv")}})["diagnostics"].empty());
  EXPECT_EQ(page.ask("run", {{"text", table_model("own.csv")}})["kind"], "result");
  const Json missing = page.ask("check", {{"text", table_model("none.csv")}})["diagnostics"][0]["hint"];
  for (const std::string& file : {std::string("../secret.csv"), std::string("link.csv"), std::string("up/secret.csv"),
                                  place.outer / "secret.csv", std::string("/etc/passwd")}) {
    const Json said = page.ask("check", {{"text", table_model(file)}})["diagnostics"];
    ASSERT_EQ(said.size(), 1U) << file;
    EXPECT_EQ(said[0]["hint"], missing) << file;
    EXPECT_EQ(page.ask("run", {{"text", table_model(file)}})["kind"], "error") << file;
    // Nor does the name of the text itself lead there.
    EXPECT_FALSE(page.ask("check", {{"text", table_model("secret.csv")}, {"path", "../x.alm"}})["diagnostics"].empty());
  }
}

TEST_F(StudioServer, AnswersWithPlacesParametersAndMotion) {
  const Place place;
  const RunningStudio studio(place.inner);
  Page page(studio);
  Json said = page.ask("check", {{"text", "coordinate x\nkinetic x'^2\npotential lenght*x\n"}});
  ASSERT_EQ(said["diagnostics"].size(), 1U);
  EXPECT_EQ(said["diagnostics"][0]["line"], 3);
  EXPECT_EQ(said["diagnostics"][0]["column"], 11);
  EXPECT_EQ(said["diagnostics"][0]["length"], 6);
  said = page.ask("describe", {{"text", swinging}});
  ASSERT_EQ(said["parameters"].size(), 1U);
  EXPECT_EQ(said["parameters"][0]["name"], "k");
  EXPECT_EQ(said["solve"]["end"], 2.0);
  EXPECT_EQ(said["initial"].size(), 2U);
  // x = cos(sqrt(k) t), from one compilation for all k and all starts.
  for (const double k : {1.0, 4.0, 9.0}) {
    said = page.ask("run", {{"text", swinging}, {"values", {{"k", k}, {"x", 2}}}});
    ASSERT_EQ(said["kind"], "result") << said;
    EXPECT_NEAR(said["report"]["q"]["x"].get<double>(), 2 * std::cos(2 * std::sqrt(k)), 1e-8);
  }
  said = page.ask("run", {{"text", swinging}, {"values", {{"kk", 1}}}});
  EXPECT_EQ(said["kind"], "error");
  // Studies are of what is wished for, too.
  said = page.ask("verify", {{"text", swinging}, {"values", {{"k", 400}}}, {"step", 0.5}, {"end", 6}});
  ASSERT_EQ(said["kind"], "result") << said;
  EXPECT_EQ(said["found"]["step"], 0.5);
  EXPECT_EQ(said["found"]["end"], 6.0);
  said = page.ask("converge", {{"text", swinging}, {"values", {{"kk", 1}}}});
  EXPECT_EQ(said["kind"], "error");
  said = page.ask("export", {{"text", swinging}, {"format", "csv"}});
  ASSERT_EQ(said["kind"], "result");
  const auto [status, body] = studio.get("download/" + said["download"].get<std::string>());
  EXPECT_EQ(status, 200);
  EXPECT_TRUE(body.starts_with("t,x,")) << body.substr(0, 40);
  EXPECT_EQ(std::count(body.begin(), body.end(), '\n'), 42);  // a head, and 40 steps with the start
  EXPECT_EQ(studio.get("download/" + said["download"].get<std::string>()).first, 404);  // fetched once
  said = page.ask("export", {{"text", swinging}, {"format", "../x"}});
  EXPECT_EQ(said["kind"], "error");
}

TEST_F(StudioServer, CancelEndsALongRunAtOnce) {
  const Place place;
  const RunningStudio studio(place.inner);
  Page page(studio);
  page.ask("run", {{"text", swinging}});
  // The best of three: other tests may keep the machine busy.
  double best = 1;
  for (int i = 0; i < 3 && best >= 0.2; ++i) {
    const long id = page.next_id();
    page.send(Json({{"id", id}, {"do", "run"}, {"text", swinging}, {"end", 1e9}}).dump());
    while (page.receive()["kind"] != "progress") {}  // it runs
    const Clock::time_point asked = Clock::now();
    page.send(Json({{"id", page.next_id()}, {"do", "cancel"}, {"of", id}}).dump());
    const Json said = page.answer(id);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - asked).count());
    if (said["kind"] == "result") {
      EXPECT_EQ(said["report"]["ending"], "interrupted");
    } else {
      EXPECT_EQ(said["kind"], "cancelled");
    }
  }
  EXPECT_LT(best, 0.2);
  // The next one is as good as any.
  EXPECT_EQ(page.ask("run", {{"text", swinging}})["report"]["ending"], "done");
}

TEST_F(StudioServer, TypingIsAnsweredWhileARunGoesOn) {
  const Place place;
  const RunningStudio studio(place.inner);
  Page page(studio);
  const long id = page.next_id();
  page.send(Json({{"id", id}, {"do", "run"}, {"text", swinging}, {"end", 1e9}}).dump());
  EXPECT_TRUE(page.ask("check", {{"text", swinging}})["diagnostics"].empty());
  // And more requests than may wait are turned away.
  for (int i = 0; i < 40; ++i) page.send(Json({{"id", 1000 + i}, {"do", "run"}, {"text", "x"}}).dump());
  int busy = 0;
  for (int i = 0; i < 24; ++i) {
    Json said = page.receive();
    while (said["kind"] == "progress") said = page.receive();
    if (said["text"].get<std::string>().starts_with("busy")) ++busy;
  }
  EXPECT_EQ(busy, 24);
}

TEST_F(StudioServer, TooManyPagesAreTurnedAway) {
  const Place place;
  const RunningStudio studio(place.inner);
  std::vector<std::unique_ptr<Page>> pages;
  for (int i = 0; i < 4; ++i) pages.push_back(std::make_unique<Page>(studio));
  EXPECT_THROW(Page{studio}, std::runtime_error);
  EXPECT_EQ(pages[3]->ask("hello")["kind"], "result");
}

TEST_F(StudioServer, EndsCleanly) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const Place place;
    RunningStudio studio(place.inner);
    Page page(studio);
    page.send(Json({{"id", 1}, {"do", "run"}, {"text", swinging}, {"end", 1e9}}).dump());
    page.ask("hello");
    EXPECT_EQ(studio.end(signal), 0);
    EXPECT_TRUE(page.answer(1).is_null());  // said goodbye
    EXPECT_THROW(Page{studio}, std::runtime_error);
  }
}

TEST_F(StudioServer, WrongFoldersAndPortsAreToldAtOnce) {
  const Place place;
  const RunningStudio studio(place.inner);
  const std::string taken = std::to_string(studio.port());
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{place.outer / "none"},
                                             {place.inner + "/own.alm"},
                                             {place.inner, "--port", taken},
                                             {place.inner, "--port", "65536"},
                                             {place.inner, "--port", "-1"},
                                             {place.inner, "--port", "x"}}) {
    std::vector<std::string> words = {"studio", "--no-browser"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    EXPECT_EQ(apps_test::program(words).code, 2) << arguments.back();
  }
}

// Mutations --------------------------------------------------------------------------------------------------------

std::string mutated(std::string text, std::mt19937& random) {
  const auto below = [&](std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random); };
  for (std::size_t times = 1 + below(3); times-- > 0 && !text.empty();) {
    const std::size_t at = below(text.size());
    switch (below(6)) {
      case 0: text[at] = static_cast<char>(below(256)); break;
      case 1: text.erase(at, 1 + below(8)); break;
      case 2: text.insert(at, 1 + below(4), static_cast<char>(below(256))); break;
      case 3: text.insert(at, text.substr(below(text.size()), below(40))); break;
      case 4: text.resize(at); break;
      default: {
        static const std::vector<std::string> pieces = {
            "..",   "/",  "\\",    "\"",       "{",   "[[[[[[[[", "\r\n",
            "null", "-1", "1e999", "\xff\xfe", "%00", "Host: a",  "99999999999999999999",
            "<b>"};
        text.insert(at, pieces[below(pieces.size())]);
      }
    }
  }
  return text;
}

std::ptrdiff_t open_files(pid_t pid) {
  std::error_code ignored;
  return std::distance(fs::directory_iterator("/proc/" + std::to_string(pid) + "/fd", ignored), {});
}

TEST_F(StudioServer, MutatedRequestsNeitherCrashNorLeak) {
  const Place place;
  RunningStudio studio(place.inner);
  std::mt19937 random(20);  // the same in every run
  const std::string host = "\r\nHost: " + studio.host() + "\r\n";
  const std::vector<std::string> heads = {
      "GET /" + studio.token() + "/ HTTP/1.1" + host + "\r\n",
      "GET /" + studio.token() + "/download/00112233445566778899aabbccddeeff.csv HTTP/1.1" + host + "\r\n",
      "HEAD /" + studio.token() + "/licences.txt HTTP/1.1" + host + "Origin: http://" + studio.host() + "\r\n\r\n",
      "POST /" + studio.token() + "/ HTTP/1.1" + host + "Content-Length: 5\r\n\r\nhello",
      "GET /" + studio.token() + "/socket HTTP/1.1" + host +
          "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\nOrigin: http://" + studio.host() +
          "\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n\x81\x85\x01\x02\x03\x04hello",
  };
  ASSERT_EQ(studio.get("").first, 200);
  const std::ptrdiff_t files = open_files(studio.pid());
  for (int i = 0; i < 5000; ++i) {
    const std::string said = studio.raw(mutated(heads[static_cast<std::size_t>(i) % heads.size()], random));
    ASSERT_EQ(said.find("Secret"), std::string::npos);
  }
  ASSERT_TRUE(studio.alive());
  EXPECT_EQ(studio.get("").first, 200);
  EXPECT_LE(open_files(studio.pid()), files + 2);

  const std::string model =
      "model \"M\"\nparameter k = 1\ncoordinate x\nkinetic x'^2/2\npotential k*x^2\n"
      "solve gauss(1) step 0.1 end 1\n";
  const std::vector<Json> requests = {
      {{"do", "check"}, {"text", model}},
      {{"do", "describe"}, {"text", model}},
      {{"do", "read"}, {"path", "own.alm"}},
      {{"do", "save"}, {"path", "new.alm"}, {"text", model}},
      {{"do", "derive"}, {"text", model}, {"form", "index1"}},
      {{"do", "hello"}},
      {{"do", "cancel"}, {"of", 3}},
      {{"do", "run"}, {"text", model}, {"values", {{"k", 2}}}, {"step", 0.1}},
  };
  auto page = std::make_unique<Page>(studio);
  for (int i = 0; i < 5000; ++i) {
    Json request = requests[static_cast<std::size_t>(i) % requests.size()];
    const long id = page->next_id();
    request["id"] = id;
    // The text of the model is mutated, or the whole request.
    const bool inner = i % 2 == 0 && request.contains("text");
    if (inner) request["text"] = mutated(request["text"], random);
    const std::string text = request.dump(-1, ' ', false, Json::error_handler_t::replace);
    std::string sent = inner ? text : mutated(text, random);
    // A WebSocket closes at what is no UTF-8: that is tried now and then, and by the heads above.
    const bool closes = i % 500 == 1;
    if (closes) sent += '\xff';
    else
      std::replace_if(
          sent.begin(), sent.end(), [](char c) { return (c & 0x80) != 0; }, '?');
    page->send(sent);
    if (closes) {
      page = std::make_unique<Page>(studio);
      continue;
    }
    // What runs too long is ended, and the answer to the last of these shows that all were heard.
    if (request["do"] == "run") page->send(Json({{"id", -2}, {"do", "cancel"}, {"of", id}}).dump());
    if (i % 10 != 9) continue;
    const Json said = page->ask("list");
    ASSERT_EQ(said["kind"], "result") << said;
    ASSERT_EQ(page->crashes(), 0) << text;
  }
  ASSERT_TRUE(studio.alive());
  EXPECT_EQ(apps_test::file_text(place.outer / "secret.alm"), "model \"Secret\"\ncoordinate x\nkinetic x'^2\n");
  EXPECT_EQ(std::distance(fs::directory_iterator(place.outer / ""), {}), 3);  // nothing new beside the folder
  EXPECT_EQ(studio.end(SIGTERM), 0);  // under a sanitizer: leaks would be told here
}

}  // namespace
}  // namespace alembert::internal::studio_test
