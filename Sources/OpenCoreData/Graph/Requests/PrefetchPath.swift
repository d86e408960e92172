import Foundation
import SwormPredicates
import SwormStore

/// A path of relationships whose objects are read together with a fetch.
package struct PrefetchPath: Sendable {
    /// One relationship of a path, with its slot.
    struct Step: Sendable {
        let slot: Int
        let relationship: CompiledRelationship
        var place: RelationshipLocation { RelationshipLocation(owner: relationship.owner, slot: slot) }
    }

    /// The relationships to read, the nearest first. The path ends before a transient relationship, which has no stored
    /// objects.
    let steps: [Step]

    /// Creates a path.
    ///
    /// - Parameters:
    ///   - names: The names of relationships, each of the previous one's destination entity.
    ///   - number: The number of the entity where the path starts.
    /// - Throws: A ``CoreDataError`` that names a step that is not a relationship.
    package init(_ names: [String], entity number: Int, model: CompiledModel) throws {
        var steps: [Step] = []
        var entity = model[number]
        var isStored = true
        for name in names {
            guard case .relationship(let slot) = entity.slot(named: name) else {
                throw Self.noRelationship(named: name, path: names, of: entity)
            }
            let relationship = entity.relationships[slot]
            isStored = isStored && !relationship.isTransient
            if isStored { steps.append(Step(slot: slot, relationship: relationship)) }
            entity = model[relationship.destination]
        }
        self.steps = steps
    }

    private static func noRelationship(named name: String, path names: [String], of entity: CompiledEntity)
        -> CoreDataError
    {
        let relationships = entity.relationships.map(\.name)
        let reason =
            if case .attribute = entity.slot(named: name) {
                "'\(name)' of \(entity.name) is an attribute, which is read with its object. Remove it from the paths."
            } else {
                "the entity \(entity.name) has no relationship named '\(name)'."
                    + nearestNameHint(to: name, in: relationships)
            }
        return CoreDataError(
            NSCoreDataError, "Cannot prefetch '\(names.joined(separator: "."))': \(reason)", entity: entity.name,
            key: name)
    }
}

/// The amount of data that a fetch reads at a time. It does not affect the results of the fetch.
package struct FetchReading: Sendable {
    /// The relationships to prefetch.
    var prefetch: [PrefetchPath]
    /// The number of rows that are read at a time, when the first of them is needed; 0 to read all at once.
    var batchSize: Int
    /// Whether the objects are faults until a property is read.
    var returnsFaults: Bool

    package init(prefetch: [PrefetchPath] = [], batchSize: Int = 0, returnsFaults: Bool = false) {
        self.prefetch = prefetch
        self.batchSize = batchSize
        self.returnsFaults = returnsFaults
    }
}
