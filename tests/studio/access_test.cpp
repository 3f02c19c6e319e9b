#include "alembert/studio/access.h"

#include <gtest/gtest.h>

#include <set>

namespace alembert::internal::studio {
namespace {

const std::string access_token = "00112233445566778899aabbccddeeff";

RequestHead usual_head() {
  RequestHead head;
  head.method = "GET";
  head.target = "/00112233445566778899aabbccddeeff/";
  head.host = "127.0.0.1:8000";
  return head;
}

unsigned status_of(const RequestHead& head) { return judge(head, 8000, access_token).status; }

TEST(StudioAccess, OwnPagesAreServed) {
  RequestHead head = usual_head();
  EXPECT_EQ(status_of(head), 200U);
  EXPECT_EQ(judge(head, 8000, access_token).path, "");
  head.target = "/00112233445566778899aabbccddeeff/studio.js";
  head.host = "localhost:8000";
  head.origin = "http://localhost:8000";
  head.fetch_site = "same-origin";
  EXPECT_EQ(judge(head, 8000, access_token).path, "studio.js");
  head.upgrade = true;
  EXPECT_EQ(status_of(head), 200U);
}

TEST(StudioAccess, OtherHostsAreRefused) {
  for (const char* host : {"", "evil.example", "evil.example:8000", "127.0.0.1", "127.0.0.1:8001", "127.0.0.2:8000",
                           "localhost", "localhost:8000.evil.example", "LOCALHOST:8000 ", "[::1]:8000"}) {
    RequestHead head = usual_head();
    head.host = host;
    EXPECT_EQ(status_of(head), 403U) << host;
  }
}

TEST(StudioAccess, OtherOriginsAreRefused) {
  for (const char* origin :
       {"null", "http://evil.example", "https://127.0.0.1:8000", "http://127.0.0.1:8001",
        "http://127.0.0.1:8000.evil.example", "http://localhost:8000", "127.0.0.1:8000", "file://"}) {
    RequestHead head = usual_head();
    head.origin = origin;
    EXPECT_EQ(status_of(head), 403U) << origin;
  }
  // A WebSocket says where it comes from.
  RequestHead head = usual_head();
  head.upgrade = true;
  EXPECT_EQ(status_of(head), 403U);
}

TEST(StudioAccess, WhatPagesOfOthersLoadIsRefused) {
  RequestHead head = usual_head();
  head.fetch_site = "cross-site";
  head.fetch_mode = "no-cors";
  EXPECT_EQ(status_of(head), 403U);
  head.fetch_mode = "navigate";  // a link that somebody follows
  EXPECT_EQ(status_of(head), 200U);
}

TEST(StudioAccess, WithoutTheTokenNothingIsServed) {
  for (const char* target :
       {"/", "", "*", "/studio.js", "/00112233445566778899aabbccddeef0/", "/00112233445566778899aabbccddeeff",
        "/00112233445566778899AABBCCDDEEFF/", "/00112233445566778899aabbccddeeff0/",
        "http://127.0.0.1:8000/00112233445566778899aabbccddeeff/", "//00112233445566778899aabbccddeeff/"}) {
    RequestHead head = usual_head();
    head.target = target;
    EXPECT_EQ(status_of(head), 403U) << target;
  }
}

TEST(StudioAccess, OtherMethodsAreNotKnown) {
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "get"}) {
    RequestHead head = usual_head();
    head.method = method;
    EXPECT_EQ(status_of(head), 405U) << method;
  }
}

TEST(StudioAccess, TokensAreLongAndDiffer) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string token = random_token();
    EXPECT_EQ(token.size(), 32U);
    EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos);
    seen.insert(token);
  }
  EXPECT_EQ(seen.size(), 1000U);
  EXPECT_TRUE(equal_in_constant_time("abc", "abc"));
  EXPECT_FALSE(equal_in_constant_time("abc", "abd"));
  EXPECT_FALSE(equal_in_constant_time("abc", "ab"));
  EXPECT_FALSE(equal_in_constant_time("", "a"));
}

}  // namespace
}  // namespace alembert::internal::studio
