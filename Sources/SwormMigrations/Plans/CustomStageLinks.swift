import Foundation
import Sworm

/// The treatment of relationships that change from to-many to to-one, and of their inverses, by a mapping.
struct CustomStageLinks {
    struct Link {
        let name: String
        let former: String
    }

    /// The relationships that a mapping carries over completely.
    var whole: [Link] = []
    /// The to-one relationships that receive the first link of the old relationship.
    var firsts: [Link] = []
    /// The relationships that are set through their inverses, and whose order is restored afterwards.
    var ordered: [Link] = []

    var needPolicy: Bool { !firsts.isEmpty || !ordered.isEmpty }
}

/// The relationships of a stage that change from to-many to to-one.
struct NarrowedRelationships {
    private struct Side {
        let step: CustomStageStep
        let relationship: NSRelationshipDescription

        /// Whether a closure chooses the object.
        var isChosen: Bool { step.change?.relations != nil }
        /// The path of the relationship, which is the same whichever entity inherits it.
        var path: String {
            "\(relationship.inverseRelationship?.destinationEntity?.name ?? "").\(relationship.name)"
        }

        func isInverse(of other: NSRelationshipDescription, in entity: NSEntityDescription) -> Bool {
            guard let inverse = other.inverseRelationship, inverse.name == relationship.name,
                relationship.inverseRelationship?.name == other.name
            else { return false }
            return Self.related(step.destination, to: other.destinationEntity)
                && Self.related(entity, to: relationship.destinationEntity)
        }

        private static func related(_ one: NSEntityDescription, to other: NSEntityDescription?) -> Bool {
            other.map { one.isKindOf(entity: $0) || $0.isKindOf(entity: one) } ?? false
        }
    }

    private let sides: [Side]

    init(_ steps: [CustomStageStep]) {
        sides = steps.flatMap { step in
            step.relationships.filter { $0.old.isToMany && !$0.new.isToMany }
                .map { Side(step: step, relationship: $0.new) }
        }
    }

    /// Whether a mapping has such a relationship. These mappings run first, because ordering the inverses requires
    /// their links.
    func concern(_ step: CustomStageStep) -> Bool { sides.contains { $0.step.name == step.name } }

    /// Returns how a mapping treats its relationships.
    func links(of step: CustomStageStep) -> CustomStageLinks {
        var links = CustomStageLinks()
        for (new, old) in step.relationships {
            let link = CustomStageLinks.Link(name: new.name, former: old.name)
            let others = sides.filter { $0.isInverse(of: new, in: step.destination) }
            if let own = sides.first(where: { $0.step.name == step.name && $0.relationship.name == new.name }) {
                // If both sides are to-one, one of them is set and the other follows.
                let isSet = others.allSatisfy { own.path <= $0.path && !$0.isChosen }
                if isSet && !own.isChosen { links.firsts.append(link) }
            } else if others.isEmpty {
                links.whole.append(link)
            } else if new.isToMany, new.isOrdered, old.isOrdered {
                links.ordered.append(link)
            }
        }
        return links
    }
}

extension CustomStageLinks {
    /// Sets the relationships that are not carried over completely.
    ///
    /// - Parameters:
    ///   - new: A new object.
    ///   - sources: The old objects that it was created from.
    func set(_ new: NSManagedObject, from sources: [NSManagedObject], using manager: NSMigrationManager) {
        for link in firsts where new.value(forKey: link.name) == nil {
            guard let relationship = new.entity.relationshipsByName[link.name],
                let destination = relationship.destinationEntity
            else { continue }
            let first = sources.lazy.flatMap { $0.members(link.former) }.flatMap { manager.successors(of: $0) }
                .first { $0.entity.isKindOf(entity: destination) }
            guard let first else { continue }
            if let inverse = relationship.inverseRelationship, !inverse.isToMany,
                first.value(forKey: inverse.name) != nil
            {
                continue
            }
            new.setValue(first, forKey: link.name)
        }
        for link in ordered {
            let present = new.members(link.name)
            let wanted = sources.flatMap { $0.members(link.former) }.flatMap { manager.successors(of: $0) }
            let sorted = NSMutableOrderedSet(array: wanted.filter { present.contains($0) })
            sorted.addObjects(from: present)
            if sorted.array as? [NSManagedObject] != present {
                new.setValue(NSOrderedSet(orderedSet: sorted), forKey: link.name)
            }
        }
    }
}

extension NSManagedObject {
    /// Returns the destinations of a to-many relationship: in its order, or else in the order in which they were
    /// created.
    fileprivate func members(_ name: String) -> [NSManagedObject] {
        switch value(forKey: name) {
        case let ordered as NSOrderedSet: ordered.array.compactMap { $0 as? NSManagedObject }
        case let set as Set<NSManagedObject>: set.sorted { $0.number < $1.number }
        default: []
        }
    }

    /// The number that the store assigned to a saved object.
    private var number: Int {
        Int(objectID.uriRepresentation().lastPathComponent.drop { !$0.isNumber }) ?? .max
    }
}

extension NSMigrationManager {
    /// Returns the successors of an old object, over all mappings.
    func successors(of old: NSManagedObject) -> [NSManagedObject] {
        var found: [NSManagedObject] = []
        for mapping in mappingModel.entityMappings ?? [] where mapping.sourceEntityName == old.entity.name {
            guard let name = mapping.name else { continue }
            for successor in destinationInstances(forEntityMappingName: name, sourceInstances: [old])
            where !found.contains(where: { $0 === successor }) {
                found.append(successor)
            }
        }
        return found
    }
}
