import Foundation
import Sworm
import TestSupport
import Testing

private struct Parcel: ManagedObjectConvertible, Equatable {
    struct Marks: OptionSet, SupportedAttributeType {
        var rawValue: Int16 = 0
        static let fragile = Marks(rawValue: 1)
        static let urgent = Marks(rawValue: 4)
    }

    var number = 0
    var flags = 0
    var marks = Marks()
    var weight = 0.0
    var paid: Double?
    var code = ""
    var alias: String?
    static let attributes: Set<Attribute<Parcel>> = [
        .init(\.number, "number"), .init(\.flags, "flags"), .init(\.marks, "marks"), .init(\.weight, "weight"),
        .init(\.paid, "paid"), .init(\.code, "code"), .init(\.alias, "alias"),
    ]
}

@Suite("Typed forms of the operators and functions of the language", .overEachStore)
struct TypedOperatorTests {
    private typealias Make = (EntityPath<Parcel, Parcel>) -> Condition<Parcel>

    private static let parcels = [
        Parcel(number: 1, flags: 0b101, marks: [.fragile, .urgent], weight: 2.5, paid: 9, code: "Äbc", alias: "äb"),
        Parcel(number: 2, flags: 0b010, marks: .urgent, weight: -2.5, paid: nil, code: "bcd", alias: nil),
        Parcel(number: 3, flags: 0b111, marks: [], weight: 4, paid: 0.25, code: "", alias: ""),
        Parcel(number: 4, flags: 0, marks: .fragile, weight: 100, paid: -1, code: "bc", alias: "c"),
    ]

    /// The text of a condition, and the numbers of the parcels that fulfil it, which must be the same in the store, in
    /// the store's memory, and as plain values.
    private func check(
        _ format: String, _ numbers: [Int], sourceLocation: SourceLocation = #_sourceLocation, _ make: Make
    ) throws {
        let request = Parcel.all.where(make)
        let condition = try #require(request.condition)
        #expect(condition.format == format, sourceLocation: sourceLocation)
        let store = try PersistentContainer(for: Parcel.self, at: .tested)
        let unsaved = try store.perform { context in
            for parcel in Self.parcels { try context.insert(parcel) }
            return try context.decode(request.sort(\.number)).map(\.number)
        }
        #expect(unsaved == numbers, sourceLocation: sourceLocation)
        let saved = try store.perform { try $0.decode(request.sort(\.number)).map(\.number) }
        #expect(saved == numbers, sourceLocation: sourceLocation)
        #expect(try Self.parcels.filtered(by: condition).map(\.number) == numbers, sourceLocation: sourceLocation)
    }

    @Test func `nil and ranges`() throws {
        try check("paid == %@", [2]) { $0.paid.isNil }
        try check("NOT (alias == %@)", [1, 3, 4]) { !$0.alias.isNil }
        try check("weight BETWEEN {paid, (paid + %@)}", [3, 4]) { $0.weight.between($0.paid, $0.paid + 200) }
        try check("number BETWEEN {flags, number}", [2, 4]) { $0.number.between($0.flags, $0.number) }
    }

    @Test func `string against string`() throws {
        try check("code BEGINSWITH alias", []) { $0.code.hasPrefix($0.alias) }
        try check("code BEGINSWITH[c] alias", [1]) { $0.code.hasPrefix($0.alias, .caseInsensitive) }
        try check("code ENDSWITH alias", [4]) { $0.code.hasSuffix($0.alias) }
        try check("code CONTAINS[cd] alias", [1, 4]) { $0.code.contains($0.alias, .search) }
        try check("code ==[c] alias", [3]) { $0.code.equals($0.alias, .caseInsensitive) }
        try check("code <[cd] %@", [1, 3]) { $0.code.precedes("B", .search) }
        try check("code > %@", [1, 2]) { $0.code.follows("bc") }
        try check("code IN[cd] %@", [1, 4]) { $0.code.isIn(["ABC", "BC"], .search) }
        try check("uppercase(code) == %@", [2]) { $0.code.uppercased == "BCD" }
        try check("lowercase(code) == lowercase(code)", [1, 2, 3, 4]) { $0.code.lowercased == $0.code.lowercased }
        try check("length(code) > length(alias)", [1, 4]) { $0.code.length > $0.alias.length }
        try check("length(alias) == %@", [3]) { $0.alias.length == 0 }
    }

    @Test func `bits and remainders`() throws {
        try check("(flags & %@) == %@", [1, 3]) { $0.flags & 0b100 == 0b100 }
        try check("(flags | %@) == %@", [2, 4]) { $0.flags | 0b010 == 0b010 }
        try check("(flags ^ %@) == %@", [1]) { $0.flags ^ 0b101 == 0 }
        try check("(marks & %@) == %@", [1, 2]) { $0.marks.contains(.urgent) }
        try check("modulus:by:(number, %@) == %@", [1, 3]) { $0.number.remainder(dividingBy: 2) == 1 }
        try check("modulus:by:(number, %@) == %@", []) { $0.number.remainder(dividingBy: 0) == 1 }
        try check("(number / %@) == %@", [2, 3]) { $0.number / 2 == 1 }
        try check("(number / flags) == %@", [2]) { $0.number / $0.flags == 1 }
    }

    @Test func `numbers`() throws {
        try check("abs(weight) == %@", [1, 2]) { $0.weight.magnitude == 2.5 }
        try check("floor(weight) == %@", [2]) { $0.weight.rounded(.down) == -3 }
        try check("ceiling(weight) == %@", [1]) { $0.weight.rounded(.up) == 3 }
        try check("trunc(weight) == %@", [2]) { $0.weight.rounded(.towardZero) == -2 }
        try check("sqrt(paid) == %@", [1]) { $0.paid.squareRoot == 3 }
        try check("sqrt(paid) == %@", [2, 4]) { $0.paid.squareRoot == nil }
        try check("log(weight) == %@", [4]) { $0.weight.commonLogarithm == 2 }
        try check("ln(weight) > %@", [3, 4]) { $0.weight.naturalLogarithm > 1 }
        try check("exp(weight) < %@", [2]) { $0.weight.exponential < 1 }
        try check("(weight ** %@) == %@", [3]) { $0.weight.power(2) == 16 }
    }

    @Test func `a negative zero is zero before it was saved, too`() throws {
        let store = try PersistentContainer(for: Parcel.self, at: .tested)
        let condition = Condition<Parcel>(format: "weight ** -1 < 0")
        try store.perform { context in
            let parcel = try context.insert(Parcel(weight: -0.0))
            #expect(try context.count(of: Parcel.all.where(condition)) == 0)
            #expect(try !condition.matches(parcel) && !condition.matches(Parcel(weight: -0.0)))
        }
        #expect(try store.perform { try $0.count(of: Parcel.all.where(condition)) } == 0)
    }

    @Test func `one value or another`() throws {
        try check("TERNARY(paid == %@, %@, paid) > %@", [1, 2]) { ($0.paid == nil).then(1, else: $0.paid) > 0.5 }
        try check("(TERNARY(flags > %@, number, %@) == %@) OR (number == %@)", [2, 4]) {
            ($0.flags > 2).then($0.number, else: 2) == 2 || $0.number == 4
        }
        try check("TERNARY(paid > %@, %@, %@) == %@", [1]) { ($0.paid > 1).then(1, else: 2) == 1 }
        try check("TERNARY(paid > %@, weight, paid) < %@", [4]) { ($0.paid > 0).then($0.weight, else: $0.paid) < 0 }
    }

    @Test func `a mistake inside is reported by the condition`() throws {
        let broken = Condition<Parcel>(format: "number ==")
        let condition = Parcel.all.where { broken.then(1, else: $0.number) == 1 }
        #expect(storeError { try condition.validate() }?.code == .invalidCondition)
    }

    @Test func `rows by their indexes`() throws {
        let store = try PersistentContainer(for: Book.self, at: .tested)
        let requests: [(Request<Book>, String, [String])] = [
            (Book.all.where { $0.reviews.first.mark == 1 }, "reviews[FIRST].mark == %@", ["a", "b"]),
            (Book.all.where { $0.reviews.last.mark == 1 }, "reviews[LAST].mark == %@", ["b"]),
            (Book.all.where { $0.reviews[1].mark > 1 }, "reviews[1].mark > %@", ["a"]),
            (Book.all.where { $0.reviews.first == nil }, "reviews[FIRST] == %@", ["c"]),
            (Book.all.where { $0.reviews.first.book.title == "a" }, "reviews[FIRST].book.title == %@", ["a"]),
            (
                Book.all.where { $0.reviews.count > 1 && !$0.reviews.isEmpty },
                "(reviews.@count > %@) AND (NOT (reviews.@count == %@))", ["a"]
            ),
        ]
        func check(_ context: ManagedObjectContext) throws {
            for (request, format, titles) in requests {
                #expect(request.condition?.format == format)
                #expect(try context.decode(request.sort(\.title)).map(\.title) == titles, "\(format)")
            }
        }
        try store.perform { context in
            let a = try context.insert(Book(title: "a"))
            for mark in [1, 2] { try a.reviews.add(context.insert(Review(mark: mark))) }
            try context.insert(Book(title: "b")).reviews.add(context.insert(Review(mark: 1)))
            try context.insert(Book(title: "c"))
            try check(context)
        }
        try store.perform(action: check)
        let below = Book.all.where { $0.reviews[-1].mark == 1 }
        #expect(storeError { try below.validate() }?.code == .invalidCondition)
    }
}
