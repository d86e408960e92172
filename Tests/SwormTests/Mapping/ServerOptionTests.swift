import Foundation
import Sworm
import TestSupport
import Testing

/// Attributes with the options that only a store on a server uses.
enum Records {
    struct Song: Equatable, Sendable {
        var title = ""
        var lyrics = ""
        var played: Date?
    }
    struct Odd: Sendable {
        var number = 0
        var day = Date(timeIntervalSinceReferenceDate: 0)
        var text = ""
    }
}

extension Records.Song: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.title, "title", .indexed, .indexed(.folded)), .init(\.lyrics, "lyrics", .indexed(.searched)),
        .init(\.played, "played", .exact),
    ]
    struct Relations: Sendable {}
    static let relations = Relations()
}

extension Records.Odd: ManagedObjectConvertible {
    static let attributes: Set<Attribute<Self>> = [
        .init(\.number, "number", .indexed(.folded)), .init(\.day, "day", .indexed(.searched)),
        .init(\.text, "text", .exact),
    ]
    struct Relations: Sendable {}
    static let relations = Relations()
}

@Suite("Options of attributes for stores on servers")
struct ServerOptionTests {
    @Test(.overEachStore) func `they change no result in any store`() throws {
        let store = try PersistentContainer(for: Records.Song.self, at: .tested)
        let date = Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7)
        let songs = [
            Records.Song(title: "Élan", lyrics: "la Là LA", played: date),
            Records.Song(title: "elan", lyrics: "do re mi"), Records.Song(title: "ELAN vital", lyrics: "LÀ"),
        ]
        try store.write { _ = try $0.insert(contentsOf: songs) }
        func titles(_ condition: String) throws -> [String] {
            try store.read { try $0.decode(Records.Song.all.where(raw: condition).sort(\.title)).map(\.title) }
        }
        #expect(try titles("title ==[cd] 'ELAN'") == ["elan", "Élan"])
        #expect(try titles("title ==[c] 'ELAN'") == ["elan"])
        #expect(try titles("title BEGINSWITH[cd] 'elan v'") == ["ELAN vital"])
        #expect(try titles("lyrics CONTAINS[cd] 'la'") == ["ELAN vital", "Élan"])
        #expect(try titles("lyrics CONTAINS[c] 'là l'") == ["Élan"])
        let played = try store.read { try $0.decode(Records.Song.all.where { $0.played == date }) }
        #expect(played == [songs[0]])
    }

    @Test func `they fit strings and dates only`() throws {
        let error = #expect(throws: StoreError.self) {
            _ = try PersistentContainer(for: Records.Odd.self, at: .memory)
        }
        let message = try #require(error?.message)
        for part in [
            "`.indexed(.folded)` is for strings", "`.indexed(.searched)` is for strings", "`.exact` is for dates",
        ] {
            #expect(message.contains(part), "\(message)")
        }
    }
}
