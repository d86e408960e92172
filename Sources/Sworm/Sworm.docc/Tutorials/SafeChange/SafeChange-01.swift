import Foundation
import Sworm

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
