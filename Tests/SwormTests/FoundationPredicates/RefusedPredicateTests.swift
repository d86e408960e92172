import Foundation
import Sworm
import TestSupport
import Testing

/// Expects that a predicate is refused in these words.
private func refused(
    _ words: String..., by condition: Condition<Novel>, _ code: StoreError.Code = .invalidCondition,
    sourceLocation: SourceLocation = #_sourceLocation
) {
    let error = storeError { try condition.validate() }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    for word in words + ["Novel"] {
        #expect(
            error?.message.contains(word) == true, "\(error?.message ?? "no error")", sourceLocation: sourceLocation)
    }
}

@Suite("#Predicate: rejected expressions", .overEachStore)
struct RefusedPredicateTests {
    @Test func `a property that is not an attribute is named`() {
        refused("unstored", by: Condition(#Predicate<Novel> { $0.unstored == 1 }), .unknownKeyPath)
        refused("unstored", by: Condition(#Predicate<Row<Novel>> { $0.unstored == 1 }), .unknownKeyPath)
        refused("rooms", by: Condition(#Predicate<Novel> { $0.place.rooms == 1 }), .unknownKeyPath)
    }

    @Test func `a key path through a protocol requirement is distinguished from the property's own`() throws {
        let error = storeError { try numbered(Novel.self, 1).validate() }
        #expect(error?.code == .unknownKeyPath)
        #expect(error?.message.contains("a protocol requirement") == true)
    }

    @Test func `parts of an attribute cannot be used`() {
        refused("stored as a", "binding", by: Condition(#Predicate<Novel> { $0.binding.material == "cloth" }))
        refused("stored as a", "tone", by: Condition(#Predicate<Novel> { $0.tone.label == "a dark one" }))
    }

    @Test func `what Swift would stop at is an error`() {
        let (zero, low, high, none, largest) = (0, 5, 1, nil as Int?, Int.max)
        refused("divides by zero", by: Condition(#Predicate<Novel> { $0.year / zero == 1 }))
        refused("divides by zero", by: Condition(#Predicate<Novel> { 7 % zero == $0.year }))
        refused("is greater than its upper bound", by: Condition(#Predicate<Novel> { (low...high).contains($0.year) }))
        refused("does not fit", by: Condition(#Predicate<Novel> { $0.year < largest + low }))
        let years = [1869]
        refused("cannot be translated", by: Condition(#Predicate<Novel> { $0.year == years[low] }))
        refused("captured nil", by: Condition(#Predicate<Novel> { $0.year == none! }))
    }

    @Test func `a member by its index is rejected with the way out`() {
        let predicate = #Predicate<Row<Novel>> { $0.reviews[0].mark == 5 }
        refused("CollectionIndexSubscript", "first", by: Condition(predicate))
    }

    @Test func `the members of an unordered relation have no first`() {
        refused("novels", "ordered", by: Condition(#Predicate<Row<Novel>> { $0.writer?.novels.first?.year == 5 }))
    }

    @Test func `a computed property of a row is not a member`() {
        refused("not an attribute", by: Condition(#Predicate<Row<Novel>> { $0.isOld }))
    }

    @Test func `a row holds nothing to compare with`() throws {
        let row = try JSONDecoder().decode(Row<Writer>.self, from: Data("{}".utf8))
        refused("objectID", by: Condition(#Predicate<Row<Novel>> { $0.writer == row }))
    }

    @Test func `a node that is not known is named`() {
        refused("Always", "closure form", by: Condition(Foundation.Predicate<Novel> { _ in Always() }))
    }

    @Test func `the error is thrown when the request runs`() {
        let request = Novel.all.where(#Predicate { $0.unstored == 1 })
        let error = storeError { _ = try NovelStore.perform { try $0.count(of: request) } }
        #expect(error?.code == .unknownKeyPath)
    }

    @Test func `the operand after a decided test is not evaluated`() {
        let none: Int? = nil
        let condition = Condition(#Predicate<Novel> { none == nil || $0.year == none! })
        #expect(condition.format == "TRUEPREDICATE")
    }
}

private protocol Numbered { var number: Int { get } }

extension Novel: Numbered {}

private func numbered<T: Numbered & ManagedObjectConvertible>(_ type: T.Type, _ number: Int) -> Condition<T> {
    Condition(#Predicate<T> { $0.number == number })
}

extension Row where PlainObject == Novel {
    fileprivate var isOld: Bool { self.year < 1900 }
}

private struct Always: StandardPredicateExpression, Sendable, Codable {
    func evaluate(_ bindings: PredicateBindings) throws -> Bool { true }
}
