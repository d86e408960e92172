/// A table in columns that fits a terminal.
///
/// The widths are determined from the first rows; later rows are truncated to them. Therefore, the memory use does not
/// depend on the length of the table.
final class TextTable {
    private static let sample = 500
    private static let gap = 2

    private let titles: [String]
    private let isRight: [Bool]
    private let width: Int
    private let sink: ByteSink
    private var waiting: [[String]] = []
    private var widths: [Int]?

    init(_ titles: [String], right: [Bool]? = nil, width: Int, to sink: ByteSink) {
        self.titles = titles
        isRight = right ?? titles.map { _ in false }
        self.width = width
        self.sink = sink
    }

    func add(_ row: [String]) {
        let row = row.map(Self.oneLine)
        guard let widths else {
            waiting.append(row)
            if waiting.count >= Self.sample { begin() }
            return
        }
        write(row, widths: widths)
    }

    func end() { if widths == nil { begin() } }

    private func begin() {
        let widths = fittingWidths()
        self.widths = widths
        if !widths.isEmpty {
            write(titles, widths: widths)
            sink.write(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  ") + "\n")
        }
        for row in waiting { write(row, widths: widths) }
        waiting = []
    }

    private func fittingWidths() -> [Int] {
        var widths = titles.map(DisplayWidth.of)
        for row in waiting {
            for (index, cell) in row.enumerated() { widths[index] = max(widths[index], DisplayWidth.of(cell)) }
        }
        let room = width - Self.gap * (widths.count - 1)
        // There are too many columns for one line: write one value per line, under a heading for each object.
        guard room >= widths.map({ min($0, 10) }).reduce(0, +) else { return [] }
        var excess = widths.reduce(0, +) - room
        // Reduce the widest columns first, down to the next widest.
        while excess > 0, let widest = widths.max(), widest > 5 {
            let places = widths.indices.filter { widths[$0] == widest }
            let next = max(5, widths.filter { $0 < widest }.max() ?? 5)
            for place in places {
                let cut = min(widest - next, (excess + places.count - 1) / places.count, excess)
                guard cut > 0 else { break }
                widths[place] -= cut
                excess -= cut
            }
        }
        return widths
    }

    private func write(_ row: [String], widths: [Int]) {
        if widths.isEmpty { return writeList(row) }
        var line = ""
        for (index, cell) in row.enumerated() {
            if index > 0 { line += "  " }
            line += DisplayWidth.fit(cell, to: widths[index], right: isRight[index])
        }
        while line.hasSuffix(" ") { line.removeLast() }
        sink.write(line + "\n")
    }

    private func writeList(_ row: [String]) {
        let label = min(titles.map(DisplayWidth.of).max() ?? 0, max(8, width / 3))
        for (title, cell) in zip(titles, row) {
            let name = DisplayWidth.fit(title, to: label)
            sink.write(name + "  " + DisplayWidth.cut(cell, to: max(5, width - label - 2)) + "\n")
        }
        sink.write("\n" as StaticString)
    }

    /// Returns a cell without line breaks and other characters that move the cursor or change the direction of the text.
    static func oneLine(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isInvisible) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\r": continue
            case "\n": result.append("↵")
            case "\t": result.append(" ")
            default: result.append(isInvisible(scalar) ? "·" : scalar)
            }
        }
        return String(result)
    }

    /// Whether a character has no form of its own. The joiners of emoji and of scripts have none, but change the form of
    /// their neighbors.
    private static func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator: true
        case .format: scalar.value != 0x200C && scalar.value != 0x200D
        default: false
        }
    }
}
