import Foundation
import Sworm

struct Book: ManagedObjectConvertible {
    var title = ""
    var year = 0
    static let attributes: Set<Attribute<Book>> = [
        .init(\.title, "title"),
        .init(\.year, "year"),
    ]
}

let file = URL(filePath: "Library/Library.sqlite")
let stored = try StoredModel(ofStoreAt: file)
print(stored.model.entitiesByName.keys.sorted())
