import SwormPredicates

/// The computation of the part of a store that requests read, from their trees and the model.
struct RegionBuilder {
    private(set) var region = TrackedRegion()

    /// Adds the rows of a request: their number, order, and the given attributes.
    ///
    /// - Parameter attributes: The paths of the attributes that are decoded.
    /// - Throws: The first error of the request.
    mutating func add(
        _ request: RequestContent, of entity: NSEntityDescription, attributes: [[String]] = []
    ) throws(StoreError) {
        region.countRows(of: entity.root.stableName)
        for path in try request.predicateTree()?.keyPaths ?? [] { follow(path, from: entity, isDeciding: true) }
        for sort in request.sorts { follow(sort.path, from: entity, isDeciding: true) }
        for path in attributes { follow(path, from: entity, isDeciding: false) }
    }

    /// Adds the columns, groups and sort orders of a projection.
    mutating func add(_ tree: ProjectionTree, of entity: NSEntityDescription) {
        let expressions = tree.columns + tree.groups + tree.sorts.map(\.expression)
        var paths = expressions.flatMap { expression in
            expression.keyPathUses.filter { $0.start == .evaluatedObject }.map(\.keys)
        }
        paths += tree.having?.keyPaths ?? []
        for path in paths { follow(path, from: entity, isDeciding: false) }
    }

    /// Adds everything that handles to objects of an entity can read.
    mutating func addAll(of entity: NSEntityDescription) {
        region.countRows(of: entity.root.stableName)
        for member in entity.family {
            for name in member.propertiesByName.keys { region.read(name, of: member.stableName) }
        }
        region.followRelationship()
    }

    /// Adds the properties at each step of a path. Whoever changes a link changes the relationship at both ends, so one
    /// end of a relationship is enough.
    private mutating func follow(_ path: [String], from start: NSEntityDescription, isDeciding: Bool) {
        var entity = start
        var isFirst = true
        for (index, component) in path.enumerated() where !component.hasPrefix("@") {
            // A path of a table may name an element of a composite attribute in one component.
            let name = String(component.prefix { $0 != "." })
            // The entity of an object never changes, so a step to a sub-entity reads nothing.
            if let target = entity.castTarget(name) {
                entity = target
                continue
            }
            let isDeciding = isDeciding && isFirst
            isFirst = false
            if let relationship = entity.relationshipsByName[name] {
                read(name, of: entity, isDeciding: isDeciding)
                // The keys of a to-many relationship are in other rows, and so is what follows a to-one relationship.
                if index + 1 < path.count || relationship.isToMany { region.followRelationship() }
                guard let destination = relationship.destinationEntity else { return }
                // Without an inverse, the deletion of the destination does not change a relationship of its own.
                if relationship.inverseRelationship == nil { region.countRows(of: destination.root.stableName) }
                entity = destination
            } else if let attribute = entity.attributesByName[name] {
                read(name, of: entity, isDeciding: isDeciding)
                if let derived = attribute as? NSDerivedAttributeDescription {
                    for source in derived.sourcePaths { follow(source, from: entity, isDeciding: false) }
                }
                return
            }
        }
    }

    private mutating func read(_ name: String, of entity: NSEntityDescription, isDeciding: Bool) {
        for member in entity.family {
            if isDeciding {
                region.decide(by: name, of: member.stableName)
            } else {
                region.read(name, of: member.stableName)
            }
        }
    }
}
