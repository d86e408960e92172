import Foundation
import Sworm

/// The time of one row, for tables of different sizes: it should not grow with them.
struct Curve {
    let options: Options

    private struct Line {
        let name: String
        let sides: [Side]
        /// The rows that one run works on.
        let rows: Int
    }

    func print() throws {
        let sizes = options.isQuick ? [1_000, 10_000, 100_000] : [1_000, 10_000, 100_000, 1_000_000]
        var times: [String: [Side.Role: [Double]]] = [:]
        var names: [String] = []
        for size in sizes {
            let place = try Workplace(rows: size, at: nil)
            defer { place.remove() }
            try place.fill(forGRDB: false)
            names = []
            for line in lines(place) where options.includes(line.name) {
                names.append(line.name)
                for (role, time) in try measure(line, size) {
                    times[line.name, default: [:]][role, default: []].append(time)
                }
            }
        }
        show(names, sizes, times)
    }

    private func lines(_ place: Workplace) -> [Line] {
        func sides(_ name: String, _ benches: [Bench]) -> [Side] {
            (benches.first { $0.name == name }?.sides ?? []).filter { $0.role == .byHand || $0.role == .own }
        }
        let reading = readingBenches(place)
        return [
            Line(name: "decode", sides: sides("decode", reading), rows: place.rows),
            // Twenty times a thousand rows, whatever the size.
            Line(name: "filter by index", sides: sides("indexed filter", reading), rows: 20_000),
            Line(name: "traverse", sides: sides("traverse", graphBenches(place)), rows: place.rows),
            Line(name: "save", sides: sides("insert through the graph", writingBenches(place)), rows: place.rows),
        ]
    }

    /// The median nanoseconds of one row for every side.
    private func measure(_ line: Line, _ size: Int) throws -> [(Side.Role, Double)] {
        // Small tables more often: the same time for all sizes would be too short for the large, or too long for the small.
        let repetitions = max(3, min(options.isQuick ? 11 : 51, 2_000_000 / size))
        var samples = Samples()
        // The first run warms caches and is not counted.
        for side in line.sides { _ = try side.sample(trims: options.trims) }
        for repetition in 0..<repetitions {
            for turn in line.sides.indices {
                let side = line.sides[(turn + repetition) % line.sides.count]
                samples.add(try side.sample(trims: options.trims) * 1_000_000 / Double(line.rows), for: side.role)
            }
        }
        return line.sides.compactMap { side in samples.median(side.role).map { (side.role, $0) } }
    }

    private func show(_ names: [String], _ sizes: [Int], _ times: [String: [Side.Role: [Double]]]) {
        func padded(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        if !options.printsJSON {
            Swift.print("nanoseconds of one row; growth is the largest table's against the smallest time of the others")
            Swift.print("bench, side".padding(toLength: 28, withPad: " ", startingAt: 0), terminator: "")
            Swift.print(sizes.map { padded("\($0) rows", 14) }.joined(), padded("growth", 8))
        }
        for name in names {
            for role in [Side.Role.own, .byHand] {
                guard let row = times[name]?[role], let last = row.last, let least = row.min() else { continue }
                if options.printsJSON {
                    let fields = zip(sizes, row).map { "\"\($0)\": \(String(format: "%.1f", $1))" }
                    let side = role == .own ? "own" : "raw"
                    let points = fields.joined(separator: ", ")
                    Swift.print("{\"curve\": \"\(name)\", \"side\": \"\(side)\", \"ns_per_row\": {\(points)}}")
                } else {
                    let title = "\(name), \(role.rawValue)".padding(toLength: 28, withPad: " ", startingAt: 0)
                    let columns = row.map { padded(String(format: "%.0f", $0), 14) }.joined()
                    Swift.print(title + columns, padded(String(format: "%+.0f %%", (last / least - 1) * 100), 8))
                }
            }
        }
    }
}
