import TestSupport
import Testing

@Suite(
    "Mistakes of new users, and the messages with their corrections",
    .enabled(if: SnippetCompiler.found != nil, "the compiler or the built modules were not found"))
struct StumbleTests {
    @Test func `each message contains the code to write`() throws {
        for (misuse, said) in try Misuse.check(Self.mistakes, models: Self.models, stage: .types) {
            let errors = said.filter { $0.hasPrefix("error: ") }
            #expect(errors.first?.contains(misuse.expected) == true, "\(misuse.name): \(said)")
        }
    }

    @Test func `the ways out compile`() throws {
        for (misuse, said) in try Misuse.check(Self.waysOut, models: Self.models, stage: .types) {
            #expect(said == [], "\(misuse.name)")
        }
    }

    @Test func `the page of troubleshooting has the sentences that say something else`() throws {
        let page = try Document("Sources/Sworm/Sworm.docc/Troubleshooting.md").text
        let results =
            try Misuse.check(Self.sentences, models: Self.models, stage: .types)
            + Misuse.check(Self.escapes, models: Self.models, stage: .dataFlow)
        for (misuse, said) in results {
            #expect(said.contains { $0.contains(misuse.expected) }, "\(misuse.name): \(said)")
            #expect(page.contains("`\(misuse.expected)`"), "\(misuse.name)")
        }
    }

    private static let models =
        snippetModels + "\n"
            + #"""
            struct Handles {
                let book: ManagedObject<Book>
                let author: ManagedObject<Author>
                let found: ManagedObject<Book>?
                let context: ManagedObjectContext
                let store: PersistentContainer
            }
            func handles() throws -> Handles { throw CancellationError() }
            """#

    private static func mistake(_ name: String, _ code: String, _ expected: String) -> Misuse {
        Misuse(name, "let it = try handles(); _ = it\n\(code)", expected: expected)
    }

    private static let values = "a handle has no values: read them with `decode("
    private static let otherType = "the attribute has another type: compare it with a value of its own type"
    private static let mayBeNil = "the handle may be nil: write `handle?.encode(…)`, or unwrap it"
    private static let first = "the attribute comes first: `$0.year.isIn(years)`"
    private static let closure = #"a condition over relations is a closure: `{ $0.author.name == "Leo" }`"#

    static let mistakes: [Misuse] = [
        mistake("a value of a handle", "print(it.book.year)", values),
        mistake("a value of a handle with a type", "let y: Int = it.book.year; _ = y", values),
        mistake("a value of an optional handle", "print(it.found?.year ?? 0)", values),
        mistake("a value set in a handle", "it.book.year = 3", values),
        mistake("a value in a loop", "for book in it.author.books { print(book.title) }", values),
        mistake("the id of Core Data", "print(it.book.objectID)", "'objectID' has been renamed to 'id'"),
        mistake("an object that deletes itself", "try it.book.delete()", "`context.delete(handle)`"),
        mistake("an optional handle that encodes a value", #"try it.found.encode(\.year, 3)"#, mayBeNil),
        mistake("an optional handle that encodes an object", "try it.found.encode(Book())", mayBeNil),
        mistake("a member appended", "try it.author.books.append(it.book)", "'append' has been renamed to 'add(_:)'"),
        mistake("a member inserted", "try it.author.books.insert(it.book)", "'insert' has been renamed to 'add(_:)'"),
        mistake("an empty string", "_ = Book.all.where { !$0.title.isEmpty }", "compare the length"),
        mistake(
            "the count of a string", "_ = Book.all.where { $0.title.count > 3 }", "'count' has been renamed to 'length'"
        ),
        mistake("a number and a string", #"_ = Book.all.where { $0.year == "1900" }"#, otherType),
        mistake("a string and a number", "_ = Book.all.where { $0.title != 3 }", otherType),
        mistake("an enumeration and its raw value", #"_ = Book.all.where { $0.status == "draft" }"#, otherType),
        mistake(
            "a relation and a value", "_ = Book.all.where { $0.author == $0.year }",
            "a row is compared with another row"),
        mistake("a relation in a key path", #"_ = Book.all.where(\.author.name == "Leo")"#, closure),
        mistake(
            "a relation in a key path of a condition", #"let c: Condition<Book> = \.author.name == "x"; _ = c"#, closure
        ),
        mistake("a list that contains", "_ = Book.all.where { [1, 2].contains($0.year) }", first),
        mistake("a list among others", #"_ = Book.all.where { ["a"].contains($0.title) && $0.year > 1 }"#, first),
        mistake("a range that contains", "_ = Book.all.where { (1900...2000).contains($0.year) }", first),
        mistake("filter", "_ = Book.all.filter { $0.year > 3 }", "'filter' has been renamed to 'where(_:)'"),
        mistake(
            "filter by a key path", #"_ = Book.all.filter(\.year > 3)"#, "'filter' has been renamed to 'where(_:)'"),
        mistake(
            "sorted(by:)", #"_ = Book.all.sorted(by: \.year)"#, "'sorted(by:)' has been renamed to 'sort(_:ascending:)'"
        ),
        mistake("sort(by:)", #"_ = Book.all.sort(by: \.year)"#, "'sort(by:)' has been renamed to 'sort(_:ascending:)'"),
        mistake(
            "order(by:)", #"_ = Book.all.order(by: \.year)"#, "'order(by:)' has been renamed to 'sort(_:ascending:)'"),
        mistake("the first of a request", "_ = Book.all.first", "`try context.fetchOne(request)`"),
        mistake(
            "another entity's predicate", "_ = Book.all.where(#Predicate<Author> { $0.year == 3 })", "another entity"),
        mistake("saving", "try it.context.save()", "saved when its closure returns"),
        mistake(
            "deleting an array", "try it.context.delete(try it.context.fetch(Book.all))", "delete each object by itself"
        ),
        mistake("fetching a type", "_ = try it.context.fetch(Book.self)", "requests fetch objects: `fetch(Book.all)`"),
        mistake(
            "decoding a type", "_ = try it.context.decode(Book.self)", "requests fetch objects: `decode(Book.all)`"),
        mistake(
            "changes that are no pairs", #"_ = try it.context.update(Book.all, set: \.year, 3)"#, "changes are pairs"),
        mistake(
            "changes of another type", #"_ = try it.context.update(Book.all, set: (\.year, "x"))"#,
            "conflicting arguments to generic parameter 'First' ('Int' vs. 'String')"),
        mistake("waiting in a perform", "try it.store.perform { _ in await Task.yield() }", "cannot wait"),
        mistake("fetching from a store", "_ = try it.store.fetch(Book.all)", "a context reads"),
        mistake("decoding from a store", "_ = try it.store.decode(Book.all)", "a context reads"),
    ]

    static let waysOut: [Misuse] = [
        mistake(
            "of handles",
            #"""
            print(try it.book.decode(\.year), try it.book.decode().year, try it.found?.decode().year ?? 0, it.book.id)
            try it.book.encode(\.year, 3)
            try it.found?.encode(\.year, 3)
            try it.author.books.add(it.book)
            try it.context.delete(it.book)
            """#, ""),
        mistake(
            "of conditions",
            #"""
            _ = Book.all.where { $0.year == 1900 && $0.title != "" && $0.status == .draft && $0.author != nil }
            _ = Book.all.where { $0.author.name == "Leo" && $0.year.isIn([1, 2]) && $0.year.isIn(1900...2000) }
            let condition = Condition<Book> { $0.author.name == "Leo" }
            _ = Book.all.where(condition).where { $0.title.length > 0 }.sort(\.year).sort(\.author.name)
            """#, ""),
        mistake(
            "of calls",
            #"""
            _ = try it.context.fetchOne(Book.all)
            for book in try it.context.fetch(Book.all) { try it.context.delete(book) }
            try it.context.delete(Book.all.where(\.year > 3))
            _ = try it.context.update(Book.all, set: (\.year, 3), (\.title, "x"))
            let rows = try it.context.fetch(Book.all.grouped(by: \.title).select { ($0.key, $0.count) })
            _ = Dictionary(uniqueKeysWithValues: rows)
            _ = try it.store.perform { try $0.decode(Book.all) }
            """#, ""),
    ]

    static let sentences: [Misuse] = [
        mistake(
            "a part of a Codable attribute", #"_ = Book.all.where { $0.address.city == "x" }"#,
            "has no dynamic member 'address' using key path from root type 'Book.Relations'"),
        mistake(
            "a misspelt property", #"_ = Book.all.where(\.titel == "x")"#,
            "no exact matches in call to instance method 'where'"),
        mistake(
            "a relation of the struct", #"_ = Book.all.where(\Book.author.name == "x")"#,
            "value of type 'Book' has no member 'author'"),
        mistake(
            "an optional relation", #"_ = Book.all.where { $0.author?.name == "x" }"#,
            "cannot use optional chaining on non-optional value of type 'OptionalPath<Book, Author>'"),
        mistake(
            "many rows", "_ = Book.all.where { $0.reviews.mark > 3 }",
            "value of type 'OrderedManyPath<Book, Review>' has no member 'mark'"),
        mistake(
            "a dictionary of rows",
            #"_ = Dictionary(uniqueKeysWithValues: try it.context.fetch(Book.all.grouped(by: \.title).select { ($0.key, $0.count) }))"#,
            "generic parameter 'Value' could not be inferred"),
        mistake(
            "a struct out of a perform", "let book: Book = try it.store.perform { try $0.insert(Book()) }; _ = book",
            "failed to produce diagnostic for expression"),
        mistake(
            "members set", "it.author.books = [it.book]",
            "cannot assign through dynamic lookup property: 'books' is a 'let' constant"),
        mistake(
            "a change that depends on the row", #"_ = try it.context.update(Book.all, set: (\.year, \.year + 1))"#,
            "cannot convert value of type 'KeyPath<Root, Value>' to expected argument type 'Int'"),
        mistake(
            "a wrapper",
            "func f<T>(_ work: (ManagedObjectContext) throws -> T) throws -> T { try it.store.perform(action: work) }",
            "type 'T' does not conform to the 'Sendable' protocol"),
        .declaration(
            "the name first",
            #"struct M: ManagedObjectConvertible { var u = 0; static let attributes: Set<Attribute<M>> = [.init("u", \.u)] }"#,
            expected: "cannot convert value of type 'String' to expected argument type"),
        .declaration(
            "an array of attributes",
            #"struct M: ManagedObjectConvertible { var u = 0; static let attributes: [Attribute<M>] = [.init(\.u, "u")] }"#,
            expected: "does not conform to protocol 'ManagedTreeConvertible'"),
        .declaration(
            "a class that is not final",
            #"class M: ManagedObjectConvertible { var u = 0; required init() {}; static let attributes: Set<Attribute<M>> = [.init(\.u, "u")] }"#,
            expected: "cannot be satisfied by a non-final class"),
        .declaration(
            "each the inverse of the other",
            #"""
            struct B: ManagedObjectConvertible {
                var x = 0
                static let attributes: Set<Attribute<B>> = [.init(\.x, "x")]
                struct Relations: Sendable { let a = ToOneRelation<A>("a", inverse: \.b) }
                static let relations = Relations()
            }
            struct A: ManagedObjectConvertible {
                var x = 0
                static let attributes: Set<Attribute<A>> = [.init(\.x, "x")]
                struct Relations: Sendable { let b = ToManyRelation<B>("b", inverse: \.a) }
                static let relations = Relations()
            }
            """#, expected: "circular reference"),
        mistake(
            "the name that Foundation has, too", "func f(_ predicate: any Predicate) {}",
            "'Predicate' is ambiguous for type lookup in this context"),
    ]

    static let escapes: [Misuse] = [
        mistake(
            "a handle among values", "_ = try it.store.perform { (1, try $0.insert(Book())) }",
            "returning a task-isolated 'ManagedObject<Book>' value as a 'sending' result risks causing data races")
    ]
}
