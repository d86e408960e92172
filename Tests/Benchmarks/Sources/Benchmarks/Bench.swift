import Foundation

/// One way to do the work of a bench.
struct Side {
    /// Whose way it is.
    enum Role: String {
        /// SQLite's C interface, written by hand.
        case byHand = "by hand"
        case own
        /// The quickest that GRDB offers: rows by the index of their columns, statements prepared once.
        case grdbBest = "GRDB, best"
        /// GRDB with records that read their columns by name.
        case grdbByName = "GRDB, by name"
        /// GRDB as its readme begins: records that are `Codable`.
        case grdbCodable = "GRDB, Codable"
        /// The library too, but doing less: what `own` is compared with.
        case less = "doing less"
        /// Core Data's interface of the library: values of any type, by their keys.
        case keyed = "by key"
        /// Clients of PostgreSQL for Python whose decoders are compiled.
        case asyncpg
        case psycopg
    }

    enum Work {
        /// Is timed. What it returns is released outside the time, and boiled down to a number that must be the same for all sides.
        case timed(run: () throws -> Any, fingerprint: (Any) throws -> Int)
        /// Finds its figure itself.
        case valued(() throws -> Double)
    }

    let role: Role
    /// Done before every run, outside the time.
    let prepare: () throws -> Void
    let work: Work
    /// Done after every run, outside the time.
    let cleanUp: () throws -> Void

    init<Result>(
        _ role: Role, prepare: @escaping () throws -> Void = {}, cleanUp: @escaping () throws -> Void = {},
        fingerprint: @escaping (Result) throws -> Int, run: @escaping () throws -> Result
    ) {
        self.role = role
        self.prepare = prepare
        self.cleanUp = cleanUp
        work = .timed(run: run) { result in
            guard let result = result as? Result else {
                throw Failure("\(role.rawValue) yields something else than it says.")
            }
            return try fingerprint(result)
        }
    }

    init(
        _ role: Role, prepare: @escaping () throws -> Void = {}, cleanUp: @escaping () throws -> Void = {},
        value: @escaping () throws -> Double
    ) {
        self.role = role
        self.prepare = prepare
        self.cleanUp = cleanUp
        work = .valued(value)
    }
}

/// What is asked of the library in a bench.
struct Bar {
    /// What is compared.
    enum Measure {
        /// The time, divided by that of the other side.
        case ratio
        /// The time of the other side, divided by ours.
        case timesFaster
        /// The milliseconds beyond those of the other side.
        case extraMilliseconds
        /// The microseconds of one of so many operations.
        case microseconds(operations: Int)
        /// The microseconds of one of so many operations beyond those of the other side.
        case extraMicroseconds(operations: Int)
        /// Peak memory, divided by that of the other side.
        case memoryRatio
        /// The megabytes of peak memory beyond those of the other side.
        case extraMegabytes
        /// The megabytes of peak memory.
        case megabytes
        /// A number of things.
        case count
        /// A factor that the side found itself. Less is better.
        case slowdown
        /// A factor that the side found itself. More is better.
        case speedup

        var moreIsBetter: Bool {
            switch self {
            case .timesFaster, .speedup: true
            default: false
            }
        }

        var isMemory: Bool {
            switch self {
            case .memoryRatio, .extraMegabytes, .megabytes: true
            default: false
            }
        }
    }

    let name: String
    let measure: Measure
    /// The side that the library is compared with.
    let other: Side.Role
    let must: Double
    let aim: Double
    /// Whether a missed goal is only reported, because the figure depends more on the machine than on the library.
    let isReported: Bool

    init(
        _ name: String, _ measure: Measure, than other: Side.Role = .byHand, must: Double, aim: Double,
        isReported: Bool = false
    ) {
        self.name = name
        self.measure = measure
        self.other = other
        self.must = must
        self.aim = aim
        self.isReported = isReported
    }

    /// The figure that two sides came to in one repetition.
    func figure(_ own: Double, _ other: Double) -> Double {
        switch measure {
        case .ratio, .memoryRatio: own / other
        case .timesFaster: other / own
        case .extraMilliseconds, .extraMegabytes: own - other
        case .microseconds(let operations): own * 1000 / Double(operations)
        case .extraMicroseconds(let operations): (own - other) * 1000 / Double(operations)
        case .megabytes, .count, .slowdown, .speedup: own
        }
    }

    func isMet(_ figure: Double, _ bound: Double) -> Bool { measure.moreIsBetter ? figure >= bound : figure <= bound }
}

/// The same work, done in several ways, and what is asked of ours.
struct Bench {
    let name: String
    let bars: [Bar]
    let sides: [Side]
    /// By how much fewer repetitions there are than of other benches, because one takes long.
    let weight: Int

    init(_ name: String, weight: Int = 1, bars: [Bar], sides: [Side]) {
        self.name = name
        self.bars = bars
        self.sides = sides
        self.weight = weight
    }

    init(_ bar: Bar, weight: Int = 1, sides: [Side]) {
        self.init(bar.name, weight: weight, bars: [bar], sides: sides)
    }
}
