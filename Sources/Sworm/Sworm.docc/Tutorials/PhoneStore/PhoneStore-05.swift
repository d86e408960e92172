import Foundation
import Sworm

let file = URL(filePath: "Library/Library.sqlite")
let stored = try StoredModel(ofStoreAt: file)
print(stored.model.entitiesByName.keys.sorted())
