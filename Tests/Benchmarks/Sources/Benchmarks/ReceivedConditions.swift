import Foundation
import Sworm

/// What a condition that a client sends costs before it runs: decoding its JSON, and checking it against an allow-list. The time
/// of a byte must not grow with the size.
struct ReceivedConditions {
    private static let sizes = [1_000, 10_000, 100_000, 1_000_000]

    private let allowed: ConditionAllowList = {
        var allowed = ConditionAllowList().allowing(Book.self, \.title, \.pages)
        allowed.maximumSize = .max
        return allowed
    }()

    /// Conditions of about a number of bytes: their format, and their string arguments.
    private let shapes: [(name: String, make: (Int) -> (format: String, arguments: [String]))] = [
        ("a long string", { ("title == %@", [String(repeating: "a", count: $0)]) }),
        (
            "many comparisons",
            { size in (Array(repeating: "pages > 100", count: size / 15).joined(separator: " OR "), []) }
        ),
        (
            "many arguments",
            { size in
                let count = size / 35
                return (
                    Array(repeating: "title == %@", count: count).joined(separator: " OR "),
                    (0..<count).map { "t\($0)" }
                )
            }
        ),
        (
            "a list of numbers",
            { size in ("pages IN {\(Array(repeating: "12345", count: size / 7).joined(separator: ", "))}", []) }
        ),
        (
            "brackets",
            { size in (Array(repeating: "((pages + 1) * 2 > (3))", count: size / 28).joined(separator: " AND "), []) }
        ),
    ]

    private struct Message: Encodable {
        var entity = "Book"
        let format: String
        let arguments: [[String: String]]
    }

    /// Whether a byte of a large condition takes at most twice the time of one of a small, and a kilobyte at most a millisecond.
    func print() throws -> Bool {
        var isMet = true
        Swift.print("condition".padded(20), Self.sizes.map { "\($0 / 1_000) kB, ms".padded(14) }.joined(), "ns a byte")
        for shape in shapes {
            var times: [Double] = []
            var perByte: [Double] = []
            for size in Self.sizes {
                let (format, arguments) = shape.make(size)
                let body = try JSONEncoder().encode(
                    Message(format: format, arguments: arguments.map { ["string": $0] }))
                let time = try median(of: size > 100_000 ? 7 : 41) {
                    let condition = try JSONDecoder().decode(Condition<Book>.self, from: body)
                    try condition.check(against: allowed)
                }
                times.append(time)
                perByte.append(time / Double(body.count))
            }
            // A byte of a small condition may take longer, as some work is the same for all.
            let growth = perByte.indices.map { perByte[$0] / (perByte[...$0].min() ?? 1) }.max() ?? 1
            let isGood = growth <= 2 && times[0] <= 1e6
            if !isGood { isMet = false }
            let columns = times.map { String(format: "%.3f", $0 / 1e6).padded(14) }.joined()
            let bytes = perByte.map { String(format: "%.1f", $0) }.joined(separator: " ")
            Swift.print(
                shape.name.padded(20), columns, bytes, String(format: "(x %.2f)", growth), isGood ? "" : "MISSED")
        }
        return isMet
    }

    /// The median of the nanoseconds of some runs.
    private func median(of count: Int, _ body: () throws -> Void) throws -> Double {
        try body()
        let clock = ContinuousClock()
        let times = try (0..<count).map { _ in try clock.measure(body) / .nanoseconds(1) }
        return times.sorted()[count / 2]
    }
}

extension String {
    fileprivate func padded(_ width: Int) -> String { padding(toLength: width, withPad: " ", startingAt: 0) }
}
