import Foundation
import Sworm
import SwormPredicates
import Testing

@Suite("Conditions from strings")
struct RawConditionTests {
    @Test func `a format string is parsed into a tree and printed from it`() throws {
        let condition = Condition<Book>(format: "year > %@ AND title BEGINSWITH[c] %@", 3, "x")
        #expect(condition.format == "(year > %@) AND (title BEGINSWITH[c] %@)")
        #expect(values(condition) == "[\"3\", \"x\"]")
        let other: Condition<Book> = \.year > 3 && Condition(format: "title BEGINSWITH[c] 'x'")
        #expect(try condition.tree() == other.tree())
    }

    @Test func `a literal is a condition`() {
        let condition: Condition<Book> = "year == 1"
        #expect(condition.format == "year == %@")
        #expect(Book.all.where("year == 1").condition?.format == "year == %@")
        #expect(Book.all.where("year == 1" && \.title == "x").condition?.format == "(year == %@) AND (title == %@)")
        #expect(Book.all.where(!"year == 1" || "year == 2").condition?.format == "(NOT (year == %@)) OR (year == %@)")
        #expect([1, 2].reduce("TRUEPREDICATE") { $0 && \Book.year == $1 }.arguments.count == 2)
    }

    @Test func `arguments may be of any attribute type`() throws {
        let id = ManagedObjectID<Author>(ObjectReference(storeIdentifier: "S", entityName: "Author", key: 7))
        let condition = Condition<Book>(
            format: "status == %@ AND author == %@ AND year IN %@ AND rating == %@ AND status IN %@", Status.printed,
            id,
            [1, 2], nil, [Status.draft])
        try condition.validate()
        let arguments = condition.arguments
        #expect(arguments.first as? String == "printed")
        #expect(arguments[1] as? ObjectReference == id.reference)
        #expect(arguments[2] as? [Int64] == [1, 2])
        #expect(arguments[3] is NSNull)
        #expect(arguments[4] as? [String] == ["draft"])
    }

    @Test func `a format string that cannot be parsed prints unchanged, and throws later`() throws {
        let condition = (\Book.year == 1 || \Book.year == 2) && !("foo.bar")
        #expect(condition.format == "((year == %@) OR (year == %@)) AND (NOT (foo.bar))")
        #expect(condition.arguments.count == 2)
        let error = #expect(throws: StoreError.self) { try condition.validate() }
        #expect(error?.code == .invalidCondition)
        #expect(error?.message.contains("foo.bar") == true)
        #expect(throws: StoreError.self) { _ = try Book.all.where(condition).predicateTree() }
        #expect(throws: StoreError.self) { try Condition<Book>(format: "year == %@").validate() }
        #expect(throws: StoreError.self) { try Condition<Book>(format: "year == %@", Self.self).validate() }
        #expect(throws: StoreError.self) { try Book.all.where(raw: "year = = 3").validate() }
    }

    @Test func `an argument that cannot be encoded is a failure`() {
        #expect(throws: StoreError.self) {
            try Condition<Measured>(format: "reading == %@", Reading(value: .nan)).validate()
        }
        #expect(throws: StoreError.self) { try (\Measured.reading == Reading(value: .infinity)).validate() }
        #expect(throws: Never.self) { try (\Measured.reading == Reading(value: 1)).validate() }
    }

    @Test func `a format string with arguments`() {
        #expect(Book.all.where(raw: "year == %@ OR title == %@", 3, "x").condition?.arguments.count == 2)
    }

    @available(*, deprecated)
    @Test func `untyped predicates of version 1 still work`() {
        let text = "year == 1"
        let mixed: any Sworm.Predicate = text && \Book.year == 3
        #expect(mixed.predicateDescriptor.query == "(year == %@) AND (year == %@)")
        let other: any Sworm.Predicate = \Book.year == 3 || text
        #expect(other.predicateDescriptor.args.count == 2)
        #expect(Query.not(text).predicateDescriptor.query == "NOT (year == %@)")
        #expect(Query.and(text, text).predicateDescriptor.query == "(year == %@) AND (year == %@)")
        #expect(Query.or(text, \Book.year == 1).predicateDescriptor.query == "(year == %@) OR (year == %@)")
    }
}

struct Reading: CodableAttribute, Equatable { var value = 0.0 }

struct Measured: ManagedObjectConvertible {
    var reading = Reading()
    static let attributes: Set<Attribute<Measured>> = [.init(\.reading, "reading")]
}
