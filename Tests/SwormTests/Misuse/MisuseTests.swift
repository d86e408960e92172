import TestSupport
import Testing

@Suite(
    "Misuse that must not compile",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct MisuseTests {
    @Test func `conditions`() throws {
        try expectAll(Self.conditions)
    }

    @Test func `projections`() throws {
        try expectAll(Self.projections)
    }

    @Test func `tables`() throws {
        try expectAll(Self.tables)
    }

    @Test func `sound code is accepted without a word`() throws {
        for (misuse, said) in try Misuse.check(Self.sound, models: snippetModels, stage: .types) {
            #expect(said == [], "\(misuse.name)")
        }
    }

    @Test func `a module isolated to the main actor declares its models nonisolated`() throws {
        let compiler = try #require(SnippetCompiler.found)
        let model = #"""
            import Sworm
            nonisolated struct Book { var title = "" }
            nonisolated extension Book: ManagedObjectConvertible {
                static let attributes: Set<Attribute<Book>> = [.init(\.title, "title")]
                struct Relations: Sendable { let next = ToOneRelation<Book>("next") }
                static let relations = Relations()
            }
            func titles() -> Request<Book> { Book.all.where { $0.title == "x" && $0.next.title != "y" } }
            """#
        let options = ["-default-isolation", "MainActor"]
        #expect(try compiler.diagnostics(of: ["Model": model], stage: .dataFlow, options) == [:])
        let isolated = model.replacing("nonisolated ", with: "")
        #expect(try compiler.diagnostics(of: ["Model": isolated], stage: .dataFlow, options) != [:])
    }

    private func expectAll(_ cases: [Misuse], stage: SnippetCompiler.Stage = .types) throws {
        let results = try Misuse.check(cases, models: snippetModels, stage: stage)
        #expect(results.count == cases.count)
        for (misuse, said) in results {
            #expect(said.contains { $0.contains(misuse.expected) }, "\(misuse.name): \(said)")
        }
    }

    static let conditions: [Misuse] = [
        Misuse(
            "another entity", #"_ = Book.all.where(\Author.name == "x")"#,
            expected:
                "error: cannot convert value of type 'Condition<Author>' to expected argument type 'Condition<Book>'"),
        Misuse(
            "two entities", #"_ = Book.all.where(\Book.year == 3 && \Author.name == "x")"#,
            expected:
                "error: cannot convert value of type 'KeyPath<Author, String>' to expected argument type 'KeyPath<Book, String>'"
        ),
        Misuse(
            "another type, rooted", #"let _: Condition<Book> = \Book.year == "x""#,
            expected: "error: cannot convert value of type 'String' to expected argument type 'Int'"),
        Misuse(
            "another type, in a closure", "_ = Book.all.where { $0.year > 3.5 }",
            expected: "error: cannot convert value of type 'Double' to expected argument type 'Int'"),
        Misuse(
            "a type without an order", "_ = Book.all.where { $0.address < Address() }",
            expected: "requires that 'Data' conform to 'Comparable'"),
        Misuse(
            "an order by a type without one", #"_ = Book.all.sort(\.address)"#,
            expected: "error: instance method 'sort(_:ascending:)' requires that 'Data' conform to 'Comparable'"),
        Misuse(
            "an attribute that is prefetched", #"_ = Book.all.prefetch(\.title)"#,
            expected: "'title'"),
        Misuse(
            "a misspelt relation that is prefetched", #"_ = Book.all.prefetch(\.author, \.author.boks)"#,
            expected: "'boks'"),
        Misuse(
            "a misspelt attribute, in a closure", #"_ = Book.all.where { $0.titel == "x" }"#,
            expected: "error: value of type 'EntityPath<Book, Book>' has no dynamic member 'titel'"),
        Misuse(
            "a misspelt attribute, rooted", #"_ = Book.all.where(\Book.titel == "x")"#,
            expected: "error: value of type 'Book' has no member 'titel'"),
        Misuse(
            "a misspelt relation", #"_ = Book.all.where { $0.autor.name == "x" }"#,
            expected: "error: value of type 'EntityPath<Book, Book>' has no dynamic member 'autor'"),
        Misuse(
            "a misspelt attribute through a relation", #"_ = Book.all.where { $0.author.nme == "x" && $0.year > 3 }"#,
            expected: "error: value of type 'OptionalPath<Book, Author>' has no dynamic member 'nme'"),
        Misuse(
            "a forgotten any", "_ = Book.all.where { $0.reviews.mark > 3 }",
            expected: "error: value of type 'OrderedManyPath<Book, Review>' has no member 'mark'"),
        Misuse(
            "a place in a relation without an order", "_ = Author.all.where { $0.books.first.year > 3 }",
            expected: "error: value of type 'ManyPath<Author, Book>' has no member 'first'"),
        Misuse(
            "bits of a text", "_ = Book.all.where { $0.title & 1 == 1 }",
            expected: "error: "),
        Misuse(
            "another row's relation", "_ = Book.all.where { $0.author == $0.reviews }",
            expected: "error: "),
        Misuse(
            "another entity's row",
            "_ = Author.all.where { a in _ = Book.all.where { $0.year == a.year }; return a.year == 1 }",
            expected: "'Term<Author, Int, Int>'"),
        Misuse(
            "another entity's id",
            "func with(_ id: ManagedObjectID<Book>) { _ = Book.all.where { $0.author == id } }",
            expected: "'ManagedObjectID<Book>'"),
        Misuse(
            "two untyped strings", #"let a = "a", b = "b"; let _: any Sworm.Predicate = a && b"#,
            expected: "error: binary operator '&&' cannot be applied to two 'String' operands"),
        Misuse(
            "a string from anywhere", #"let text = "user text"; _ = Book.all.where(text)"#,
            expected: "warning: 'where' is deprecated: the predicate may be for another entity"),
        Misuse(
            "nil for what is never nil", "_ = Book.all.where { $0.year == nil }",
            expected: "warning: '==' is deprecated: this attribute is never nil"),
        Misuse(
            "an assignment", "_ = Book.all.where { $0.year = 3 }",
            expected: "error: cannot assign through dynamic lookup property"),
        Misuse(
            "a condition is not a predicate", #"let _: any Sworm.Predicate = \Book.year == 3"#,
            expected: "does not conform to specified type 'Predicate'"),
    ]

    static let projections: [Misuse] = [
        Misuse(
            "a misspelt column", #"_ = Book.all.select(\.titel)"#,
            expected: "has no dynamic member 'titel' using key path from root type 'Book'"),
        Misuse(
            "a misspelt column among others", #"_ = Book.all.select(\.title, \.titel)"#,
            expected: "has no dynamic member 'titel'"),
        Misuse(
            "a column of many rows", #"_ = Book.all.select(\.reviews.mark)"#,
            expected: "error: value of type 'OrderedManyPath<Book, Review>' has no member 'mark'"),
        Misuse(
            "a relation as a column", #"_ = Book.all.select(\.title, \.author)"#,
            expected: "error: cannot convert value of type"),
        Misuse(
            "another entity's column",
            "_ = Author.all.where { a in _ = Book.all.select { _ in a.name }; return a.year == 1 }",
            expected: "error: 'select' is unavailable: the closure must return columns of its row"),
        Misuse(
            "another entity's column among others",
            "_ = Author.all.where { a in _ = Book.all.select { ($0.title, a.name) }; return a.year == 1 }",
            expected: "error: 'select' is unavailable: the closure must return columns of its row"),
        Misuse(
            "no column at all", "_ = Book.all.select { _ in }",
            expected: "error: 'select' is unavailable: the closure must return columns of its row"),
        Misuse(
            "a relation as a column of a closure", "_ = Book.all.select { ($0.title, $0.author) }",
            expected: "error: 'select' is unavailable: the closure must return columns of its row"),
        Misuse(
            "a misspelt column of a closure", "_ = Book.all.select { ($0.title, $0.titel) }",
            expected: "has no dynamic member 'titel'"),
        Misuse(
            "another entity's column beside groups",
            #"_ = Author.all.where { a in _ = Book.all.grouped(by: \.year).select { _ in a.name }; return a.year == 1 }"#,
            expected: "error: 'select' is unavailable: the closure must return columns of its group"),
        Misuse(
            "a row of other types",
            #"struct Line { var title: String; var year: String }; _ = Book.all.select(\.title, \.year, as: Line.init)"#,
            expected: "error: cannot convert value of type"),
        Misuse(
            "an optional column in a row without",
            #"struct Line { var title: String; var name: String }; _ = Book.all.select(\.title, \.author.name, as: Line.init)"#,
            expected: "error: cannot convert value of type"),
        Misuse(
            "the sum of texts", #"func f(_ c: ManagedObjectContext) throws { _ = try c.sum(of: Book.all, \.title) }"#,
            expected: "requires that 'String' conform to 'Numeric'"),
        Misuse(
            "the largest of what has no order",
            #"func f(_ c: ManagedObjectContext) throws { _ = try c.max(of: Book.all, \.address) }"#,
            expected: "requires that 'Data' conform to 'Comparable'"),
        Misuse(
            "a column of a group's rows", #"_ = Book.all.grouped(by: \.title).select { ($0.key, $0.year) }"#,
            expected: "has no member 'year'"),
        Misuse(
            "a condition of a row on a group", #"_ = Book.all.grouped(by: \.title).having { $0.year > 3 }"#,
            expected: "has no member 'year'"),
        Misuse(
            "a group's rows without a column",
            #"func f(_ c: ManagedObjectContext) throws { _ = try c.fetch(Book.all.grouped(by: \.title)) }"#,
            expected: "error:"),
    ]

    static let tables: [Misuse] = [
        .declaration(
            "a constant",
            #"struct M: ManagedObjectConvertible { let id = 0; static let attributes: Set<Attribute<M>> = [.init(\.id, "id")] }"#,
            expected: "an attribute needs a stored `var` whose type is a SupportedAttributeType"),
        .declaration(
            "a type that cannot be stored",
            #"struct U {}; struct M: ManagedObjectConvertible { var u = U(); static let attributes: Set<Attribute<M>> = [.init(\.u, "u")] }"#,
            expected: "an attribute needs a stored `var` whose type is a SupportedAttributeType"),
        .declaration(
            "a misspelt property",
            #"struct M: ManagedObjectConvertible { var u = 0; static let attributes: Set<Attribute<M>> = [.init(\.v, "v")] }"#,
            expected: "error: value of type 'Case2.M' has no member 'v'"),
        .declaration(
            "a misspelt option",
            #"struct M: ManagedObjectConvertible { var u = 0; static let attributes: Set<Attribute<M>> = [.init(\.u, "u", .uniqe)] }"#,
            expected: "error: type 'AttributeOption' has no member 'uniqe'"),
        .declaration(
            "a missing inverse",
            #"""
            struct M: ManagedObjectConvertible {
                var u = 0
                static let attributes: Set<Attribute<M>> = [.init(\.u, "u")]
                struct Relations: Sendable { let books: ToManyRelation<Book> = .init("a", inverse: \.nothing) }
                static let relations = Relations()
            }
            """#,
            expected: "has no member 'nothing'"),
        .declaration(
            "no init()",
            #"struct M: ManagedObjectConvertible { var u: Int; static let attributes: Set<Attribute<M>> = [.init(\.u, "u")] }"#,
            expected: "does not conform to protocol 'ManagedTreeConvertible'"),
    ]

    static let sound: [Misuse] = [
        Misuse(
            "conditions",
            #"""
            let unset: Int? = nil
            _ = Book.all.where { $0.author.name == "Leo" && $0.reviews.any.mark > 3 && $0.reviews.count > 2 }
            _ = Book.all.where { $0.rating == nil || $0.rating == unset || $0.author.year == nil || $0.author == nil }
            _ = Book.all.where(\.year > 3 && \.title == "x" && \.status == .draft).sort(\.author.name).sort(\.title)
            _ = Book.all.where(\Book.year == 1 && !"foo == 1").where("year == 3").where(raw: "year == %@", 3)
            _ = Book.all.where { book in book.reviews.contains { $0.mark > 3 && $0.book.year == book.year } }
            """#, expected: ""),
        .declaration(
            "both ends named",
            #"""
            struct B: ManagedObjectConvertible {
                var x = 0
                static let attributes: Set<Attribute<B>> = [.init(\.x, "x", .range(0...3), .type(.integer16))]
                static let uniquenessConstraints: [UniquenessConstraint<B>] = [.init(\.x)]
                static let fetchIndexes: [FetchIndex<B>] = [.init("byX", .descending(\.x)), .init("also", \.x)]
                struct Relations: Sendable { let a: ToOneRelation<A> = .init("a", inverse: \.b, .required) }
                static let relations = Relations()
            }
            struct A: ManagedObjectConvertible {
                static let attributes: Set<Attribute<A>> = []
                struct Relations: Sendable { let b = ToManyRelation<B>("b", inverse: \.a, deleteRule: .cascade) }
                static let relations = Relations()
            }
            """#, expected: ""),
    ]
}
