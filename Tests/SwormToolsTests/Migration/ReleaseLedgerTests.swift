import Foundation
import Sworm
import SwormTools
import Testing

/// A released version, and what somebody made of it later.
private enum Released {
    struct Note: ManagedObjectConvertible {
        var text = ""
        var mark = 0
        static let attributes: Set<Attribute<Self>> = [.init(\.text, "text"), .init(\.mark, "mark")]
        struct Relations: Sendable { let tags = ToManyRelation<Tag>("tags", inverse: \.notes) }
        static let relations = Relations()
    }

    struct Tag: ManagedObjectConvertible {
        static let attributes: Set<Attribute<Self>> = []
        struct Relations: Sendable { let notes = ToManyRelation<Note>("notes") }
        static let relations = Relations()
    }
}

private enum Changed {
    struct Note: ManagedObjectConvertible {
        var text: String?
        var mark = 0.0
        var page = 0
        static let attributes: Set<Attribute<Self>> = [
            .init(\.text, "text"), .init(\.mark, "mark"), .init(\.page, "page"),
        ]
        struct Relations: Sendable { let tags = ToManyOrderedRelation<Tag>("tags", inverse: \.notes) }
        static let relations = Relations()
    }

    struct Tag: ManagedObjectConvertible {
        static let attributes: Set<Attribute<Self>> = []
        struct Relations: Sendable { let notes = ToManyRelation<Note>("notes") }
        static let relations = Relations()
    }
}

@Suite("Ledgers of released versions")
struct ReleaseLedgerTests {
    @Test func `unchanged recorded versions pass`() throws {
        let folder = try StoreFolder()
        let ledger = ReleaseLedger(in: folder.url.appendingPathComponent("releases"))
        #expect(try ledger.releases() == [])
        try ledger.record("1", of: .library) { try $0.insert(LibraryV1.Book(title: "Emma", cents: 1250)) }
        try ledger.record("2", of: .library) { try $0.insert(LibraryV2.Book(title: "Persuasion", cents: 999)) }
        #expect(try ledger.releases() == ["1", "2"])
        try ledger.check(.library)
    }

    @Test func `a version that is recorded already is left alone`() throws {
        let folder = try StoreFolder()
        let ledger = ReleaseLedger(in: folder.url)
        try ledger.record("1", of: .library) { try $0.insert(LibraryV1.Book(title: "Emma")) }
        try ledger.record("1", of: .library) { _ in Issue.record("It is filled once only.") }
        let note = try String(contentsOf: folder.url.appendingPathComponent("1.release.json"), encoding: .utf8)
        #expect(note.contains("attribute, Int64, required"))
    }

    @Test func `a changed version fails with every property named`() throws {
        let folder = try StoreFolder()
        let ledger = ReleaseLedger(in: folder.url)
        try ledger.record("1", of: MigrationPlan([.init("1", Released.Note.self)]))
        let changed = MigrationPlan([.init("1", Changed.Note.self)])
        for act in [{ try ledger.check(changed) }, { try ledger.record("1", of: changed) }] {
            let error = #expect(throws: StoreError.self) { try act() }
            #expect(error?.code == .changedRelease)
            #expect(
                error?.message == """
                    Released versions have changed. Restore them, and add a new version:
                    - Version '1': 'Note'.mark was attribute, Int64, required, and is now attribute, Double, required
                    - Version '1': 'Note'.page is new; it is attribute, Int64, required
                    - Version '1': 'Note'.tags was relation to many, leads to 'Tag', inverse 'notes', 0 to any number, optional, and is now ordered relation to many, leads to 'Tag', inverse 'notes', 0 to any number, optional
                    - Version '1': 'Note'.text was attribute, String, required, and is now attribute, String, optional
                    """)
        }
    }

    @Test func `tables and models are compared with one version, without a plan`() throws {
        let folder = try StoreFolder()
        let ledger = ReleaseLedger(in: folder.url)
        try ledger.record("1", of: MigrationPlan([.init("1", Released.Note.self)]))
        try ledger.check("1", tables: Released.Note.self)
        let same = try MigrationPlan.Version("1", Released.Note.self).model()
        try ledger.check("1", model: same)
        let other = try MigrationPlan.Version("1", Changed.Note.self).model()
        let checks: [() throws -> Void] = [
            { try ledger.check("1", tables: Changed.Note.self) }, { try ledger.check("1", model: other) },
        ]
        for act in checks {
            let error = #expect(throws: StoreError.self) { try act() }
            #expect(error?.code == .changedRelease)
            let line = "- Version '1': 'Note'.page is new; it is attribute, Int64, required"
            #expect(error?.message.contains(line) == true)
        }
        let unknown = #expect(throws: StoreError.self) { try ledger.check("2", tables: Released.Note.self) }
        #expect(unknown?.code == .changedRelease)
        #expect(unknown?.message.contains("Version '2' is not recorded") == true)
        #expect(unknown?.message.hasSuffix("The recorded versions are: 1.") == true)
    }

    @Test func `a version that was taken out of the plan is missed`() throws {
        let folder = try StoreFolder()
        let ledger = ReleaseLedger(in: folder.url)
        try ledger.record("1", of: .library)
        let error = #expect(throws: StoreError.self) {
            try ledger.check(MigrationPlan([.init("2", LibraryV2.Book.self)]))
        }
        #expect(error?.message.contains("Version '1' was released, but is no longer in the plan") == true)
    }

    @Test func `the store of every release comes to the newest version`() throws {
        let folder = try StoreFolder()
        let ledger = ReleaseLedger(in: folder.url)
        try ledger.record("1", of: .library) { try $0.insert(LibraryV1.Book(title: "Emma", cents: 1250)) }
        try ledger.record("2", of: .library) { try $0.insert(LibraryV2.Book(title: "Emma", cents: 999, year: 1815)) }
        try ledger.record("3", of: .library) { try $0.insert(LibraryV3.Book(title: "Emma", price: 7)) }
        for _ in 1...2 {
            var found: [String] = []
            try ledger.migrateAll(.library) { version, store in
                let books = try store.perform { try $0.decode(LibraryV3.Book.all) }
                found.append("\(version): \(books.map { "\($0.title) \($0.price)" }.joined())")
            }
            #expect(found == ["1: Emma 12.5", "2: Emma 9.99", "3: Emma 7.0"])
        }
    }
}
