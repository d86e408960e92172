import TestSupport
import Testing

@Suite(
    "Misuse of live results that must not compile",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct LiveMisuseTests {
    @Test(arguments: [SnippetCompiler.Stage.types, .dataFlow])
    func `results outside of their actor, and values of classes`(stage: SnippetCompiler.Stage) throws {
        let cases = stage == .types ? Self.types : Self.races
        let results = try Misuse.check(cases, models: Self.models, stage: stage)
        #expect(results.count == cases.count)
        for (misuse, said) in results {
            #expect(said.contains { $0.contains(misuse.expected) }, "\(misuse.name): \(said)")
        }
    }

    @Test func `sound uses are accepted`() throws {
        for (misuse, said) in try Misuse.check(Self.sound, models: Self.models, stage: .dataFlow) {
            #expect(said == [], "\(misuse.name)")
        }
    }

    private static let models =
        snippetModels + #"""

            final class Sheet { var number = 0 }
            extension Sheet: ManagedObjectConvertible {
                static let attributes: Set<Attribute<Sheet>> = [.init(\.number, "number")]
            }
            """#

    private static let types: [Misuse] = [
        .declaration(
            "results outside of an actor",
            "func f(_ store: PersistentContainer) { _ = LiveResults(Book.all, in: store) }",
            expected: "main actor-isolated"),
        .declaration(
            "results of the wrong actor",
            "actor A { func f(_ store: PersistentContainer) { _ = LiveResults(Book.all, in: store) } }",
            expected: "main actor-isolated"),
        .declaration(
            "results named for another actor",
            "actor A {}; func f(_ a: A, _ store: PersistentContainer) { _ = LiveResults(Book.all, in: store, on: a) }",
            expected: "actor-isolated"),
        .declaration(
            "the values of a class", "func f(_ store: PersistentContainer) { _ = store.values(of: Sheet.all) }",
            expected: "Sendable"),
        .declaration(
            "the lists of a class", "func f(_ store: PersistentContainer) { _ = store.lists(of: Sheet.all) }",
            expected: "Sendable"),
        .declaration(
            "the results of a class",
            "@MainActor func f(_ store: PersistentContainer) { _ = LiveResults(Sheet.all, in: store) }",
            expected: "Sendable"),
        Misuse(
            "sections without an order", #"_ = Book.all.sections(by: \.address)"#, expected: "'Comparable'"),
        Misuse(
            "sections by many values", #"_ = Book.all.sections(by: \.reviews.mark)"#,
            expected: "has no dynamic member 'reviews'"),
    ]

    private static let races: [Misuse] = [
        .declaration(
            "results that leave the main actor",
            """
            func f(_ store: PersistentContainer) async {
                let results = await LiveResults(Book.all, in: store)
                _ = results.values
            }
            """, expected: "non-Sendable"),
        .declaration(
            "results that leave another actor",
            """
            actor A {}
            func f(_ a: A, _ store: PersistentContainer) async {
                let results = await LiveResults(Book.all, in: store, on: a)
                _ = results.values
            }
            """, expected: "non-Sendable"),
        .declaration(
            "results in a task",
            """
            @MainActor func f(_ store: PersistentContainer) {
                let results = LiveResults(Book.all, in: store)
                Task.detached { print(results.values) }
                print(results.values)
            }
            """, expected: "data races"),
    ]

    private static let sound: [Misuse] = [
        .declaration(
            "results on actors",
            #"""
            @MainActor final class Screen {
                let books: LiveResults<Book>
                init(_ store: PersistentContainer) { books = LiveResults(Book.all, in: store) }
                var titles: [String] { books.list.map(\.title) }
            }
            actor Library {
                var books: SectionedLiveResults<Book, Int>?
                func open(_ store: PersistentContainer) {
                    books = SectionedLiveResults(Book.all.sections(by: \.year), in: store, on: self)
                }
                func keys() -> [Int] { books?.list.sections.map(\.key) ?? [] }
            }
            func classes(_ store: PersistentContainer) async throws {
                for try await ids in store.ids(of: Sheet.all.sort(\.number)) { print(ids.count); break }
                for try await count in store.count(of: Sheet.all) { print(count); break }
            }
            """#, expected: "")
    ]
}
