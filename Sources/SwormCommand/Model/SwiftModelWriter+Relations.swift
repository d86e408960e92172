import OpenCoreData
import SwormStore

extension SwiftModelWriter {
    mutating func writeRelations(of entity: NSEntityDescription) {
        let relationships = entity.properties.compactMap { $0 as? NSRelationshipDescription }
        let stored = relationships.filter { !$0.isTransient && $0.destinationEntity != nil }
        for relationship in relationships where relationship.isTransient {
            add("// `\(relationship.name)` is transient: it is not stored.", depth: 1)
        }
        guard !stored.isEmpty else { return }
        add()
        add("struct Relations: Sendable {", depth: 1)
        for relationship in stored { write(relationship, of: entity) }
        add("}", depth: 1)
        add("static let relations = Relations()", depth: 1)
    }

    private mutating func write(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription) {
        let destination = relationship.destinationEntity.map { types.type(of: $0) } ?? ""
        let kind =
            !relationship.isToMany
            ? "ToOneRelation" : relationship.isOrdered ? "ToManyOrderedRelation" : "ToManyRelation"
        var arguments = [SwiftNames.literal(relationship.name)]
        let namesInverse = namesInverse(relationship, of: entity)
        if let inverse = relationship.inverseRelationship, namesInverse {
            arguments.append("inverse: \\.\(property(inverse))")
        }
        switch relationship.deleteRule {
        case .cascadeDeleteRule: arguments.append("deleteRule: .cascade")
        case .denyDeleteRule: arguments.append("deleteRule: .deny")
        case .noActionDeleteRule: arguments.append("deleteRule: .noAction")
        case .nullifyDeleteRule: break
        }
        if !relationship.isOptional { arguments.append(".required") }
        let (low, high) = (relationship.minCount, relationship.maxCount)
        if relationship.isToMany {
            switch (low, high) {
            case (0, 0): break
            case (0, 2...): arguments.append(".count(...\(high))")
            case (1..., 0): arguments.append(".count(\(low)...)")
            case (1..., 2...) where low <= high: arguments.append(".count(\(low)...\(high))")
            default: add("// The model has the counts \(low) to \(high), which tables do not support.", depth: 2)
            }
        } else if low != 0 {
            add("// The model has the minimum count \(low), which tables do not support.", depth: 2)
        }
        if let former = relationship.renamingIdentifier, former != relationship.name {
            arguments.append(".renamed(from: \(SwiftNames.literal(former)))")
        }
        if let modifier = relationship.versionHashModifier, !modifier.isEmpty {
            arguments.append(".hashModifier(\(SwiftNames.literal(modifier)))")
        }
        let name = property(relationship, of: entity)
        let list = arguments.joined(separator: ", ")
        // If both relationships are in the same type, the compiler cannot infer the type of either from the other one.
        if namesInverse, relationship.destinationEntity === entity {
            add("let \(name): \(kind)<\(destination)> = .init(\(list))", depth: 2)
        } else {
            add("let \(name) = \(kind)<\(destination)>(\(list))", depth: 2)
        }
    }

    /// Returns the name of a relationship in Swift.
    ///
    /// - Parameter entity: The entity whose type declares the relationship; nil for the entity that declares it in the
    ///   model.
    private func property(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription? = nil) -> String {
        let names = SwiftNames.properties(of: entity ?? relationship.entity)
        return names[relationship.name] ?? SwiftNames.property(relationship.name)
    }

    /// Returns whether the relationship names its inverse. Only one side of each pair does, and no inherited
    /// relationship.
    private func namesInverse(_ relationship: NSRelationshipDescription, of entity: NSEntityDescription) -> Bool {
        guard let inverse = relationship.inverseRelationship, relationship.entity === entity,
            relationship.destinationEntity === inverse.entity, inverse.destinationEntity === entity
        else { return false }
        if inverse === relationship { return true }
        let here = (entity.name ?? "", relationship.name)
        let there = (inverse.entity.name ?? "", inverse.name)
        return here < there
    }

    /// - Parameter own: The attributes whose constraints are options of the table.
    mutating func writeConstraints(
        of entity: NSEntityDescription, type: String, paths: [String: String], own: Set<String>
    ) {
        let constraints = entity.uniquenessNames.filter { $0.count > 1 || !own.contains($0.first ?? "") }
        var texts: [String] = []
        for constraint in constraints {
            let known = constraint.compactMap { paths[$0] }
            guard known.count == constraint.count else {
                add(
                    "// A uniqueness constraint that tables do not support: \(constraint.joined(separator: ", "))",
                    depth: 1)
                continue
            }
            texts.append(".init(\(known.map { "\\.\($0)" }.joined(separator: ", ")))")
        }
        guard !texts.isEmpty else { return }
        add("static let uniquenessConstraints: [UniquenessConstraint<\(type)>]", elements: texts)
    }

    mutating func writeIndexes(of entity: NSEntityDescription, type: String, paths: [String: String]) {
        var texts: [String] = []
        for index in entity.indexes {
            let names = index.elements.map { $0.propertyName ?? "" }
            guard names.allSatisfy({ paths[$0] != nil }), index.partialPredicateText == nil,
                index.elements.allSatisfy({ $0.collationType == .binary }), !names.isEmpty
            else {
                add(
                    "// An index that tables do not support: \(index.name) (\(names.joined(separator: ", ")))", depth: 1
                )
                continue
            }
            let elements = index.elements.map { element in
                ".\(element.isAscending ? "ascending" : "descending")(\\.\(paths[element.propertyName ?? ""] ?? ""))"
            }
            texts.append(".init(\(([SwiftNames.literal(index.name)] + elements).joined(separator: ", ")))")
        }
        guard !texts.isEmpty else { return }
        add("static let fetchIndexes: [FetchIndex<\(type)>]", elements: texts)
    }
}
