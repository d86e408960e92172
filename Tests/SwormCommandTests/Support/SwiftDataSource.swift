import Foundation
@testable import OpenCoreData

/// The model that the source of a SwiftData schema describes, read from its text.
///
/// It follows what Apple's documentation says of the macros, for the forms that the tool writes, one declaration a line.
struct SwiftDataSource {
    let model = NSManagedObjectModel()
    /// The classes in which a comment says that the hash differs: the property is left out, or said in another way.
    private(set) var commented: Set<String> = []

    private struct Property {
        var name: String
        var type: String
        var macro: String
        var isOptional: Bool
    }

    private struct Entity {
        var name: String
        var superclass: String?
        var properties: [Property] = []
        var composites: [String: [NSAttributeDescription]] = [:]
        var unique: [[String]] = []
    }

    init(_ text: String) {
        var entities: [Entity] = []
        var notes: [String] = []
        var structs: [(name: String, elements: [NSAttributeDescription])] = []
        for line in text.split(separator: "\n") {
            let indent = line.prefix { $0 == " " }.count
            let words = String(line.dropFirst(indent))
            if let match = words.wholeMatch(of: /(?:final )?class `?(\w+)`?(?:: `?(\w+)`?)? \{/) {
                entities.append(Entity(name: String(match.1), superclass: match.2.map(String.init)))
                if notes.contains(where: Self.changesHash) { commented.insert(String(match.1)) }
                notes = []
            } else if let match = words.wholeMatch(of: /struct (\w+): Codable \{/) {
                structs.append((String(match.1), []))
            } else if words == "}", let last = structs.popLast() {
                if structs.isEmpty {
                    entities[entities.count - 1].composites[last.name] = last.elements
                } else {
                    structs[structs.count - 1].elements.append(Self.composite(named: "", last.elements, of: last.name))
                }
            } else if words.hasPrefix("// ") {
                if indent > 4, !entities.isEmpty {
                    if Self.changesHash(words) { commented.insert(entities[entities.count - 1].name) }
                } else {
                    notes.append(words)
                }
            } else if let match = words.wholeMatch(of: /#Unique<.*?>\((.*)\)/) {
                entities[entities.count - 1].unique = match.1.matches(of: /\[(.*?)\]/).map { group in
                    group.1.split(separator: ",").map { Self.plain($0.drop { " \\.".contains($0) }) }
                }
            } else if let property = Self.property(words) {
                if structs.isEmpty {
                    entities[entities.count - 1].properties.append(property)
                } else {
                    var elements = structs[structs.count - 1].elements
                    let nested = elements.firstIndex { $0.userInfo?["type"] as? String == property.type }
                    if let nested {
                        elements[nested].name = property.name
                    } else {
                        elements.append(Self.attribute(property))
                    }
                    structs[structs.count - 1].elements = elements
                }
            }
        }
        build(entities)
    }

    /// Returns whether a comment is about something that is part of the version hash.
    private static func changesHash(_ comment: String) -> Bool {
        let harmless = [
            "validated by", "its default", "The index ", "An index ", "was renamed from", "SwiftData may take",
        ]
        return !harmless.contains { comment.contains($0) }
    }

    private static func plain(_ text: some StringProtocol) -> String { String(text.filter { $0 != "`" }) }

    private static func property(_ words: String) -> Property? {
        guard let match = words.wholeMatch(of: /(?:(@\w+\(.*\)) )?var (`?\w+`?): ([\w.`\[\]]+)(\??)(?: = .*)?/) else {
            return nil
        }
        return Property(
            name: plain(match.2), type: plain(match.3), macro: match.1.map(String.init) ?? "",
            isOptional: !match.4.isEmpty)
    }

    // MARK: Attributes

    private static let types: [String: NSAttributeType] = [
        "Int16": .integer16AttributeType, "Int32": .integer32AttributeType, "Int": .integer64AttributeType,
        "Decimal": .decimalAttributeType, "Double": .doubleAttributeType, "Float": .floatAttributeType,
        "String": .stringAttributeType, "Bool": .booleanAttributeType, "Date": .dateAttributeType,
        "Data": .binaryDataAttributeType, "UUID": .UUIDAttributeType, "URL": .URIAttributeType,
    ]

    private static func attribute(_ property: Property) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = property.name
        let name = property.type.split(separator: ".").last.map(String.init) ?? ""
        attribute.attributeType = types[name] ?? .transformableAttributeType
        attribute.isOptional = property.isOptional
        attribute.isTransient = property.macro.contains(".ephemeral")
        attribute.allowsExternalBinaryDataStorage = property.macro.contains(".externalStorage")
        attribute.preservesValueInHistoryOnDeletion = property.macro.contains(".preserveValueOnDeletion")
        attribute.versionHashModifier = modifier(property.macro)
        return attribute
    }

    private static func modifier(_ macro: String) -> String? {
        macro.firstMatch(of: /hashModifier: "(.*?)"/).map { String($0.1) }
    }

    /// - Parameter type: The struct's name, by which a property that follows finds it.
    private static func composite(
        named name: String, _ elements: [NSAttributeDescription], of type: String
    ) -> NSAttributeDescription {
        let composite = NSCompositeAttributeDescription()
        composite.name = name
        composite.elements = elements
        composite.userInfo = ["type": type]
        return composite
    }

    // MARK: Model

    private func build(_ entities: [Entity]) {
        var descriptions: [String: NSEntityDescription] = [:]
        for entity in entities {
            let description = NSEntityDescription()
            description.name = entity.name
            descriptions[entity.name] = description
        }
        for entity in entities {
            guard let above = entity.superclass, let description = descriptions[entity.name] else { continue }
            descriptions[above]?.subentities.append(description)
        }
        var inverses: [(NSRelationshipDescription, entity: String, name: String)] = []
        for entity in entities {
            guard let description = descriptions[entity.name] else { continue }
            var unique = entity.unique
            description.properties = entity.properties.map { property in
                let target = property.type.filter { !"[]".contains($0) }
                if let elements = entity.composites[property.type] {
                    return Self.composite(named: property.name, elements, of: property.type)
                }
                guard let destination = descriptions[target], !property.type.contains(".") else {
                    if property.macro.contains(".unique") { unique.append([property.name]) }
                    return Self.attribute(property)
                }
                let relationship = Self.relationship(property, to: destination)
                if let match = property.macro.firstMatch(of: /inverse: \\`?(\w+)`?\.`?(\w+)`?/) {
                    inverses.append((relationship, String(match.1), String(match.2)))
                }
                return relationship
            }
            description.uniquenessConstraints = unique
        }
        for (relationship, entity, name) in inverses {
            let inverse = descriptions[entity]?.relationshipsByName[name]
            relationship.inverseRelationship = inverse
            inverse?.inverseRelationship = relationship
        }
        model.entities = entities.compactMap { descriptions[$0.name] }
    }

    private static func relationship(
        _ property: Property, to destination: NSEntityDescription
    ) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = property.name
        relationship.destinationEntity = destination
        let isToMany = property.type.hasPrefix("[")
        relationship.isOptional = isToMany || property.isOptional
        func count(_ label: String) -> Int? {
            let all = property.macro.matches(of: /(minimum|maximum)ModelCount: (\d+)/)
            return all.first { $0.1 == label }.flatMap { Int($0.2) }
        }
        relationship.minCount = count("minimum") ?? 0
        relationship.maxCount = isToMany ? count("maximum") ?? 0 : 1
        relationship.versionHashModifier = modifier(property.macro)
        return relationship
    }
}
