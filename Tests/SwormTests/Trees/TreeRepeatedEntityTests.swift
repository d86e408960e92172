import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

/// Records that trees hold as values of several entities of their hierarchy.
private enum FilingRoom {
    enum Record: Equatable, SuperentityConvertible {
        case letter(Letter), plain(Plain)
        struct Subentities: Sendable {
            let letter = Subentity(Record.letter)
            let plain = Subentity(Record.plain)
        }
        static let subentities = Subentities()
        init() { self = .plain(Plain()) }
        var subentity: any ManagedObjectConvertible {
            switch self {
            case .letter(let value): value
            case .plain(let value): value
            }
        }
        var code: String {
            switch self {
            case .letter(let value): value.code
            case .plain(let value): value.code
            }
        }
        var title: String {
            switch self {
            case .letter(let value): value.title
            case .plain(let value): value.title
            }
        }
        static let attributes: Set<Attribute<Record>> = [
            .init(shared: \.code, named: "code", .unique), .init(shared: \.title, named: "title"),
        ]
        struct Relations: Sendable {}
        static let relations = Relations()
    }

    struct Letter: ManagedObjectConvertible, Equatable {
        typealias Superentity = Record
        var code = ""
        var pages = 0
        var title = ""
        static let attributes: Set<Attribute<Letter>> = [
            .init(\.code, "code"), .init(\.pages, "pages"), .init(\.title, "title"),
        ]
        struct Relations: Sendable {}
        static let relations = Relations()
    }

    /// The objects of the super-entity itself.
    struct Plain: ManagedObjectConvertible, Equatable {
        typealias Superentity = Record
        static let entityName = "Record"
        var code = ""
        var title = ""
        static let attributes: Set<Attribute<Plain>> = [.init(\.code, "code"), .init(\.title, "title")]
        struct Relations: Sendable {}
        static let relations = Relations()
    }

    struct Folder: ManagedObjectConvertible, Equatable {
        var name = ""
        static let attributes: Set<Attribute<Folder>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable {
            let cover = ToOneRelation<Record>("cover")
            let records = ToManyRelation<Record>("records")
        }
        static let relations = Relations()
    }

    struct RecordReference: ManagedTreeConvertible, Equatable {
        typealias Entity = Record
        var code = ""
        var title = ""
        static let attributes: Set<Attribute<RecordReference>> = [.init(\.code, \.code), .init(\.title, \.title)]
    }

    struct Inserting: ManagedTreeConvertible {
        typealias Entity = Folder
        var name = ""
        var cover: Record?
        var records: [RecordReference] = []
        static let attributes: Set<Attribute<Inserting>> = [.init(\.name, \.name)]
        static let branches: [Branch<Inserting>] = [
            .init(\.cover, \.cover, .linkedOrInserted), .init(\.records, \.records, .shared),
        ]
    }

    struct Sharing: ManagedTreeConvertible {
        typealias Entity = Folder
        var name = ""
        var cover: Record?
        var records: [RecordReference] = []
        static let attributes: Set<Attribute<Sharing>> = [.init(\.name, \.name)]
        static let branches: [Branch<Sharing>] = [
            .init(\.cover, \.cover, .shared), .init(\.records, \.records, .shared),
        ]
    }
}

@Suite("Entities of repeated trees", .overEachStore) struct TreeRepeatedEntityTests {
    private typealias Record = FilingRoom.Record
    private typealias Letter = FilingRoom.Letter
    private typealias Sharing = FilingRoom.Sharing

    private func code(_ body: () throws -> Void) -> StoreError.Code? {
        do {
            try body()
            return nil
        } catch {
            return (error as? StoreError)?.code
        }
    }

    @Test func `a new object does not become one of the super-entity`() throws {
        let test = try TestStore.tested(for: FilingRoom.Folder.self)
        let tree = FilingRoom.Inserting(
            name: "f", cover: .letter(Letter(code: "1", pages: 3, title: "a")),
            records: [.init(code: "1", title: "a")])
        #expect(code { try test.container.perform { _ = try $0.save(contentsOf: [tree]) } } == .validation)
        #expect(try test.container.read { try $0.count(of: Record.all) } == 0)
    }

    @Test func `the values of an object as two entities must be equal`() throws {
        let test = try TestStore.tested(for: FilingRoom.Folder.self)
        let letter = Letter(code: "1", pages: 1, title: "a")
        let tree = Sharing(name: "f", cover: .letter(letter), records: [.init(code: "1", title: "b")])
        for isKnown in [false, true] {
            if isKnown {
                try test.container.perform { _ = try $0.insert(Letter(code: "1", pages: 1, title: "old")) }
            }
            #expect(code { try test.container.perform { _ = try $0.save(contentsOf: [tree]) } } == .validation)
        }
        #expect(try test.container.read { try $0.decode(Letter.all) }.map(\.title) == ["old"])
        try test.container.perform { _ = try $0.save(contentsOf: [tree], repeats: .last) }
        #expect(try test.container.read { try $0.decode(Letter.all) } == [Letter(code: "1", pages: 1, title: "b")])
        let equal = Sharing(name: "f", cover: .letter(letter), records: [.init(code: "1", title: "a")])
        try test.container.perform { _ = try $0.save(contentsOf: [equal]) }
        #expect(try test.container.read { try $0.decode(Letter.all) } == [letter])
    }

    @Test func `the preview of an object as two entities has each attribute once`() throws {
        let test = try TestStore.tested(for: FilingRoom.Folder.self)
        let letter = Letter(code: "1", pages: 3, title: "a")
        let tree = Sharing(name: "f", cover: .letter(letter), records: [.init(code: "1", title: "a")])
        let preview = try test.container.read { try $0.plan(saving: [tree]) }
        let names = preview.changes.first { $0.entity == "Letter" }?.values.map(\.name) ?? []
        #expect(names.sorted() == ["code", "pages", "title"])
    }
}
