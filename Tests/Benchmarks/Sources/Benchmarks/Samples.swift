import CBenchSQLite
import Foundation

/// What the sides of a bench came to: the milliseconds, megabytes or other figures of every repetition.
struct Samples {
    private(set) var values: [Side.Role: [Double]] = [:]

    mutating func add(_ value: Double, for role: Side.Role) { values[role, default: []].append(value) }

    /// The median of a side.
    func median(_ role: Side.Role) -> Double? { values[role].map { middle(of: $0) } }

    /// The median of what single repetitions gave: a machine that slows down in between slows both sides of one.
    func median(_ first: Side.Role, _ second: Side.Role, _ combine: (Double, Double) -> Double) -> Double? {
        guard let first = values[first], let second = values[second] else { return nil }
        return middle(of: zip(first, second).map { combine($0, $1) })
    }

    func figure(of bar: Bar) throws -> Double {
        // A figure of its own has no other side.
        if let figure = median(.own, bar.other, bar.figure) ?? median(.own, .own, bar.figure) { return figure }
        throw Failure("\(bar.name): the library has no side in it.")
    }
}

extension Bench {
    func measure(_ options: Options, _ place: Workplace) throws -> Samples {
        bars.contains { $0.measure.isMemory } ? try measureMemory(options, place) : try measureTime(options)
    }

    /// Runs every side once in every repetition, in an order of its own: what one leaves to the disk or in the caches must not
    /// always meet the same other.
    func measureTime(_ options: Options) throws -> Samples {
        try compareSides()
        var samples = Samples()
        var random = SteadyRandom(state: 42)
        for _ in 0..<max(min(3, options.repetitions), options.repetitions / weight) {
            for side in sides.shuffled(using: &random) {
                samples.add(try side.sample(trims: options.trims), for: side.role)
            }
        }
        return samples
    }

    /// Throws when the sides do not yield the same values.
    private func compareSides() throws {
        var expected: Int?
        for side in sides {
            guard case .timed(let run, let fingerprint) = side.work else { continue }
            try side.prepare()
            let found = try fingerprint(try run())
            try side.cleanUp()
            try requireEqual(found, &expected, side)
        }
    }

    private func requireEqual(_ found: Int, _ expected: inout Int?, _ side: Side) throws {
        if let expected, found != expected {
            throw Failure("\(name): \(side.role.rawValue) and \(sides[0].role.rawValue) yield different values.")
        }
        expected = found
    }

    private func measureMemory(_ options: Options, _ place: Workplace) throws -> Samples {
        var samples = Samples()
        var expected: Int?
        for _ in 0..<(options.isQuick ? 1 : max(1, 3 / weight)) {
            for index in sides.indices {
                let growth = try Memory.growthInChild(bench: name, side: index, place, rows: options.rows)
                samples.add(growth.megabytes, for: sides[index].role)
                try requireEqual(growth.fingerprint, &expected, sides[index])
            }
        }
        return samples
    }
}

extension Side {
    /// One repetition: the milliseconds, or what the side finds itself.
    func sample(trims: Bool) throws -> Double {
        try prepare()
        let value: Double
        switch work {
        case .valued(let find): value = try find()
        case .timed(let run, _):
            #if os(Linux)
            if trims { malloc_trim(0) }
            #endif
            let start = ContinuousClock.now
            let result = try run()
            value = start.millisecondsAgo
            withExtendedLifetime(result) {}
        }
        try cleanUp()
        return value
    }
}

extension ContinuousClock.Instant {
    var millisecondsAgo: Double { (ContinuousClock.now - self) / .milliseconds(1) }
}

func middle(of values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
