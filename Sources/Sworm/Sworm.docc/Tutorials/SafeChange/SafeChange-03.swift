import Foundation
import Sworm
import SwormMigrations

enum LibraryV1 {
    struct Book: ManagedObjectConvertible {
        var title = ""
        var cents = 0
        static let attributes: Set<Attribute<Self>> = [
            .init(\.title, "title"),
            .init(\.cents, "cents"),
        ]
    }
}

extension MigrationPlan {
    static let library = MigrationPlan([
        .init("1.0", LibraryV1.Book.self)
    ])
}

func openLibrary(_ file: URL) throws -> PersistentContainer {
    try PersistentContainer(migrating: .library, at: .file(file))
}
