import Foundation
import Sworm
import SwormTools
import Testing

private enum NoteRoom {
    fileprivate struct Person: ManagedObjectConvertible, Codable, Equatable {
        var name = ""
        static let attributes: Set<Attribute<Person>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable { let notes = ToManyRelation<Note>("notes", deleteRule: .noAction) }
        static let relations = Relations()
    }

    fileprivate struct Note: ManagedObjectConvertible, Codable, Equatable {
        var text = ""
        static let attributes: Set<Attribute<Note>> = [.init(\.text, "text", .unique)]
        struct Relations: Sendable { let writer = ToOneRelation<Person>("writer", inverse: \.notes) }
        static let relations = Relations()
    }

    fileprivate struct NotePage: ManagedTreeConvertible, Equatable {
        typealias Entity = Note
        var text = ""
        var writer: Person?
        static let attributes: Set<Attribute<NotePage>> = [.init(\.text, \.text)]
        static let branches: [Branch<NotePage>] = [.init(\.writer, \.writer, .shared)]
    }

    fileprivate struct Holder: ManagedObjectConvertible, Equatable {
        var name = ""
        static let attributes: Set<Attribute<Holder>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable { let badge = ToOneRelation<Badge>("badge", deleteRule: .noAction) }
        static let relations = Relations()
    }

    fileprivate struct Badge: ManagedObjectConvertible, Equatable {
        var code = ""
        static let attributes: Set<Attribute<Badge>> = [.init(\.code, "code", .unique)]
        struct Relations: Sendable { let holder = ToOneRelation<Holder>("holder", inverse: \.badge) }
        static let relations = Relations()
    }

    fileprivate struct HolderPage: ManagedTreeConvertible, Equatable {
        typealias Entity = Holder
        var name = ""
        var badge: Badge?
        static let attributes: Set<Attribute<HolderPage>> = [.init(\.name, \.name)]
        static let branches: [Branch<HolderPage>] = [.init(\.badge, \.badge, .shared)]
    }

    fileprivate struct PersonNotes: ManagedTreeConvertible, Equatable {
        typealias Entity = Person
        var name = ""
        var notes: [Note] = []
        static let attributes: Set<Attribute<PersonNotes>> = [.init(\.name, \.name)]
        static let branches: [Branch<PersonNotes>] = [.init(\.notes, \.notes, .shared)]
    }
}

@Suite("Trees with links to missing objects") struct TreeMissingObjectTests {
    private typealias Person = NoteRoom.Person
    private typealias Note = NoteRoom.Note
    private typealias NotePage = NoteRoom.NotePage

    @Test func `a missing object is nil on every way, and a save replaces it`() throws {
        let test = try TestStore(for: Person.self, Note.self, in: .file)
        let page = NotePage(text: "a", writer: Person(name: "x"))
        try test.container.perform { try $0.save(contentsOf: [page, NotePage(text: "b", writer: Person(name: "y"))]) }
        try test.container.perform { _ = try $0.batchDelete(Person.all.where { $0.name == "x" }) }
        try test.container.perform { context in
            #expect(try context.decode(NotePage.all.where { $0.text == "a" }) == [NotePage(text: "a")])
            let handle = try #require(try context.fetchOne(Note.all.where { $0.text == "a" }))
            #expect(try handle.decode(as: NotePage.self) == NotePage(text: "a"))
            let unsaved = try context.insert(Note(text: "c"))
            #expect(try context.decode(NotePage.all.where { $0.text == "a" }) == [NotePage(text: "a")])
            try context.delete(unsaved)
        }
        let result = try test.container.perform { try $0.save(contentsOf: [page]) }
        #expect(result == TreeSaveResult(inserted: 1, unchanged: 1))
        #expect(try test.container.perform { try $0.decode(NotePage.all.sort(\.text)) }.first == page)
    }

    @Test func `a deleted owner has no children`() throws {
        let test = try TestStore(for: Person.self, Note.self, in: .file)
        try test.container.perform {
            _ = try $0.save(contentsOf: [
                NoteRoom.PersonNotes(name: "x", notes: [Note(text: "a")]), NoteRoom.PersonNotes(name: "y"),
            ])
        }
        try test.container.perform { context in
            try context.delete(try #require(try context.fetchOne(Person.all.where { $0.name == "x" })))
            _ = try context.save(contentsOf: [NoteRoom.PersonNotes(name: "y", notes: [Note(text: "a")])])
        }
        #expect(
            try test.container.read { try $0.decode(NotePage.all) } == [
                NotePage(text: "a", writer: Person(name: "y"))
            ])
    }

    @Test func `a missing owner has no children`() throws {
        let test = try TestStore(for: Person.self, Note.self, in: .file)
        try test.container.perform {
            _ = try $0.save(contentsOf: [
                NoteRoom.PersonNotes(name: "x", notes: [Note(text: "a")]), NoteRoom.PersonNotes(name: "y"),
            ])
        }
        try test.container.perform { _ = try $0.batchDelete(Person.all.where { $0.name == "x" }) }
        try test.container.perform {
            _ = try $0.save(contentsOf: [NoteRoom.PersonNotes(name: "y", notes: [Note(text: "a")])])
        }
        #expect(
            try test.container.read { try $0.decode(NotePage.all) } == [
                NotePage(text: "a", writer: Person(name: "y"))
            ])
    }

    @Test func `a missing owner has no child along a relation to one either`() throws {
        typealias HolderPage = NoteRoom.HolderPage
        let badge = NoteRoom.Badge(code: "1")
        let test = try TestStore(for: NoteRoom.Holder.self, NoteRoom.Badge.self, in: .file)
        try test.container.perform {
            _ = try $0.save(contentsOf: [HolderPage(name: "x", badge: badge), HolderPage(name: "y")])
        }
        try test.container.perform { _ = try $0.batchDelete(NoteRoom.Holder.all.where { $0.name == "x" }) }
        let page = HolderPage(name: "y", badge: badge)
        try test.container.perform { _ = try $0.save(contentsOf: [page]) }
        #expect(try test.container.read { try $0.decode(HolderPage.all) } == [page])
        #expect(try test.container.perform { try $0.save(contentsOf: [page]) }.isEmpty)
    }
}
