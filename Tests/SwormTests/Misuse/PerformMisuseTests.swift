import TestSupport
import Testing

@Suite(
    "Misuse of perform that must not compile",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct PerformMisuseTests {
    @Test func `values that belong to a perform cannot be returned from it`() throws {
        let results = try Misuse.check(Self.escapes, models: Self.models, stage: .dataFlow)
        #expect(results.count == Self.escapes.count)
        for (misuse, said) in results {
            #expect(said.contains { $0.contains(misuse.expected) }, "\(misuse.name): \(said)")
        }
    }

    @Test func `code that is invalid in a perform`() throws {
        let results = try Misuse.check(Self.wrongTypes, models: Self.models, stage: .types)
        #expect(results.count == Self.wrongTypes.count)
        for (misuse, said) in results {
            #expect(said.contains { $0.contains(misuse.expected) }, "\(misuse.name): \(said)")
        }
    }

    @Test func `values that may leave a perform compile without diagnostics`() throws {
        for (misuse, said) in try Misuse.check(Self.sound, models: Self.models, stage: .dataFlow) {
            #expect(said == [], "\(misuse.name)")
        }
    }

    private static let models = snippetModels + "\nfunc store() -> PersistentContainer { fatalError() }\n"
    private static let race = "as a 'sending' result risks causing data races"

    static let escapes: [Misuse] = [
        Misuse(
            "an object as the value of a perform",
            "let _: ManagedObject<Book> = try store().perform { try $0.insert(Book()) }", expected: race),
        Misuse(
            "an array of objects", "let _: [ManagedObject<Book>] = try store().perform { try $0.fetch(Book.all) }",
            expected: race),
        Misuse(
            "a tuple with an object", "_ = try store().perform { (1, try $0.insert(Book())) }", expected: race),
        Misuse("the context", "_ = try store().perform { $0 }", expected: race),
        Misuse(
            "a set of objects", "_ = try store().perform { try $0.insert(Author()).books }", expected: race),
        Misuse(
            "a closure over the context", "_ = try store().perform { c in { try c.count(of: Book.all) } }",
            expected: race),
        Misuse(
            "a task that uses the context",
            "try store().perform { c in _ = Task { try c.count(of: Book.all) } }",
            expected: "risks causing data races"),
        Misuse(
            "objects out of schedule",
            "func run() async throws { let _: [ManagedObject<Book>] = try await store().schedule { try $0.fetch(Book.all) } }",
            expected: race),
    ]

    static let wrongTypes: [Misuse] = [
        Misuse(
            "await in a perform",
            "func wait() async {}; func run() async throws { try store().perform { _ in await wait() } }",
            expected: "the closure holds a context and cannot wait"),
        Misuse(
            "an object of another entity", "try store().perform { try $0.insert(Book()).author = $0.insert(Book()) }",
            expected: "error: cannot"),
        Misuse(
            "a member of another entity",
            "try store().perform { try $0.insert(Author()).books.add($0.insert(Author())) }",
            expected: "error: cannot convert"),
        Misuse(
            "a misspelt relation", "try store().perform { _ = try $0.insert(Book()).autor }",
            expected: "error: value of type 'ManagedObject<Book>' has no dynamic member 'autor'"),
        Misuse(
            "a batch update to nil of what is never nil",
            #"try store().perform { _ = try $0.update(Book.all, set: (\.title, nil)) }"#, expected: "error: 'nil'"),
        Misuse(
            "a batch update without a property", "try store().perform { _ = try $0.update(Book.all) }",
            expected: "error: missing argument for parameter 'set'"),
    ]

    static let sound: [Misuse] = [
        Misuse(
            "values, ids, classes made inside",
            #"""
            final class Report { var count = 0 }
            let store = store()
            let id: ManagedObjectID<Book> = try store.perform { try $0.insert(Book()) }
            _ = try store.perform { try $0.object(with: id).decode() }
            _ = try store.perform { try $0.decode(Book.all) }
            try store.perform { try $0.fetchOne(Book.all)?.encode(\.title, "x") }
            let first: ManagedObjectID<Book>? = try store.perform { try $0.fetchOne(Book.all) }
            _ = first
            _ = try store.perform { c in let report = Report(); report.count = try c.count(of: Book.all); return report }
            var count = 0
            try store.perform { count = try $0.count(of: Book.all) }
            try store.perform { c in try store.perform { try $0.insert(Author()) }; try c.delete(Book.all) }
            _ = count
            """#, expected: ""),
        .declaration(
            "actors and wrappers",
            #"""
            actor Cache {
                var titles: [String] = []
                func fill() throws { try store().perform { titles = try $0.fetch(Book.all, \.title) } }
                func later() async throws { titles = try await store().schedule { try $0.fetch(Book.all, \.title) } }
            }
            @MainActor final class Screen {
                var titles: [String] = []
                func fill() throws { try store().perform { titles = try $0.fetch(Book.all, \.title) } }
            }
            func wrapper<T: Sendable>(_ action: (ManagedObjectContext) throws -> T) throws -> T {
                try store().perform(action: action)
            }
            func later<T: Sendable>(_ action: @escaping @Sendable (ManagedObjectContext) throws -> T) async throws -> T {
                try await store().schedule(action: action)
            }
            """#, expected: ""),
    ]
}
