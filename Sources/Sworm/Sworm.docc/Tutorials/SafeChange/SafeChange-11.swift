import Foundation
import Sworm
import SwormMigrations
import SwormTools

func testReleases() throws {
    let tests = URL(filePath: #filePath).deletingLastPathComponent()
    let ledger = ReleaseLedger(in: tests.appending(path: "Releases"))
    try ledger.record("1.0", of: .library) { context in
        try context.insert(LibraryV1.Book(title: "Emma", cents: 1250))
    }
    try ledger.record("2.0", of: .library) { context in
        try context.insert(LibraryV2.Book(name: "Emma", cents: 1250))
    }
    try ledger.check(.library)

    try ledger.migrateAll(.library) { version, store in
        let books = try store.read { try $0.decode(LibraryV3.Book.all) }
        guard books.map(\.name) == ["Emma"], books.first?.price == 12.5 else {
            throw WrongBooks(version: version)
        }
    }
}

struct WrongBooks: Error {
    var version: String
}
