import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("Functions in SQL")
struct StoreFunctionTests {
    private let model = LibraryModel.model

    private func names(_ predicate: PredicateTree, in store: SQLiteStore) throws -> [String] {
        var specification = FetchSpecification(entity: LibraryModel.tag)
        specification.predicate = predicate
        let shape = RowShape(model: model, entity: LibraryModel.tag)
        let rows = try store.reading { try $0.rows(specification, shape: shape) }
        return (0..<rows.count).map { rows.text(row: $0, cell: shape.cell(ofAttribute: 0, in: LibraryModel.tag)) }
    }

    private func compare(
        _ comparator: SwormPredicates.Comparator, _ text: String, _ options: ComparisonOptions = []
    ) -> PredicateTree {
        .comparison(Comparison(.path(["name"]), by: comparator, with: .value(.string(text)), options: options))
    }

    @Test func `strings are folded, and matched with patterns`() throws {
        let store = try SQLiteStore.inMemory(model: model)
        for name in ["Café", "cafe", "CAFETERIA", "a*b"] { try store.insert(LibraryModel.tag, ["name": .string(name)]) }
        try store.insert(LibraryModel.tag)
        let both: ComparisonOptions = [.caseInsensitive, .diacriticInsensitive]
        #expect(try names(compare(.equal, "CAFE", both), in: store) == ["Café", "cafe"])
        #expect(try names(compare(.like, "caf?", both), in: store) == ["Café", "cafe"])
        #expect(try names(compare(.like, "caf*", .caseInsensitive), in: store) == ["Café", "cafe", "CAFETERIA"])
        #expect(try names(compare(.matches, "[Cc]af.", []), in: store) == ["Café", "cafe"])
        #expect(try names(compare(.matches, "caf(e|eteria)", .caseInsensitive), in: store) == ["cafe", "CAFETERIA"])
    }

    @Test func `a pattern that is not a regular expression is an error`() throws {
        let store = try SQLiteStore.inMemory(model: model)
        try store.insert(LibraryModel.tag, ["name": .string("x")])
        #expect(throws: (any Error).self) { try names(compare(.matches, "(", []), in: store) }
    }
}
