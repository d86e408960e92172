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

enum LibraryV3 {
    struct Book: ManagedObjectConvertible {
        var name = ""
        var price = Decimal(0)
        var isbn: String?
        static let attributes: Set<Attribute<Self>> = [
            .init(\.name, "name"),
            .init(\.price, "price"),
            .init(\.isbn, "isbn"),
        ]
    }
}

extension MigrationPlan {
    static let library = MigrationPlan([
        .init("1.0", LibraryV1.Book.self),
        .init("2.0", LibraryV2.Book.self),
        .init(
            "3.0", LibraryV3.Book.self,
            stage: .custom(
                .change(LibraryV2.Book.self, to: LibraryV3.Book.self) { old, new in
                    new.price = Decimal(old.cents) / 100
                })),
    ])
}

func openLibrary(_ file: URL) throws -> PersistentContainer {
    try PersistentContainer(
        migrating: .library, at: .file(file),
        progress: { progress in
            try Task.checkCancellation()
            print("From", progress.from, "to", progress.to, progress.total)
        })
}
