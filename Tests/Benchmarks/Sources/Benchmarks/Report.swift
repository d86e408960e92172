import Foundation

/// Prints what was measured.
struct Report {
    private let printsJSON: Bool
    private(set) var isMet = true

    init(_ options: Options) {
        printsJSON = options.printsJSON
        guard !printsJSON else { return }
        print("\(options.rows) rows, \(options.repetitions) repetitions; ratios are against the C interface by hand")
        print("")
        print(Self.line("bench", "side", "by hand", "own", "figure", "must", "aim", ""))
        print(String(repeating: "-", count: 112))
    }

    mutating func add(_ bench: Bench, _ figures: [Figure]) {
        for figure in figures {
            let isOk = figure.value <= bench.must
            if !isOk { isMet = false }
            if printsJSON {
                printJSON(bench, figure, isOk)
                continue
            }
            print(
                Self.line(
                    bench.name, figure.side, bench.measure.amount(figure.first), bench.measure.amount(figure.own),
                    bench.measure.text(figure.value), bench.measure.text(bench.must), bench.measure.text(bench.aim),
                    isOk ? (figure.value <= bench.aim ? "aim met" : "ok") : "MISSED"))
        }
        fflush(nil)
    }

    func finish() {
        if !printsJSON { print(isMet ? "\nEvery bar is met." : "\nA bar was missed.") }
    }

    private func printJSON(_ bench: Bench, _ figure: Figure, _ isOk: Bool) {
        func number(_ value: Double) -> String { String(format: "%.4f", value) }
        print(
            "{\"bench\": \"\(bench.name)\", \"side\": \"\(figure.side)\", \"\(bench.measure.key)\": \(number(figure.value)), "
                + "\"own\": \(number(figure.own)), \"raw\": \(number(figure.first)), \"must\": \(number(bench.must)), "
                + "\"aim\": \(number(bench.aim)), \"ok\": \(isOk)}")
    }

    private static func line(_ columns: String...) -> String {
        let widths = [30, 16, 11, 11, 10, 10, 10, 8]
        return zip(columns, widths).enumerated().map { index, column in
            let padding = String(repeating: " ", count: max(0, column.1 - column.0.count))
            return index < 2 || index == 7 ? column.0 + padding : padding + column.0
        }.joined(separator: " ")
    }
}

extension Bench.Measure {
    /// The name of the figure in JSON.
    fileprivate var key: String {
        switch self {
        case .ratio: "ratio_raw"
        case .extraMilliseconds: "extra_ms"
        case .microseconds: "us_each"
        case .extraMicroseconds: "extra_us_each"
        case .memoryRatio: "memory_ratio_raw"
        case .extraMegabytes: "extra_mb"
        }
    }

    fileprivate func text(_ value: Double) -> String {
        switch self {
        case .ratio, .memoryRatio: String(format: "%.2f x", value)
        case .extraMilliseconds: String(format: "%+.2f ms", value)
        case .microseconds: String(format: "%.2f us", value)
        case .extraMicroseconds: String(format: "%+.2f us", value)
        case .extraMegabytes: String(format: "%+.1f MB", value)
        }
    }

    fileprivate func amount(_ value: Double) -> String {
        switch self {
        case .memoryRatio, .extraMegabytes: String(format: "%.1f MB", value)
        default: String(format: "%.2f ms", value)
        }
    }
}
