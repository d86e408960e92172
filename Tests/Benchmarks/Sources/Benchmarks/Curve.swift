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
                for (role, time) in try measure(line) {
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
    private func measure(_ line: Line) throws -> [(Side.Role, Double)] {
        // Short runs more often: the same time for all would be too short for the long, or too long for the short.
        let repetitions = max(5, min(options.isQuick ? 11 : 51, 2_000_000 / line.rows))
        var samples = Samples()
        // The first run warms caches and is not counted.
        for side in line.sides { _ = try side.sample(trims: options.trims) }
        var random = SteadyRandom(state: 42)
        for _ in 0..<repetitions {
            for side in line.sides.shuffled(using: &random) {
                samples.add(try side.sample(trims: options.trims) * 1_000_000 / Double(line.rows), for: side.role)
            }
        }
        return line.sides.compactMap { side in samples.median(side.role).map { (side.role, $0) } }
    }

    private func show(_ names: [String], _ sizes: [Int], _ times: [String: [Side.Role: [Double]]]) {
        if !options.printsJSON {
            Swift.print("nanoseconds of one row, and how much more they are in the largest table than at the least")
            line("bench, side", sizes.map { "\($0) rows" }, "growth")
        }
        for name in names {
            guard let own = times[name]?[.own], let byHand = times[name]?[.byHand] else { continue }
            if options.printsJSON {
                func points(_ values: [Double]) -> String {
                    zip(sizes, values).map { "\"\($0)\": \(String(format: "%.1f", $1))" }.joined(separator: ", ")
                }
                Swift.print(
                    "{\"curve\": \"\(name)\", \"own_ns\": {\(points(own))}, \"raw_ns\": {\(points(byHand))}, "
                        + "\"growth\": \(String(format: "%.3f", growth(own)))}")
            } else {
                let ratios = zip(own, byHand).map { $0 / $1 }
                func percent(_ values: [Double]) -> String { String(format: "%+.0f %%", growth(values) * 100) }
                line("\(name), own", own.map { String(format: "%.0f", $0) }, percent(own))
                line("\(name), by hand", byHand.map { String(format: "%.0f", $0) }, percent(byHand))
                // What memory and disk cost in large tables, both sides pay.
                line("\(name), ratio", ratios.map { String(format: "%.2f x", $0) }, percent(ratios))
            }
        }
    }

    private func growth(_ values: [Double]) -> Double {
        guard let last = values.last, let least = values.min() else { return .nan }
        return last / least - 1
    }

    private func line(_ title: String, _ columns: [String], _ growth: String) {
        func padded(_ text: String, _ width: Int) -> String {
            String(repeating: " ", count: max(0, width - text.count)) + text
        }
        let title = title + String(repeating: " ", count: max(0, 28 - title.count))
        Swift.print(title + columns.map { padded($0, 14) }.joined() + padded(growth, 10))
    }
}
