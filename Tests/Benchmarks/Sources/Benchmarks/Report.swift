import Foundation

/// Prints what was measured.
struct Report {
    private let printsJSON: Bool
    private(set) var isMet = true

    init(_ options: Options) {
        printsJSON = options.printsJSON
        guard !printsJSON else { return }
        print("\(options.rows) rows, \(options.repetitions) repetitions; amounts are medians of them;")
        print("a figure is the median of what single repetitions gave, and bars in brackets are only reported")
        print("")
        print(Self.line("bench", "by hand", "own", "GRDB best", "GRDB ord.", "figure", "must", "aim", ""))
        print(String(repeating: "-", count: 123))
    }

    mutating func add(_ bar: Bar, _ samples: Samples) throws {
        let figure = try samples.figure(of: bar)
        let isOk = bar.isMet(figure, bar.must)
        if !isOk, !bar.isReported { isMet = false }
        if printsJSON {
            printJSON(bar, figure, isOk, samples)
        } else {
            func amount(_ role: Side.Role) -> String? { samples.median(role).map(bar.measure.amount) }
            let must = (bar.measure.moreIsBetter ? ">= " : "") + bar.measure.text(bar.must)
            let hasAimed = bar.isMet(figure, bar.aim)
            print(
                Self.line(
                    bar.name, amount(.byHand) ?? amount(.less) ?? amount(.keyed) ?? "", amount(.own) ?? "",
                    amount(.grdbBest) ?? "",
                    amount(bar.other == .grdbByName ? .grdbByName : .grdbCodable) ?? "", bar.measure.text(figure),
                    bar.isReported ? "(\(must))" : must, bar.measure.text(bar.aim),
                    hasAimed ? "aim met" : isOk ? "ok" : bar.isReported ? "short" : "MISSED"))
        }
        fflush(nil)
    }

    func finish() {
        if !printsJSON { print(isMet ? "\nEvery bar is met." : "\nA bar was missed.") }
    }

    private func printJSON(_ bar: Bar, _ figure: Double, _ isOk: Bool, _ samples: Samples) {
        func number(_ value: Double?) -> String {
            value.flatMap { $0.isFinite ? String(format: "%.4f", $0) : nil } ?? "null"
        }
        func medians(_ role: Side.Role) -> String { number(samples.median(role)) }
        let grdb: Side.Role = bar.measure.moreIsBetter ? bar.other : .grdbBest
        let isSimple = bar.measure.comparesWhole
        let fields = [
            ("bench", "\"\(bar.name)\""),
            ("ratio_raw", number(isSimple ? samples.median(.own, .byHand) { $0 / $1 } : nil)),
            ("ratio_grdb", number(isSimple ? samples.median(grdb, .own) { $0 / $1 } : nil)),
            ("figure", number(figure)), ("unit", "\"\(bar.measure.unit)\""),
            ("more_is_better", "\(bar.measure.moreIsBetter)"),
            ("must", bar.isReported ? "null" : number(bar.must)), ("aim", number(bar.aim)),
            ("ok", bar.isReported ? "null" : "\(isOk)"), ("own", medians(.own)), ("raw", medians(.byHand)),
            ("grdb_best", medians(.grdbBest)), ("grdb_by_name", medians(.grdbByName)),
            ("grdb_codable", medians(.grdbCodable)),
        ]
        print("{" + fields.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}")
    }

    private static func line(_ columns: String...) -> String {
        let widths = [40, 10, 10, 10, 10, 10, 12, 10, 8]
        return zip(columns, widths).enumerated().map { index, column in
            let padding = String(repeating: " ", count: max(0, column.1 - column.0.count))
            return index == 0 || index == 8 ? column.0 + padding : padding + column.0
        }.joined(separator: " ")
    }
}

extension Bar.Measure {
    /// Whether the quotient of two sides says something.
    fileprivate var comparesWhole: Bool {
        switch self {
        case .count, .slowdown, .speedup: false
        default: true
        }
    }

    fileprivate var unit: String {
        switch self {
        case .ratio, .memoryRatio, .timesFaster, .slowdown, .speedup: "x"
        case .extraMilliseconds: "ms"
        case .microseconds, .extraMicroseconds: "us"
        case .extraMegabytes, .megabytes: "MB"
        case .count: ""
        }
    }

    fileprivate func text(_ value: Double) -> String {
        switch self {
        case .ratio, .memoryRatio, .timesFaster, .slowdown, .speedup: String(format: "%.2f x", value)
        case .extraMilliseconds: String(format: "%+.2f ms", value)
        case .microseconds: String(format: "%.2f us", value)
        case .extraMicroseconds: String(format: "%+.2f us", value)
        case .extraMegabytes: String(format: "%+.1f MB", value)
        case .megabytes: String(format: "%.1f MB", value)
        case .count: String(format: "%.0f", value)
        }
    }

    fileprivate func amount(_ value: Double) -> String {
        switch self {
        case .memoryRatio, .extraMegabytes, .megabytes: String(format: "%.1f MB", value)
        case .count, .slowdown, .speedup: text(value)
        default: String(format: "%.2f ms", value)
        }
    }
}
