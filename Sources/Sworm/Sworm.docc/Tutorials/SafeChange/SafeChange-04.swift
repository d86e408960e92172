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
}
