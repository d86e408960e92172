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

enum LibraryV2 {
    struct Book: ManagedObjectConvertible {
        var name = ""
        var cents = 0
        var isbn: String?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name", .renamed(from: "title")),
            .init(\.cents, "cents"),
            .init(\.isbn, "isbn"),
        ]
    }
}

extension MigrationPlan {
    static let library = MigrationPlan([
        .init("1.0", LibraryV1.Book.self),
        .init("2.0", LibraryV2.Book.self),
    ])
}

func openLibrary(_ file: URL) throws -> PersistentContainer {
    try PersistentContainer(migrating: .library, at: .file(file))
}
