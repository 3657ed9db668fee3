import Foundation
import Testing

@testable import Feeds

struct AnswerTests {
  @Test(arguments: [
    ("Sun, 06 Nov 1994 08:49:37 GMT", 784_111_777), ("Thu, 01 Jan 2026 00:00:00 GMT", 1_767_225_600),
    ("Thu, 29 Feb 2024 23:59:59 GMT", 1_709_251_199), ("Fri, 01 Mar 2024 00:00:00 GMT", 1_709_251_200),
    ("Sun, 01 Nov 2026 16:00:00 GMT", 1_793_548_800), ("Wed, 31 Dec 2199 23:59:59 GMT", 7_258_118_399),
  ]) func `dates of HTTP are understood`(text: String, seconds: Double) {
    #expect(HTTPDate.parse(text)?.timeIntervalSince1970 == seconds)
  }

  @Test(arguments: [
    "", "now", "Sun, 06 Nov 1994 08:49:37", "Sun, 06 Nov 1994 08:49:37 PST", "Sun, 06 Nov 0000 08:49:37 GMT",
    "Sun, 06 Nov 99999 08:49:37 GMT", "Sun, 06 Nov 1994 25:00:00 GMT", "Sun, -6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Foo 1994 08:49:37 GMT", "Sun, 06 Nov 1994 08:49 GMT", "Sun, 06 Nov 1994 08:49:+7 GMT",
    "Sun, 06 Nov 99999999999999999999 08:49:37 GMT",
  ]) func `what is no date is none`(text: String) { #expect(HTTPDate.parse(text) == nil) }

  /// The server's clock says 08:49:37.
  @Test(
    arguments: [
      ("120", 120), ("0", 1), ("1.5", 1.5), ("99999999999", 21600), ("1e300", 21600), ("-5", nil), ("nan", nil),
      ("inf", nil), ("soon", nil), ("Sun, 06 Nov 1994 08:50:37 GMT", 60), ("Sun, 06 Nov 1994 08:00:00 GMT", 1),
      ("Sun, 06 Nov 2094 08:00:00 GMT", 21600), (nil, nil),
    ] as [(String?, Double?)]) func `Retry-After is kept between a second and six hours`(
      text: String?, seconds: Double?
    )
  {
    var answer = Answer(status: 429, date: HTTPDate.parse("Sun, 06 Nov 1994 08:49:37 GMT"))
    answer.retryAfter = text
    #expect(answer.wait == seconds.map { .seconds($0) })
  }

  @Test func `Retry-After as a date needs the server's clock`() {
    var answer = Answer(status: 429)
    answer.retryAfter = "Sun, 06 Nov 1994 08:50:37 GMT"
    #expect(answer.wait == nil)
  }

  @Test(arguments: [
    ("<!DOCTYPE html><html>", true), ("\u{FEFF} \r\n<HTML lang=en>", true), ("<head>", true),
    ("<?xml version='1.0'?>", false),
    ("{}", false), ("", false), ("BEGIN:VCALENDAR", false),
  ]) func `a web page is known by its first word`(text: String, isPage: Bool) {
    #expect(Answer(status: 200, body: Array(text.utf8)).isWebPage == isPage)
  }
}
