import Foundation

/// What was measured beside what is wanted.
struct Checks {
    private(set) var holds = true

    init() { Self.printLine("", "check", "measured", "wanted") }

    mutating func add(_ name: String, _ measured: String, wanted: String, _ isMet: Bool) {
        holds = holds && isMet
        Self.printLine(isMet ? "ok" : "MISSED", name, measured, wanted)
    }

    mutating func atMost(_ bar: Double, _ name: String, _ measured: Double, _ unit: String = "") {
        add(name, measured.text + unit, wanted: "at most \(bar.text)\(unit)", measured <= bar)
    }

    mutating func atLeast(_ bar: Double, _ name: String, _ measured: Double, _ unit: String = "") {
        add(name, measured.text + unit, wanted: "at least \(bar.text)\(unit)", measured >= bar)
    }

    /// A figure without a bar.
    func note(_ name: String, _ measured: String) { Self.printLine("", name, measured, "") }

    private static func printLine(_ words: String...) {
        let widths = [7, 58, 34, 0]
        say(zip(words, widths).map { $0.padding(toLength: max($1, $0.count), withPad: " ", startingAt: 0) }.joined())
    }
}

/// Prints a line at once, whatever the output is.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

extension Double {
    /// Three digits or so.
    var text: String {
        guard isFinite else { return "\(self)" }
        if self == rounded(), magnitude < 1e9 { return "\(Int(self))" }
        return magnitude >= 100 ? "\(Int(rounded()))" : String(format: magnitude >= 10 ? "%.1f" : "%.3f", self)
    }
}

extension Array<Double> {
    /// The value that a share of all does not exceed, of a sorted array.
    func quantile(_ share: Double) -> Double {
        isEmpty ? .nan : self[Swift.min(count - 1, Int(Double(count) * share))]
    }

    var median: Double {
        let sorted = sorted()
        guard !sorted.isEmpty else { return .nan }
        let middle = sorted.count / 2
        return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
    }
}

extension Duration {
    var milliseconds: Double { self / .milliseconds(1) }
}

extension SteadyRandom {
    mutating func pick(_ bound: Int) -> Int { Int(next() % UInt64(Swift.max(1, bound))) }
    mutating func chance(_ percent: Int) -> Bool { pick(100) < percent }
}
