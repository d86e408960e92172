import Foundation
import OpenCoreData
import SwormStore

/// A writer that generates Swift structs with tables for a model.
///
/// Properties that tables cannot express are described in comments. A composite attribute becomes a nested struct with a
/// table of its own. If there are no such comments, a model that is created from the tables has the version hashes of the
/// original model.
struct SwiftModelWriter {
    private var lines: [String] = []
    private let entities: [NSEntityDescription]

    static func text(_ model: NSManagedObjectModel, source: String) throws -> String {
        var writer = SwiftModelWriter(entities: try model.compiledWithDescriptions().entities)
        writer.lines = [
            "// Generated from \(SwiftNames.oneLine(source)). Without a default in the model, a new value has the zero value of its type.",
            "",
            "import Foundation", "import Sworm",
        ]
        if writer.entities.contains(where: { $0.superentity != nil }) {
            writer.lines += [
                "", "// Tables do not support inheritance: open the store with its model file.",
            ]
        }
        for entity in writer.entities { writer.write(entity) }
        return writer.lines.joined(separator: "\n") + "\n"
    }

    private init(entities: [NSEntityDescription]) { self.entities = entities }

    /// Adds a line. A line that is too long is broken after its first bracket.
    private mutating func add(_ text: String = "", depth: Int = 0) {
        let line = text.isEmpty ? "" : String(repeating: "    ", count: depth) + text
        guard line.count > 120, !text.hasPrefix("//"), let bracket = line.firstIndex(of: "(") else {
            lines.append(line)
            return
        }
        let rest = line.index(after: bracket)
        lines.append(String(line[..<rest]))
        lines.append(String(repeating: "    ", count: depth + 1) + line[rest...])
    }

    /// Adds a list as the value of a static property. In a table, each of several elements has its own line.
    private mutating func add(_ declaration: String, elements texts: [String], isTable: Bool = false) {
        let line = "\(declaration) = [\(texts.joined(separator: ", "))]"
        if line.count <= 116, texts.count < 2 || !isTable { return add(line, depth: 1) }
        add("\(declaration) = [", depth: 1)
        for text in texts { add(text + (texts.count > 1 ? "," : ""), depth: 2) }
        add("]", depth: 1)
    }

    private mutating func write(_ entity: NSEntityDescription) {
        let name = entity.name ?? ""
        let type = SwiftNames.type(name)
        let attributes = entity.properties.compactMap { $0 as? NSAttributeDescription }
        let said = attributes.filter { SwiftAttribute.obstacle($0) == nil }
        let unique = Set(entity.uniquenessNames.filter { $0.count == 1 }.compactMap(\.first))
        let flagged = Set(
            entity.indexes.filter { $0.elements.count == 1 }.compactMap { $0.elements.first?.propertyName })
        let taken = Set(entities.map { SwiftNames.type($0.name ?? "") } + entity.properties.map(\.name))
        var composites: Set<String> = []
        let tables = said.map { attribute -> SwiftAttribute in
            guard let composite = attribute as? NSCompositeAttributeDescription else {
                return SwiftAttribute(
                    attribute, isUnique: unique.contains(attribute.name), isFlagged: flagged.contains(attribute.name))
            }
            let avoided = taken.union(composites)
            composites.insert(SwiftNames.type(composite: composite.name, avoiding: avoided))
            return SwiftAttribute(composite, avoiding: avoided)
        }
        let paths = tables.reduce(into: [:]) { $0.merge($1.paths) { first, _ in first } }

        add()
        var notes: [String] = []
        if let above = entity.superentity?.name { notes.append("inherits from \(above)") }
        if entity.isAbstract { notes.append("is abstract: it can be fetched, but not inserted") }
        if let className = entity.managedObjectClassName, className != name, className != "NSManagedObject" {
            notes.append("has the class \(className) in Core Data")
        }
        if let former = entity.renamingIdentifier, former != name { notes.append("was renamed from \(former)") }
        if let modifier = entity.versionHashModifier { notes.append("has the hash modifier \"\(modifier)\"") }
        if !notes.isEmpty { add("/// An entity that " + notes.joined(separator: ", ") + ".") }
        add("struct \(type) {")
        for (text, depth) in tables.flatMap(\.declaration) { add(text, depth: depth + 1) }
        for attribute in attributes {
            guard let obstacle = SwiftAttribute.obstacle(attribute) else { continue }
            add("// `\(attribute.name)` \(obstacle).", depth: 1)
        }
        for property in entity.properties where property is NSFetchedPropertyDescription {
            add("// `\(property.name)` is a fetched property, which tables do not support.", depth: 1)
        }
        add("}")
        add()
        let isOwner = said.contains { $0 is NSCompositeAttributeDescription }
        add("extension \(type): ManagedObjectConvertible\(isOwner ? ", CompositeOwner" : "") {")
        if type != name { add("static let entityName = \(SwiftNames.literal(name))", depth: 1) }
        add("static let attributes: Set<Attribute<\(type)>>", elements: tables.map(\.line), isTable: true)
        writeRelations(of: entity)
        writeConstraints(of: entity, type: type, paths: paths)
        writeIndexes(of: entity, type: type, paths: paths)
        add("}")
    }

    private mutating func writeRelations(of entity: NSEntityDescription) {
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
        let destination = SwiftNames.type(relationship.destinationEntity?.name ?? "")
        let kind =
            !relationship.isToMany
            ? "ToOneRelation" : relationship.isOrdered ? "ToManyOrderedRelation" : "ToManyRelation"
        var arguments = [SwiftNames.literal(relationship.name)]
        let namesInverse = namesInverse(relationship, of: entity)
        if let inverse = relationship.inverseRelationship, namesInverse {
            arguments.append("inverse: \\.\(SwiftNames.property(inverse.name))")
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
        let name = SwiftNames.property(relationship.name)
        let list = arguments.joined(separator: ", ")
        // If both relationships are in the same type, the compiler cannot infer the type of either from the other one.
        if namesInverse, relationship.destinationEntity === entity {
            add("let \(name): \(kind)<\(destination)> = .init(\(list))", depth: 2)
        } else {
            add("let \(name) = \(kind)<\(destination)>(\(list))", depth: 2)
        }
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

    private mutating func writeConstraints(of entity: NSEntityDescription, type: String, paths: [String: String]) {
        let constraints = entity.uniquenessNames.filter { $0.count > 1 || paths[$0.first ?? ""] == nil }
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

    private mutating func writeIndexes(of entity: NSEntityDescription, type: String, paths: [String: String]) {
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
