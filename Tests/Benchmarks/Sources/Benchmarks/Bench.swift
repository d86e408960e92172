import CBenchSQLite
import Foundation

/// One way to do the work of a bench.
struct Side {
    let name: String
    /// Done before every run, outside the time.
    let prepare: () throws -> Void
    /// The timed part. What it returns is released outside the time.
    let run: () throws -> Any
    /// Boils the values that a run yielded down to a number, which must be the same for all sides.
    let fingerprint: (Any) throws -> Int
    /// Done after every run, outside the time.
    let cleanUp: () throws -> Void

    init<Result>(
        _ name: String, prepare: @escaping () throws -> Void = {}, cleanUp: @escaping () throws -> Void = {},
        fingerprint: @escaping (Result) throws -> Int, run: @escaping () throws -> Result
    ) {
        self.name = name
        self.prepare = prepare
        self.cleanUp = cleanUp
        self.run = run
        self.fingerprint = { result in
            guard let result = result as? Result else { throw Failure("\(name) yields something else than it says.") }
            return try fingerprint(result)
        }
    }
}

/// The same work, done in several ways. The first is the one that the others are compared with.
struct Bench {
    /// What is compared.
    enum Measure {
        /// The time, divided by the time of the first side.
        case ratio
        /// The milliseconds beyond those of the first side.
        case extraMilliseconds
        /// The microseconds of one of so many operations.
        case microseconds(operations: Int)
        /// The microseconds of one of so many operations beyond those of the first side.
        case extraMicroseconds(operations: Int)
        /// Peak memory, divided by that of the first side.
        case memoryRatio
        /// The megabytes of peak memory beyond those of the first side.
        case extraMegabytes
    }

    let name: String
    let measure: Measure
    /// The bar, and what is aimed at.
    let must: Double
    let aim: Double
    let sides: [Side]
}

/// What a bench came to for one of its sides.
struct Figure {
    var side: String
    var value: Double
    /// The median time in milliseconds, or the median memory in megabytes; of the side, and of the first one.
    var own: Double
    var first: Double
}

extension Bench {
    func measure(_ options: Options, _ place: Workplace) throws -> [Figure] {
        switch measure {
        case .memoryRatio, .extraMegabytes: try measureMemory(options, place)
        case .ratio, .extraMilliseconds, .microseconds, .extraMicroseconds: try measureTime(options)
        }
    }

    private func measureTime(_ options: Options) throws -> [Figure] {
        var expected: Int?
        for side in sides {
            let found = try side.fingerprint(timed(side, options).result)
            try side.cleanUp()
            if let expected, found != expected {
                throw Failure("\(name): \(side.name) and \(sides[0].name) yield different values.")
            }
            expected = found
        }
        var times = sides.map { _ in [Double]() }
        for repetition in 0..<options.repetitions {
            for turn in sides.indices {
                let index = (turn + repetition) % sides.count
                times[index].append(try timed(sides[index], options).seconds * 1000)
                try sides[index].cleanUp()
            }
        }
        return sides.indices.dropFirst().map { index in
            let pairs = zip(times[index], times[0])
            let value =
                switch measure {
                case .extraMilliseconds: median(pairs.map { $0 - $1 })
                case .microseconds(let operations): median(times[index]) * 1000 / Double(operations)
                case .extraMicroseconds(let operations): median(pairs.map { $0 - $1 }) * 1000 / Double(operations)
                default: median(pairs.map { $0 / $1 })
                }
            return Figure(side: sides[index].name, value: value, own: median(times[index]), first: median(times[0]))
        }
    }

    private func timed(_ side: Side, _ options: Options) throws -> (result: Any, seconds: Double) {
        try side.prepare()
        #if os(Linux)
        if options.trims { malloc_trim(0) }
        #endif
        let start = ContinuousClock.now
        let result = try side.run()
        let duration = ContinuousClock.now - start
        return (result, Double(duration.components.seconds) + Double(duration.components.attoseconds) * 1e-18)
    }

    private func measureMemory(_ options: Options, _ place: Workplace) throws -> [Figure] {
        let runs = options.isQuick ? 1 : 3
        let peaks = try sides.indices.map { index in
            try median(
                (0..<runs).map { _ in try Memory.growthInChild(bench: name, side: index, place, rows: options.rows) })
        }
        return sides.indices.dropFirst().map { index in
            let value: Double
            if case .extraMegabytes = measure {
                value = peaks[index] - peaks[0]
            } else {
                value = peaks[index] / peaks[0]
            }
            return Figure(side: sides[index].name, value: value, own: peaks[index], first: peaks[0])
        }
    }
}

func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
