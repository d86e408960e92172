import Foundation
import Sworm
import SwormTools
import TestSupport
import Testing

/// A model with versions, and trees that leave things out.
private enum Desk {
    struct Task: ManagedObjectConvertible, Equatable, Sendable {
        var code = ""
        var title = "untitled"
        var note: String?
        var revision = 0
        var changed = Date(timeIntervalSinceReferenceDate: 0)

        static let attributes: Set<Attribute<Task>> = [
            .init(\.code, "code", .unique), .init(\.title, "title"), .init(\.note, "note"),
            .init(\.revision, "revision"), .init(\.changed, "changed"),
        ]
        struct Relations: Sendable {
            let steps = ToManyOrderedRelation<Step>("steps", deleteRule: .cascade)
            let labels = ToManyRelation<Label>("labels", inverse: \.tasks)
        }
        static let relations = Relations()
    }

    struct Step: ManagedObjectConvertible, Codable, Hashable, Sendable {
        var name = ""
        var isDone = false

        static let attributes: Set<Attribute<Step>> = [.init(\.name, "name"), .init(\.isDone, "isDone")]
        struct Relations: Sendable { let task = ToOneRelation<Task>("task", inverse: \.steps) }
        static let relations = Relations()
    }

    struct Label: ManagedObjectConvertible, Codable, Hashable, Sendable {
        var name = ""

        static let attributes: Set<Attribute<Label>> = [.init(\.name, "name", .unique)]
        struct Relations: Sendable { let tasks = ToManyRelation<Task>("tasks") }
        static let relations = Relations()
    }

    struct Page: ManagedTreeConvertible, Codable, Equatable, Sendable {
        typealias Entity = Task
        var id: ManagedObjectID<Task>?
        var title = ""
        var revision = 0
        var steps: [Step] = []

        static let attributes: Set<Attribute<Page>> = [.init(\.title, \.title), .init(\.revision, \.revision)]
        static let branches: [Branch<Page>] = [
            .id(\.id), .version(\.revision), .init(\.steps, \.steps, .matchedByPosition),
        ]
    }

    struct Dated: ManagedTreeConvertible, Equatable, Sendable {
        typealias Entity = Task
        var code = ""
        var title = ""
        var changed = Date(timeIntervalSinceReferenceDate: 0)

        static let attributes: Set<Attribute<Dated>> = [
            .init(\.code, \.code), .init(\.title, \.title), .init(\.changed, \.changed),
        ]
        static let branches: [Branch<Dated>] = [.version(\.changed)]
    }

    struct Patch: ManagedTreeConvertible, Codable, Equatable, Sendable {
        typealias Entity = Task
        var code = ""
        var title: String?
        var note: String??
        var labels: Set<Label>?

        static let attributes: Set<Attribute<Patch>> = [
            .init(\.code, \.code), .init(\.title, \.title, .ifPresent), .init(\.note, \.note),
        ]
        static let branches: [Branch<Patch>] = [.init(\.labels, \.labels, .shared)]

        init() {}
        init(from decoder: any Decoder) throws {
            let container = try decoder.container(keyedBy: CodingKeys.self)
            code = try container.decode(String.self, forKey: .code)
            title = try container.decodeIfPresent(String.self, forKey: .title)
            note = try container.decodeGiven(String.self, forKey: .note)
            labels = try container.decodeIfPresent(Set<Label>.self, forKey: .labels)
        }
    }

    /// A page of a longer list.
    struct More: ManagedTreeConvertible, Equatable, Sendable {
        typealias Entity = Task
        var code = ""
        var steps: [Step] = []

        static let attributes: Set<Attribute<More>> = [.init(\.code, \.code)]
        static let branches: [Branch<More>] = [.init(\.steps, \.steps, .added, .matched(by: \.name))]
    }

    static func store() throws -> TestStore { try TestStore.tested(for: Task.self) }
}

@Suite("Options of trees", .overEachStore) struct TreeOptionTests {
    private typealias Task = Desk.Task
    private typealias Step = Desk.Step
    private typealias Label = Desk.Label
    private typealias Page = Desk.Page
    private typealias Patch = Desk.Patch

    @Test func `an id finds the object, and the version is compared and moved on`() throws {
        let test = try Desk.store()
        try test.container.perform { _ = try $0.save(Page(title: "a", steps: [Step(name: "1")])) }
        let page = try #require(try test.container.perform { try $0.decodeOne(Page.all) })
        #expect(page.id != nil && page.revision == 0 && page.steps.count == 1)
        let json = try JSONDecoder().decode(Page.self, from: JSONEncoder().encode(page))
        #expect(json == page)
        #expect(try test.container.perform { try $0.save(contentsOf: [page]) } == TreeSaveResult(unchanged: 2))
        var mine = page
        mine.steps.append(Step(name: "2"))
        #expect(
            try test.container.perform { try $0.save(contentsOf: [mine]) }
                == TreeSaveResult(inserted: 1, updated: 1, unchanged: 1))
        #expect(try test.container.perform { try $0.decodeOne(Page.all)?.revision } == 1)
        var theirs = page
        theirs.title = "late"
        let error = storeError { try test.container.perform { try $0.save(contentsOf: [theirs]) } }
        #expect(error?.code == .conflict)
        #expect(error?.path == "[0].revision")
        #expect(
            error?.message
                == "[0]: the Task was changed since the tree was read: its 'revision' is 1, not 0. Read it again, and apply the change to what it is now."
        )
        try test.container.perform { try $0.delete(Task.all) }
        let gone = storeError { try test.container.perform { try $0.save(contentsOf: [mine]) } }
        #expect(gone?.code == .objectNotFound)
    }

    @Test func `a version may be a date`() throws {
        let test = try Desk.store()
        let first = Desk.Dated(code: "a", title: "x")
        try test.container.perform { _ = try $0.save(first) }
        var next = first
        next.title = "y"
        try test.container.perform { _ = try $0.save(next) }
        let found = try #require(try test.container.perform { try $0.decodeOne(Desk.Dated.all) })
        #expect(found.title == "y" && found.changed > first.changed)
        #expect(storeError { try test.container.perform { _ = try $0.save(first) } }?.code == .conflict)
    }

    @Test func `attributes that are left out are not changed, and null is a value`() throws {
        let test = try Desk.store()
        func patch(_ json: String) throws -> TreeSaveResult {
            let body = try JSONDecoder().decode(Patch.self, from: Data(json.utf8))
            return try test.container.perform { try $0.save(contentsOf: [body]) }
        }
        func task() throws -> Task? { try test.container.perform { try $0.decodeOne(Task.all) } }
        #expect(try patch(#"{"code": "a", "note": "n", "labels": [{"name": "x"}]}"#).inserted == 2)
        #expect(try task() == Task(code: "a", title: "untitled", note: "n"))
        #expect(try patch(#"{"code": "a"}"#).isEmpty)
        #expect(try patch(#"{"code": "a", "title": "b"}"#) == TreeSaveResult(updated: 1))
        #expect(try patch(#"{"code": "a", "note": null}"#) == TreeSaveResult(updated: 1))
        #expect(try task() == Task(code: "a", title: "b", note: nil))
        #expect(try patch(#"{"code": "a", "labels": []}"#) == TreeSaveResult(unlinked: 1, unchanged: 1))
        #expect(try test.container.perform { try $0.decode(Patch.all) }.first?.labels == [])
    }

    @Test func `an added child keeps the others`() throws {
        let test = try Desk.store()
        func save(_ steps: [String]) throws -> TreeSaveResult {
            try test.container.perform {
                try $0.save(contentsOf: [Desk.More(code: "a", steps: steps.map { Step(name: $0) })])
            }
        }
        #expect(try save(["1", "2"]) == TreeSaveResult(inserted: 3))
        #expect(try save(["3", "2"]) == TreeSaveResult(inserted: 1, unchanged: 2))
        #expect(
            try test.container.perform { try $0.decode(Desk.More.all) }.first?.steps.map(\.name) == ["1", "2", "3"])
    }

    @Test func `calls that would drop branches refuse them`() throws {
        struct Whole: ManagedObjectConvertible, Equatable, Sendable {
            var name = ""
            var parts: [Part] = []

            static let attributes: Set<Attribute<Whole>> = [.init(\.name, "name", .unique)]
            static let branches: [Branch<Whole>] = [.init(\.parts, \.parts, .owned, .matchedByPosition)]
            struct Relations: Sendable { let parts = ToManyOrderedRelation<Part>("parts", inverse: \.whole) }
            static let relations = Relations()
        }
        struct Part: ManagedObjectConvertible, Equatable, Sendable {
            var name = ""

            static let attributes: Set<Attribute<Part>> = [.init(\.name, "name")]
            struct Relations: Sendable { let whole = ToOneRelation<Whole>("whole") }
            static let relations = Relations()
        }
        let test = try TestStore.tested(for: Whole.self)
        let whole = Whole(name: "w", parts: [Part(name: "p")])
        try test.container.perform { context in
            for refused in [
                storeError { _ = try context.insert(whole) }, storeError { try context.insert(contentsOf: [whole]) },
                storeError { try context.upsert([whole]) },
            ] {
                #expect(refused?.code == .invalidRequest)
            }
            let handle = try context.save(whole)
            #expect(try handle.decode() == whole)
            #expect(try context.decode(Whole.all) == [whole])
            #expect(storeError { try handle.encode(whole) }?.message.contains("Use `save`") == true)
        }
        #expect(try test.container.perform { try $0.decodeOne(Whole.all) } == whole)
    }

    @Test func `trees stay current`() async throws {
        let test = try ReadingRoom.store()
        typealias Author = ReadingRoom.Author
        try test.container.perform { _ = try $0.save(ReadingRoom.BookPage(isbn: "1", author: Author(name: "Leo"))) }
        var found: [[String?]] = []
        for try await pages in test.container.values(of: ReadingRoom.BookPage.all) {
            found.append(pages.map(\.author?.name) + pages.flatMap { $0.reviews.map(\.text) })
            switch found.count {
            case 1:
                try test.container.perform { try $0.fetchOne(Author.all)?.encode(\.name, "Lev") }
            case 2:
                try test.container.perform { context in
                    let review = try context.insert(ReadingRoom.Review(text: "new"))
                    review.book = try context.fetchOne(ReadingRoom.Book.all)
                }
            default: break
            }
            if found.count == 3 { break }
        }
        #expect(found == [["Leo"], ["Lev"], ["Lev", "new"]])
    }
}
