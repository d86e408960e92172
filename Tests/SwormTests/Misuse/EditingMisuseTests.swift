import TestSupport
import Testing

@Suite(
    "Misuse of actors and drafts that must not compile",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct EditingMisuseTests {
    @Test func `handles cannot leave their actor`() throws {
        for cases in [Self.typed, Self.escapes] {
            let results = try Misuse.check(cases, models: Self.models, stage: .dataFlow)
            #expect(results.count == cases.count)
            for (misuse, said) in results {
                #expect(said.contains { $0.contains("error") }, "\(misuse.name): \(said)")
                #expect(said.contains { $0.contains(misuse.expected) }, "\(misuse.name): \(said)")
            }
        }
    }

    @Test func `values and ids may leave it`() throws {
        for (misuse, said) in try Misuse.check(Self.sound, models: Self.models, stage: .dataFlow) {
            #expect(said == [], "\(misuse.name)")
        }
    }

    private static let models =
        snippetModels + #"""

            func store() -> PersistentContainer { fatalError() }
            actor Library: ManagedObjectActor {
                let executor: ObjectExecutor
                init(_ store: PersistentContainer) throws { executor = try ObjectExecutor(store) }
                var held: ManagedObject<Book>?
                func book() throws -> ManagedObject<Book>? { try context.fetchOne(Book.all) }
                func books() throws -> [ManagedObject<Book>] { try context.fetch(Book.all) }
                func id() throws -> ManagedObjectID<Book>? { try context.fetchOne(Book.all)?.id }
                func value() throws -> Book? { try context.fetchOne(Book.all)?.decode() }
                func hold(_ book: ManagedObject<Book>) { held = book }
            }
            """#

    // Errors of types. They are found first, and then nothing else is, so these cases are compiled by themselves.
    private static let typed: [Misuse] = [
        Misuse(
            "a property with a handle",
            "func run() async throws { let held = try await Library(store()).held; print(held as Any) }",
            expected: "non-Sendable"),
        Misuse(
            "the context",
            "func run() async throws { let context = try await Library(store()).context; print(context) }",
            expected: "non-Sendable"),
        .declaration(
            "a draft that is made outside of an actor",
            #"""
            nonisolated func make(_ id: ManagedObjectID<Book>) throws -> Draft<Book> { try Draft(of: id, in: store()) }
            """#, expected: "main actor"),
        Misuse(
            "an editing context off the main actor", "_ = try EditingContext(store())", expected: "main actor"),
    ]

    // Errors of the flow of values between isolations.
    private static let escapes: [Misuse] = [
        Misuse(
            "a handle from a method",
            "func run() async throws { let book = try await Library(store()).book(); print(book as Any) }",
            expected: "non-Sendable"),
        Misuse(
            "handles from a method",
            "func run() async throws { let books = try await Library(store()).books(); print(books) }",
            expected: "non-Sendable"),
        Misuse(
            "a handle of a perform in an actor",
            "let library = try Library(store()); try store().perform { context in let book = try context.insert(Book()); Task { await library.hold(book) } }",
            expected: "data race"),
        .declaration(
            "a task that leaves the actor",
            #"""
            actor Leaking: ManagedObjectActor {
                let executor: ObjectExecutor
                init(_ store: PersistentContainer) throws { executor = try ObjectExecutor(store) }
                func leak() throws {
                    let book = try context.fetchOne(Book.all)
                    Task.detached { print(book as Any) }
                }
            }
            """#, expected: "data race"),
    ]

    private static let sound: [Misuse] = [
        Misuse(
            "ids and values",
            "func run() async throws { let l = try Library(store()); print(try await l.id() as Any, try await l.value() as Any) }",
            expected: ""),
        .declaration(
            "drafts of actors",
            #"""
            @MainActor final class Form {
                let draft: Draft<Book>
                init(_ id: ManagedObjectID<Book>) throws { draft = try Draft(of: id, in: store()) }
                func save() throws { draft.mine.title = "x"; try draft.save() }
            }
            actor Worker {
                var draft: Draft<Book>?
                func open(_ id: ManagedObjectID<Book>) throws { draft = try Draft(of: id, in: store(), on: self) }
                func save() throws { draft?.mine.title = "x"; try draft?.save() }
            }
            """#, expected: ""),
    ]
}
