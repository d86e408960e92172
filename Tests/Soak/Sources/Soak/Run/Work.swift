import Foundation
import Sworm

/// A call that a client makes.
enum Work: String, CaseIterable, Sendable {
    /// Reads one state for 50 ms.
    case hold
    /// Long functions of ours in one statement each.
    case search, sort, scan
    /// One row by its unique key.
    case point
    /// Adds one to the plays of a row.
    case increment, incrementInPerform
    /// Sets a value of one row, or of a thousand.
    case set, setMany
    /// Computes on after its task was cancelled. Planted.
    case stubborn

    private var weight: Int {
        switch self {
        case .hold: 30
        case .search, .sort, .scan: 6
        case .point: 24
        case .increment, .incrementInPerform, .set: 10
        case .setMany: 1
        case .stubborn: 0
        }
    }

    private static let weighted = allCases.flatMap { Array(repeating: $0, count: $0.weight) }

    static func random(_ random: inout SteadyRandom) -> Work { weighted[random.pick(weighted.count)] }

    /// Makes the call, and returns how many plays it has added.
    func run(in store: PersistentContainer, number: Int64, _ moments: Moments) async throws -> Int {
        let track = Track.all.where { $0.number == number }
        /// Notes when the closure begins and ends.
        func noted<R>(_ body: () throws -> R) throws -> R {
            moments.closureBegins()
            defer { moments.closureEnds() }
            return try body()
        }
        switch self {
        case .hold:
            try await store.read { context in
                try noted {
                    let end = ContinuousClock.now + .milliseconds(50)
                    while .now < end {
                        _ = try context.decodeOne(track)
                        usleep(2000)
                    }
                }
            }
        case .search:
            let pattern = ".*[a-f]+.*[0-9]+.*\(number)x.*"
            _ = try await store.read { context in
                try noted { try context.count(of: Track.all.where { $0.title.matches(pattern, .caseInsensitive) }) }
            }
        case .sort:
            _ = try await store.read { context in
                try noted { try context.decode(Track.all.sort(\.title).sort(\.artist).limit(10)).count }
            }
        case .scan:
            _ = try await store.read { context in
                try noted { try context.count(of: Track.all.where { $0.album.contains("É\(number)", .search) }) }
            }
        case .point:
            _ = try await store.read { context in try noted { try context.decodeOne(track)?.plays } }
        case .increment:
            try await store.write { context in try noted { try Self.addPlay(to: track, context) } }
            return 1
        case .incrementInPerform:
            try await store.schedule(retrying: 5) { context in try noted { try Self.addPlay(to: track, context) } }
            return 1
        case .set:
            _ = try await store.write { context in
                try noted { try context.update(track, set: (\.rating, Double.random(in: 0...5))) }
            }
        case .setMany:
            let genre = Int(number % 10)
            _ = try await store.write { context in
                try noted {
                    try context.update(
                        Track.all.where { $0.genre == genre }, set: (\.rating, Double.random(in: 0...5)))
                }
            }
        case .stubborn:
            try await store.read { _ in
                try noted {
                    let end = ContinuousClock.now + .milliseconds(200)
                    while .now < end { usleep(1000) }
                }
            }
        }
        return 0
    }

    private static func addPlay(to track: Request<Track>, _ context: ManagedObjectContext) throws {
        guard let found = try context.fetchOne(track) else { throw Failure("a row is missing") }
        try found.encode(\.plays, try found.decode(\.plays) + 1)
    }
}
