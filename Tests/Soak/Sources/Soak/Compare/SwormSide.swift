import Foundation
import Sworm

/// Sworm, with its usual settings: `synchronous` is `NORMAL`, and a connection has a cache of 16 MB.
struct SwormSide: PhaseSide {
    private let store: PersistentContainer

    init(_ url: URL) throws {
        store = try PersistentContainer(for: Track.self, at: .file(url), readers: PhaseSettings.readers)
    }

    static func fill(_ url: URL, rows: Int) throws {
        let store = try PersistentContainer(for: Track.self, at: .file(url))
        try store.perform { try $0.insert(contentsOf: Track.samples(rows)) }
        try store.checkpoint()
        try store.close()
    }

    func read(_ number: Int64) async throws -> Track? {
        try await store.read { context in try context.decodeOne(Track.all.where { $0.number == number }) }
    }

    func write(_ plays: Int, to number: Int64) async throws -> Int {
        try await store.write { context in
            try context.update(Track.all.where { $0.number == number }, set: (\.plays, plays))
        }
    }

    func close() throws { try store.close() }
}
