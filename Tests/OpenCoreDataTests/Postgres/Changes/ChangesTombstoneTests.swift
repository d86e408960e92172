#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Changes on a server: preserved values of many attributes", .enabled(if: PostgresServer.isEnabled))
struct ChangesTombstoneTests {
    /// The numbers in the names of the attributes, of which a function of the server takes fewer than there are.
    private static let numbers = 100..<220
    private static let model = CompiledModel(entities: [
        CompiledEntity(
            number: 1, name: "Thing", root: 1, family: 1...1,
            attributes: numbers.map { number in
                CompiledAttribute(
                    name: "a\(number)", owner: 1, type: .string, preservesValueInHistoryOnDeletion: true)
            }, relationships: [], versionHash: LibraryModel.hash(1))
    ])

    @Test(arguments: [false, true])
    func `all values of a deleted object are in the history`(isDeletedByAnotherProgram: Bool) throws {
        var options = try PostgresStores.options()
        options.recordsOtherPrograms = isDeletedByAnotherProgram
        let store = try HistoryServer.open(options, Self.model)
        var values: [String: AttributeValue] = [:]
        var expected: [Int: StoredValue] = [:]
        for (slot, number) in Self.numbers.enumerated() {
            values["a\(number)"] = .string("value \(number)")
            expected[slot] = .text("value \(number)")
        }
        let row = try store.insert(1, values)
        let last = try store.waitForHistory(after: 0).last?.number ?? 0
        if isDeletedByAnotherProgram {
            try store.pass("DELETE FROM @\"Thing\"")
        } else {
            var request = SaveRequest()
            request.deletions = [.init(row: row, version: 1)]
            try store.save(request)
        }
        let changes = try store.waitForHistory(after: last).flatMap(\.changes)
        #expect(changes.map(\.type) == [.delete])
        #expect(changes.map(\.tombstone) == [expected])
    }
}
#endif
