import Foundation
import Sworm
import TestSupport
import Testing

@Suite("Conditions as data", .overEachStore)
struct ConditionAsDataTests {
    private func sent<T>(_ condition: Condition<T>) throws -> Condition<T> {
        try JSONDecoder().decode(Condition<T>.self, from: try JSONEncoder().encode(condition))
    }

    private static let id = UUID(uuidString: "6F1B2C3D-0000-4000-8000-00000000ABCD") ?? UUID()

    private static let conditions: [Condition<Book>] = [
        \.year > 1800, \.rating == nil, \.id == id, \.weight == 0.1,
        \.price == Decimal(string: "12345678901234567890.5") ?? 0,
        \.status == .printed, \.title == "'quoted' \\ 'x' \u{0}", \.weight != .infinity,
        \.year === [1, 2, 3], "TRUEPREDICATE", "NOT (year IN {1, 2} OR title ==[cd] 'x')",
        Condition(format: "subtitle != %@ OR year BETWEEN %@", nil, [1, 9]),
        Condition(format: "%K == %@", "title", "x"),
        Book.all.where { $0.author.name == "Leo" && $0.reviews.filter { $0.mark == 5 }.count > 1 }.whole,
        Book.all.where { $0.reviews.any.mark > 3 && $0.author != nil && $0.year + 1 == 3 }.whole,
    ]

    @Test(arguments: conditions)
    func `a condition that was sent is the same condition`(condition: Condition<Book>) throws {
        let copy = try sent(condition)
        #expect(copy == condition && copy.hashValue == condition.hashValue)
        #expect(copy.description == condition.description)
    }

    @Test func `dates, data, addresses and ids keep their bits`() throws {
        let store = try PersistentContainer(for: Book.self, at: .tested)
        let id = try store.perform { try $0.insert(Author(name: "Leo")) }
        let saved = try #require(try store.perform { try $0.fetchOne(Author.all)?.id })
        let date = Date(timeIntervalSinceReferenceDate: 1.0 / 3)
        for value: Any in [date, Data([0, 255]), URL(filePath: "/x y"), saved, Double.nan, -Double.infinity] {
            let condition = Condition<Author>(format: "name == %@", value)
            #expect(try sent(condition).description == condition.description)
        }
        #expect(id == saved)
        let byAuthor: Condition<Book> = Book.all.where { $0.author == saved }.whole
        #expect(try sent(byAuthor) == byAuthor)
    }

    @Test func `the form is stable`() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let condition: Condition<Book> = \.year > 1800 && \.title == "War"
        #expect(
            String(decoding: try encoder.encode(condition), as: UTF8.self)
                == #"{"arguments":[{"int":1800},{"string":"War"}],"entity":"Book","format":"(year > %@) AND (title == %@)"}"#
        )
        let hand =
            #"{"entity": "Book", "format": "year IN %@ && rating == nil", "arguments": [{"list": [{"int": 1}]}]}"#
        let read = try JSONDecoder().decode(Condition<Book>.self, from: Data(hand.utf8))
        #expect(read.format == "(year IN %@) AND (rating == %@)" || read.format.contains("year IN"))
    }

    @Test(arguments: [
        (#"{"entity":"Author","format":"name == 'x'"}"#, "Author"),
        (#"{"entity":"Book","format":"year =="}"#, "parsed"),
        (#"{"entity":"Book","format":"year == %@"}"#, "argument"),
        (#"{"entity":"Book","format":"year == %@","arguments":[{"number":1}]}"#, "bool, int"),
        (#"{"entity":"Book","format":"year == %@","arguments":[{"int":1,"double":2}]}"#, "one member"),
        (#"{"entity":"Book","format":"year == %@","arguments":[{"uuid":"x"}]}"#, "UUID"),
        (#"{"entity":"Book","format":"year == %@","arguments":[{"object":"x-coredata://a/Book/t1"}]}"#, "object"),
        (#"{"entity":"Book","format":"year == %@","arguments":[{"data":"%"}]}"#, "base64"),
        (#"{"entity":"Book","format":"year == %@","arguments":[{"double":"many"}]}"#, "nan"),
        (#"{"entity":"Book","format":"year == %@","arguments":[{"decimal":"many"}]}"#, "decimal"),
        (#"{"entity":"Book"}"#, "format"),
    ])
    func `data that is not a condition is rejected with a message`(json: String, word: String) throws {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(Condition<Book>.self, from: Data(json.utf8))
        }
        #expect(error.map { "\($0)".contains(word) } == true, "\(String(describing: error))")
    }

    @Test func `a condition that was not understood cannot be sent`() throws {
        let broken = Condition<Book>(format: "title ==")
        #expect(storeError { try JSONEncoder().encode(broken) }?.code == .invalidCondition)
        let deep = String(repeating: "(", count: 50_000)
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(
                Condition<Book>.self, from: Data(#"{"entity":"Book","format":"\#(deep)"}"#.utf8))
        }
    }

    @Test func `a long chain is sent too`() throws {
        let chain = (0..<1_000).reduce(Condition<Book>(format: "year == -1")) { $0 || \.year == $1 }
        #expect(try sent(chain) == chain)
        let store = try PersistentContainer(for: Book.self, at: .tested)
        try store.perform { try $0.insert(Book(year: 999)) }
        #expect(try store.perform { try $0.count(of: Book.all.where(sent(chain))) } == 1)
    }

    @Test(arguments: [
        "", "-", "+", ".", "1e", "1e+", "e1", "12x", " 1", "1 ", "1,5", "0x10", "--1", "1.2.3", "nan", "inf",
    ])
    func `a string that is not a decimal is rejected`(text: String) {
        #expect(throws: DecodingError.self) { try decoded(decimal: text) }
    }

    @Test(arguments: [
        ("-12.50", "-12.5"), ("1e3", "1000"), ("+.5E-1", "0.05"), ("7.", "7"), ("NaN", "NaN"),
        ("12345678901234567890.123", "12345678901234567890.123"),
    ])
    func `a decimal is taken whole`(text: String, number: String) throws {
        #expect("\(try decoded(decimal: text).arguments)" == "[\(number)]")
    }

    private func decoded(decimal: String) throws -> Condition<Book> {
        let json = #"{"entity":"Book","format":"price == %@","arguments":[{"decimal":"\#(decimal)"}]}"#
        return try JSONDecoder().decode(Condition<Book>.self, from: Data(json.utf8))
    }

    @Test func `a condition with a NaN equals itself`() throws {
        for value: Any in [Double.nan, Decimal.nan, Date(timeIntervalSinceReferenceDate: .nan), [1.0, Double.nan]] {
            let condition = Condition<Book>(format: "price == %@ OR TRUEPREDICATE", value)
            #expect(condition == condition && Set([condition, condition]).count == 1, "\(condition)")
            #expect(try sent(condition) == condition)
        }
        #expect(Condition<Book>(format: "weight == %@", -0.0) == Condition<Book>(format: "weight == %@", 0.0))
    }

    @Test func `equal conditions are one element of a set`() {
        let one: Condition<Book> = \.year > 3 && \.title == "x"
        let other: Condition<Book> = \.year > 3 && \.title == "x"
        let turned: Condition<Book> = \.title == "x" && \.year > 3
        #expect(Set([one, other, turned]).count == 2)
        let closures = (0..<2).map { _ in Book.all.where { $0.reviews.filter { $0.mark == 1 }.count > 0 }.whole }
        #expect(Set(closures).count == 1)
    }
}

@Suite("Conditions from outside", .overEachStore)
struct ConditionAllowListTests {
    private let allowed = ConditionAllowList()
        .allowing(Book.self, \.title, \.year, \.rating).allowing(Book.self, relations: \.author, \.reviews)
        .allowing(Author.self, \.name)

    @Test(arguments: [
        "title == 'x' AND year > 3", "author.name BEGINSWITH 'L'", "rating == nil", "reviews.@count > 2",
        "SUBQUERY(reviews, $r, TRUEPREDICATE).@count == 1", "title.length > 3", "author == nil", "SELF.year == 1",
        "TERNARY(year > 3, title, author.name) == 'x'", "title IN {'a', 'b'}", "year + abs(rating) > 3",
        "SUBQUERY(SUBQUERY(reviews, $r, TRUEPREDICATE), $r, year > 3).@count == 1", "TRUEPREDICATE",
    ])
    func `listed names are allowed`(format: String) throws {
        try Condition<Book>(format: format).check(against: allowed)
    }

    @Test(arguments: [
        ("status == 'draft'", "status", "Book"), ("author.born > 3", "born", "Author"),
        ("ANY reviews.mark > 3", "mark", "Review"),
        ("editor.name == 'x'", "editor", "Book"), ("author.books.@count > 3", "books", "Author"),
        ("SUBQUERY(reviews, $r, $r.mark > 3).@count > 1", "mark", "Review"),
        ("SUBQUERY(reviews, $r, price > 3).@count > 1", "price", "Book"),
        ("reviews.@max.mark > 3", "mark", "Review"), ("reviews.text.@count > 3", "text", "Review"),
        ("nothing == 3", "nothing", "Book"), ("title.hash == 3", "hash", "Book"), ("SELF.price > 3", "price", "Book"),
        ("reviews[FIRST].mark == 3", "mark", "Review"), ("TERNARY(price > 1, 1, 2) == 1", "price", "Book"),
        ("author[price] == 1", "price", "Book"), ("CAST(price, 'NSString') == '1'", "price", "Book"),
        ("{price, year} CONTAINS 3", "price", "Book"), ("-price < 3", "price", "Book"),
        ("(author UNION editor) == nil", "editor", "Book"), ("objectID == 3", "objectID", "Book"),
    ])
    func `unlisted names are rejected at every position`(format: String, key: String, entity: String) throws {
        let error = storeError { try Condition<Book>(format: format).check(against: allowed) }
        #expect(
            error?.code == .conditionNotAllowed && error?.attribute == key && error?.entity == entity,
            "\(format): \(String(describing: error))")
        #expect(error?.message.contains("'\(key)'") == true)
    }

    @Test func `regular expressions and large conditions are rejected unless they are allowed`() throws {
        let pattern = Condition<Book>(format: "title MATCHES 'a+'")
        #expect(storeError { try pattern.check(against: allowed) }?.message.contains("MATCHES") == true)
        var loose = allowed
        loose.allowsRegularExpressions = true
        try pattern.check(against: loose)
        let long: Condition<Book> = \.year === Array(0..<2_000)
        #expect(storeError { try long.check(against: allowed) }?.message.contains("1000 parts") == true)
        loose.maximumSize = 10_000
        try long.check(against: loose)
    }

    @Test func `a list that names a property without a table entry allows nothing`() throws {
        let wrong = ConditionAllowList().allowing(Book.self, \.title, \.cover)
        #expect(
            storeError { try Condition<Book>(format: "title == 'x'").check(against: wrong) }?.code == .unknownKeyPath)
        #expect(
            storeError { try Condition<Book>(format: "title ==").check(against: allowed) }?.code == .invalidCondition)
        let empty = storeError { try Condition<Book>(format: "title == 'x'").check(against: ConditionAllowList()) }
        #expect(empty?.message.contains("no allowed properties") == true)
    }
}

extension Request where PlainObject: ManagedObjectConvertible {
    /// The condition of a request that has one.
    fileprivate var whole: Condition<PlainObject> { condition ?? Condition(format: "TRUEPREDICATE") }
}
