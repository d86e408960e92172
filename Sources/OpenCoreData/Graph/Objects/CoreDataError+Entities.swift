import SwormPredicates
import SwormStore

extension CoreDataError {
    static func unknownEntity(_ name: String, in model: CompiledModel) -> CoreDataError {
        let names = model.entities.map(\.name)
        let list = names.sorted().joined(separator: ", ")
        return CoreDataError(
            NSCoreDataError,
            "The model has no entity named '\(name)'.\(nearestNameHint(to: name, in: names)) Its entities are: \(list).",
            entity: name)
    }
}
