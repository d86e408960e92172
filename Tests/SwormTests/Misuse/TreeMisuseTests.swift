import TestSupport
import Testing

@Suite(
    "Misuse of trees that must not compile",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct TreeMisuseTests {
    @Test func `tables of trees`() throws { try expectAll(Self.tables) }
    @Test func `requests for trees`() throws { try expectAll(Self.requests) }

    @Test func `the page of troubleshooting has the sentences that say something else`() throws {
        let page = try Document("Sources/Sworm/Sworm.docc/Troubleshooting.md").text
        for (misuse, said) in try Misuse.check(Self.sentences, models: Self.models, stage: .types) {
            #expect(said.contains { $0.contains(misuse.expected) }, "\(misuse.name): \(said)")
            #expect(page.contains("`\(misuse.expected)`"), "\(misuse.name)")
        }
    }

    @Test func `sound trees are accepted without a word`() throws {
        for (misuse, said) in try Misuse.check(Self.sound, models: Self.models, stage: .types) {
            #expect(said == [], "\(misuse.name)")
        }
    }

    /// The compiler gives up after a million scopes, and goes through ten thousand in less than half a second.
    @Test func `a table of 40 branches takes few tries`() throws {
        let compiler = try #require(SnippetCompiler.found)
        func scopes(_ count: Int) throws -> Int {
            let properties = (0..<count).map { number in
                switch number % 4 {
                case 0: "var p\(number): Author?"
                case 1: "var p\(number): [Review] = []"
                case 2: "var p\(number): [Int] = []"
                default: "var p\(number) = 0"
                }
            }
            let branches = (0..<count).map { number in
                switch number % 4 {
                case 0: ".init(\\.p\(number), \\.author, .shared)"
                case 1:
                    ".init(\\.p\(number), \\.reviews, .matched(by: \\.text)) { $0.where { $0.mark > 3 }.sort(\\.mark).limit(3) }"
                case 2: ".init(\\.p\(number), \\.reviews, \\.mark)"
                default: ".init(\\.p\(number), \\.reviews.count)"
                }
            }
            return try compiler.solverScopes(
                of: Self.models + "\nstruct Wide {\n\(properties.joined(separator: "\n"))\n}\n"
                    + "extension Wide: ManagedTreeConvertible {\ntypealias Entity = Book\n"
                    + "static let attributes: Set<Attribute<Wide>> = []\n"
                    + "static let branches: [Branch<Wide>] = [\n\(branches.joined(separator: ",\n"))\n]\n}\n")
        }
        let half = try scopes(20)
        let whole = try scopes(40)
        print("\(half) scopes for 20 branches, \(whole) for 40")
        #expect(whole < 10_000)
        // Not more than with the number of branches.
        #expect(whole <= 3 * half)
    }

    private func expectAll(_ cases: [Misuse]) throws {
        let results = try Misuse.check(cases, models: Self.models, stage: .types)
        #expect(results.count == cases.count)
        for (misuse, said) in results {
            #expect(said.contains { $0.contains("error") }, "\(misuse.name): \(said)")
            #expect(said.contains { $0.contains(misuse.expected) }, "\(misuse.name): \(said)")
        }
    }

    private static let models =
        snippetModels + #"""

            struct Page {
                var title = ""
                var author: Author?
                var reviews: [Review] = []
                let fixed: [Review] = []
                var count = 0
                var name = ""
                var note: String?
            }
            extension Page: ManagedTreeConvertible {
                typealias Entity = Book
                static let attributes: Set<Attribute<Page>> = [.init(\.title, \.title)]
                static let branches: [Branch<Page>] = [
                    .init(\.author, \.author, .shared), .init(\.reviews, \.reviews), .init(\.count, \.reviews.count),
                ]
            }
            func context() -> ManagedObjectContext { fatalError() }
            """#

    private static func branch(_ name: String, _ line: String, expected: String) -> Misuse {
        Misuse(name, "let _: [Branch<Page>] = [\(line)]", expected: expected)
    }

    static let tables: [Misuse] = [
        branch("a branch of another entity", #".init(\.reviews, \.author)"#, expected: "a branch needs a `var`"),
        branch("one for many", #".init(\.author, \.reviews)"#, expected: "a branch needs a `var`"),
        branch("many for one", #".init(\.reviews, \.author)"#, expected: "a branch needs a `var`"),
        branch("a constant", #".init(\.fixed, \.reviews)"#, expected: "a branch needs a `var`"),
        branch("a misspelt relation", #".init(\.author, \.auther)"#, expected: "no member 'auther'"),
        branch("a count in a string", #".init(\.name, \.reviews.count)"#, expected: "Term<Book, Int, String>"),
        branch("a misspelt role", #".init(\.reviews, \.reviews, .ownd)"#, expected: "no member 'ownd'"),
        branch(
            "the key of another entity", #".init(\.reviews, \.reviews, .matched(by: \Author.name))"#,
            expected: "'PartialKeyPath<Review>'"),
        Misuse(
            "an attribute of another type", #"let _: Set<Attribute<Page>> = [.init(\.title, \.year)]"#,
            expected: "'KeyPath<Book, String>'"),
        Misuse(
            "the table of another entity",
            #"let _: Set<Attribute<Page>> = Author.attributes(in: \Page.author!)"#,
            expected: "be equivalent"),
    ]

    static let sentences: [Misuse] = [
        Misuse(
            "an optional for a required attribute", #"let _: Set<Attribute<Page>> = [.init(\.note, \.title)]"#,
            expected:
                "cannot convert value of type 'KeyPath<Book, String>' to expected argument type 'KeyPath<Book, Optional<String>>'"
        ),
        branch(
            "an attribute of a missing object", #".init(\.name, \.author.name)"#,
            expected: "Term<Book, String, Optional<String>>"),
        branch(
            "a misspelt key", #".init(\.reviews, \.reviews, .matched(by: \.number))"#,
            expected: "cannot infer key path type from context"),
    ]

    static let requests: [Misuse] = [
        Misuse(
            "a request of another entity", "_ = Author.all.as(Page.self)", expected: "be equivalent"),
        Misuse(
            "handles of trees", "_ = try context().fetch(Page.all)",
            expected: "requires that 'Page' conform to 'ManagedObjectConvertible'"),
        Misuse("a misspelt relation", #"_ = Book.all.with(\.auther)"#, expected: "'auther'"),
        Misuse("a misspelt relation in a closure", "_ = Book.all.with { $0.auther }", expected: "'auther'"),
        Misuse(
            "the request of another entity to replace",
            "try context().save(contentsOf: [Page](), replacing: Author.all)",
            expected: "'Request<Book>'"),
        Misuse(
            "tuples that are saved", "try context().save(contentsOf: [(Book(), Author())])",
            expected: "'ManagedTreeConvertible'"),
    ]

    static let sound: [Misuse] = [
        Misuse(
            "a request", "_ = try context().decode(Page.all.where { $0.year > 1800 && $0.author.name == \"x\" })",
            expected: ""),
        Misuse(
            "generic code",
            """
            func all<T: ManagedObjectConvertible>(_ type: T.Type) throws -> [T] { try context().decode(T.all) }
            _ = try all(Book.self)
            """, expected: ""),
        Misuse(
            "composed values",
            #"""
            let rows: [(Book, Author?, [Review])] = try context().decode(Book.all.with(\.author, \.reviews))
            let pages = try context().decode(Book.all.with { ($0.author, $0.reviews.sort(\.mark).limit(3), $0.reviews.count) })
            let cards = try context().decode(Author.all.with { $0.books.where { $0.year > 1860 }.as(Page.self) })
            _ = (rows, pages, cards)
            """#, expected: ""),
        Misuse("columns of a request for trees", #"_ = try context().fetch(Page.all.select(\.title))"#, expected: ""),
        Misuse.declaration(
            "a tree of its own type",
            #"""
            struct Node { var name = ""; var books: [Sequel] = [] }
            struct Sequel: ManagedTreeConvertible {
                typealias Entity = Book
                var title = ""
                var author: Writer?
                static let attributes: Set<Attribute<Sequel>> = [.init(\.title, \.title)]
                static let branches: [Branch<Sequel>] = [.init(\.author, \.author, .depth(2))]
            }
            final class Writer: ManagedTreeConvertible {
                typealias Entity = Author
                // Unsafe: only one thread uses an instance.
                nonisolated(unsafe) var name = ""
                nonisolated(unsafe) var books: [Sequel] = []
                static let attributes: Set<Attribute<Writer>> = [.init(\.name, \.name)]
                static let branches: [Branch<Writer>] = [.init(\.books, \.books, .depth(2))]
            }
            """#, expected: ""),
    ]
}
