import Foundation
@testable import OpenCoreData
@testable import SwormStore
import SwormPredicates
import SwormSQLite
import Testing
import SwormRows

@Suite("The state that a transaction sees")
struct TransactionStateTests {
    private let authors = FetchSpecification(entity: LibraryModel.author)

    /// Who takes the first chance to write in between: another process, past all our code.
    ///
    /// @unchecked: the observer is only called on the thread of the test.
    private final class Intruder: @unchecked Sendable {
        private let connection: Connection
        private(set) var writes = 0

        init(_ connection: Connection) { self.connection = connection }

        func write() {
            guard
                (try? connection.execute(
                    "INSERT INTO ZAUTHOR (Z_PK, Z_ENT, Z_OPT) SELECT max(Z_PK) + 1, 1, 1 FROM ZAUTHOR")) != nil
            else { return }
            writes += 1
        }
    }

    @Test func `no write comes between the reads and writes of a transaction, whichever of them fails`() throws {
        let folder = try StoreFolder()
        let store = try folder.open()
        try store.insert(LibraryModel.author, ["name": .string("Leo")])
        let intruder = Intruder(try folder.raw())
        let number = store.add(StatementWatch { if $0.sql.hasPrefix("ROLLBACK") { intruder.write() } })
        defer { store.removeWatch(number) }
        var taken = SaveRequest()
        taken.insert(store.model[LibraryModel.author], key: -1, ["name": .string("Leo")])
        let transaction = try store.beginTransaction()
        // Nothing was read yet, so that it may begin anew.
        #expect(throws: UniquenessConflicts.self) { try transaction.save(taken) }
        let count = try transaction.count(authors)
        let writes = intruder.writes
        for _ in 0..<3 {
            #expect(throws: UniquenessConflicts.self) { try transaction.save(taken) }
            #expect(try transaction.count(authors) == count)
        }
        #expect(intruder.writes == writes)
        var free = SaveRequest()
        free.insert(store.model[LibraryModel.author], key: -1, ["name": .string("Anna")])
        _ = try transaction.save(free)
        #expect(try transaction.count(authors) == count + 1)
        try transaction.commit()
        #expect(try store.reading { try $0.count(authors) } == count + 1)
    }
}
