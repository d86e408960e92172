import Foundation
import Sworm

/// A record of a version's model: the version hashes and descriptions of its entities and stored properties.
struct ReleasedModel: Codable, Equatable {
    struct Property: Codable, Equatable {
        var hash: Data
        var says: String
    }

    struct Entity: Codable, Equatable {
        var hash: Data
        var says: String
        var properties: [String: Property]
    }

    var entities: [String: Entity]

    init(_ model: NSManagedObjectModel) {
        entities = [:]
        for entity in model.entities {
            guard let name = entity.name else { continue }
            var properties: [String: Property] = [:]
            for property in entity.properties where !property.isTransient {
                properties[property.name] = Property(hash: property.versionHash, says: Self.words(for: property))
            }
            entities[name] = Entity(
                hash: model.entityVersionHashesByName[name] ?? Data(), says: Self.words(for: entity),
                properties: properties)
        }
    }

    private static func words(for entity: NSEntityDescription) -> String {
        let parent = entity.superentity?.name.map { "inherits from '\($0)'" } ?? "inherits from nothing"
        let constraints = entity.uniquenessConstraints.map { constraint in
            constraint.map(Self.name).joined(separator: "+")
        }
        return ([entity.isAbstract ? "abstract" : "concrete", parent] + constraints.sorted().map { "unique by \($0)" })
            .joined(separator: ", ")
    }

    /// Returns the name of a constraint's element, which may be a string or a property.
    private static func name(_ member: Any) -> String { (member as? NSPropertyDescription)?.name ?? "\(member)" }

    private static func words(for property: NSPropertyDescription) -> String {
        var words: [String] = []
        switch property {
        case let derived as NSDerivedAttributeDescription: words += ["derived attribute", type(of: derived)]
        case let attribute as NSAttributeDescription: words += ["attribute", type(of: attribute)]
        case let relationship as NSRelationshipDescription:
            words += [
                relationship.isToMany
                    ? relationship.isOrdered ? "ordered relation to many" : "relation to many"
                    : "relation to one", "leads to '\(relationship.destinationEntity?.name ?? "")'",
                "inverse '\(relationship.inverseRelationship?.name ?? "")'",
                "\(relationship.minCount) to \(relationship.maxCount == 0 ? "any number" : "\(relationship.maxCount)")",
            ]
        default: words.append("property")
        }
        words.append(property.isOptional ? "optional" : "required")
        if let modifier = property.versionHashModifier { words.append("modifier '\(modifier)'") }
        return words.joined(separator: ", ")
    }

    private static func type(of attribute: NSAttributeDescription) -> String {
        let names: [NSAttributeType: String] = [
            .integer16AttributeType: "Int16", .integer32AttributeType: "Int32", .integer64AttributeType: "Int64",
            .decimalAttributeType: "Decimal", .doubleAttributeType: "Double", .floatAttributeType: "Float",
            .stringAttributeType: "String", .booleanAttributeType: "Bool", .dateAttributeType: "Date",
            .binaryDataAttributeType: "Data", .UUIDAttributeType: "UUID", .URIAttributeType: "URL",
            .transformableAttributeType: "transformable", .compositeAttributeType: "composite",
        ]
        let name = names[attribute.attributeType] ?? "type \(attribute.attributeType.rawValue)"
        return attribute.allowsExternalBinaryDataStorage ? "\(name) that may be in files" : name
    }
}

extension ReleasedModel {
    /// Returns the differences between this released model and the current one, one line for each entity or property.
    func differences(to now: ReleasedModel) -> [String] {
        let names = Set(entities.keys).union(now.entities.keys).sorted()
        return names.flatMap { name in
            switch (entities[name], now.entities[name]) {
            case (let old?, let new?): Self.differences(from: old, to: new).map { "'\(name)'\($0)" }
            case (_?, nil): ["'\(name)' was removed"]
            default: ["'\(name)' is new"]
            }
        }
    }

    private static func differences(from old: Entity, to new: Entity) -> [String] {
        guard old.hash != new.hash else { return [] }
        var lines: [String] = []
        if old.says != new.says { lines.append(" was \(old.says), and is now \(new.says)") }
        for name in Set(old.properties.keys).union(new.properties.keys).sorted() {
            switch (old.properties[name], new.properties[name]) {
            case (let old?, let new?):
                if old.says != new.says {
                    lines.append(".\(name) was \(old.says), and is now \(new.says)")
                } else if old.hash != new.hash {
                    lines.append(".\(name) has another version hash")
                }
            case (let old?, nil): lines.append(".\(name) was removed; it was \(old.says)")
            case (_, let new?): lines.append(".\(name) is new; it is \(new.says)")
            default: break
            }
        }
        return lines.isEmpty ? [" has another version hash"] : lines
    }
}
