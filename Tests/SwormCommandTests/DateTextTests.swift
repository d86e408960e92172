import Foundation
import TestSupport
import Testing

@testable import SwormCommand

@Suite("Dates as strings")
struct DateTextTests {
    private func text(_ seconds: Double) -> String {
        let sink = ByteSink()
        DateText.write(seconds, to: sink)
        return sink.text
    }

    @Test func `moments are written as ISO 8601`() {
        #expect(text(0) == "2001-01-01T00:00:00.000Z")
        #expect(text(-0.5) == "2000-12-31T23:59:59.500Z")
        #expect(text(0.9999999) == "2001-01-01T00:00:01.000Z")
        #expect(text(700_000_000.123456) == "2023-03-08T20:26:40.123456Z")
        #expect(text(-63_113_904_000) == "0001-01-01T00:00:00.000Z")
        #expect(text(1e300) == "1e+300")
        #expect(text(.infinity) == "inf")
    }

    @Test func `they agree with Foundation`() {
        let formatter = ISO8601DateFormatter()
        formatter.formatOptions = [.withInternetDateTime, .withFractionalSeconds]
        var random = SeededRandom(seed: 5)
        for _ in 0..<500 {
            let seconds = Double(random.pick(20_000_000_000)) - 12_000_000_000
            #expect(text(seconds) == formatter.string(from: Date(timeIntervalSinceReferenceDate: seconds)))
        }
    }

    @Test func `an exact string returns the same number`() {
        var random = SeededRandom(seed: 9)
        var exact = 0
        for _ in 0..<2000 {
            let seconds = Double(random.pick(1 << 40)) / 1024 - 300_000_000 + Double(random.pick(1000)) / 1e6
            guard let text = DateText.exact(seconds) else { continue }
            exact += 1
            #expect(DateText.seconds(text) == seconds, "\(text)")
        }
        #expect(exact > 1900)
        #expect(DateText.seconds("yesterday") == nil)
        #expect(DateText.seconds("2001-13-01T00:00:00Z") == nil)
    }
}
