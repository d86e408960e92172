import Foundation
import SwormPredicates
import SwormStore

extension ModelArchiveReader {
    /// Returns a property of an entity; nil for an unknown kind.
    mutating func property(from object: Object, in entity: String, depth: Int) throws -> NSPropertyDescription? {
        switch object.className {
        case "NSAttributeDescription", "NSDerivedAttributeDescription", "NSCompositeAttributeDescription":
            return try attribute(from: object, in: entity, depth: depth)
        case "NSRelationshipDescription": return try relationship(from: object, in: entity)
        case "NSFetchedPropertyDescription":
            let property = NSFetchedPropertyDescription()
            try readCommon(property, from: object)
            if let request = archive.object(of: object, field: "NSFetchRequest") {
                property.request = try self.request(
                    from: request, predicate: "the predicate of '\(entity).\(property.name)'")
            }
            if let name = archive.string(of: object, field: "_NSFetchRequestEntityName") {
                property.requestedEntityName = name
            }
            return property
        case "_NSPropertyDescriptionProxy":
            // A proxy for an inherited property; its ancestors have the property itself. A proxy of another proxy is
            // ignored.
            guard depth == 0, let underlying = archive.object(of: object, field: "NSUnderlyingProperty"),
                underlying.className != object.className
            else { return nil }
            return try property(from: underlying, in: entity, depth: depth)
        default:
            note("'\(entity)' has a property of the unknown kind \(object.className)")
            return nil
        }
    }

    private mutating func readCommon(_ property: NSPropertyDescription, from object: Object) throws {
        let name = archive.string(of: object, field: "NSPropertyName") ?? ""
        property.name = name
        property.isOptional = archive.flag(of: object, field: "NSIsOptional")
        property.isTransient = archive.flag(of: object, field: "NSIsTransient")
        property.isIndexed = archive.flag(of: object, field: "NSIsIndexed")
        property.isIndexedBySpotlight =
            archive.flag(of: object, field: "NSIndexedBySpotlight")
            || (archive.int(of: object, field: "_P") ?? 0) & 0x100 != 0
        property.versionHashModifier = archive.string(of: object, field: "NSVersionHashModifier")
        if let identifier = archive.string(of: object, field: "NSRenamingIdentifier"), identifier != name {
            property.renamingIdentifier = identifier
        }
        property.userInfo = try userInfo(archive[object, "NSUserInfo"])
    }

    private mutating func readRules(_ property: NSPropertyDescription, from object: Object, in entity: String) throws {
        var predicates: [NSPredicate] = []
        var warnings: [String] = []
        let texts = try elements(archive[object, "NSValidationWarnings"]).map { archive.string($0) ?? "" }
        for (place, value) in try elements(archive[object, "NSValidationPredicates"]).enumerated() {
            guard case .object(let predicate) = value,
                let tree = read({ try $0.predicate(predicate) }, for: "a validation of '\(entity).\(property.name)'")
            else { continue }
            predicates.append(FormatPredicate(tree: tree))
            warnings.append(texts.indices.contains(place) ? texts[place] : "")
        }
        if !predicates.isEmpty { property.setValidationPredicates(predicates, withValidationWarnings: warnings) }
    }

    private mutating func relationship(from object: Object, in entity: String) throws -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        try readCommon(relationship, from: object)
        relationship.isOrdered = archive.flag(of: object, field: "NSIsOrdered")
        relationship.minCount = archive.int(of: object, field: "NSMinCount") ?? 0
        relationship.maxCount = archive.int(of: object, field: "NSMaxCount") ?? 0
        relationship.deleteRule =
            UInt(exactly: archive.int(of: object, field: "NSDeleteRule") ?? 1).flatMap(NSDeleteRule.init)
            ?? .nullifyDeleteRule
        links.append(
            RelationshipLink(
                relationship: relationship, path: "\(entity).\(relationship.name)",
                destination: archive.string(of: object, field: "_NSDestinationEntityName")
                    ?? archive.object(of: object, field: "NSDestinationEntity").flatMap {
                        archive.string(of: $0, field: "NSEntityName")
                    },
                inverse: archive.string(of: object, field: "_NSInverseRelationshipName")
                    ?? archive.object(of: object, field: "NSInverseRelationship").flatMap {
                        archive.string(of: $0, field: "NSPropertyName")
                    })
        )
        return relationship
    }

    private mutating func attribute(from object: Object, in entity: String, depth: Int) throws -> NSAttributeDescription
    {
        let attribute: NSAttributeDescription
        switch object.className {
        case "NSDerivedAttributeDescription":
            let derived = NSDerivedAttributeDescription()
            if let expression = archive.object(of: object, field: "NSDerivationExpression") {
                derived.derivation = read({ try $0.text(of: expression) }, for: "a derivation of '\(entity)'")
            }
            attribute = derived
        case "NSCompositeAttributeDescription":
            let composite = NSCompositeAttributeDescription()
            guard depth < ModelLimits.compositeDepth else {
                throw modelIssue("A composite attribute of '\(entity)' contains itself.")
            }
            composite.elements = try elements(archive[object, "NSCompositeElements"]).compactMap { value in
                guard case .object(let element) = value else { return nil }
                return try property(from: element, in: entity, depth: depth + 1) as? NSAttributeDescription
            }
            attribute = composite
        default: attribute = NSAttributeDescription()
        }
        try readCommon(attribute, from: object)
        let type = UInt(exactly: archive.int(of: object, field: "NSAttributeType") ?? 0).flatMap(NSAttributeType.init)
        guard let type else {
            throw modelIssue(
                "'\(entity).\(attribute.name)' has the attribute type \(archive.int(of: object, field: "NSAttributeType") ?? 0), which is unknown."
            )
        }
        if !(attribute is NSCompositeAttributeDescription) { attribute.attributeType = type }
        if type == .transformableAttributeType {
            attribute.attributeValueClassName = archive.string(of: object, field: "NSAttributeValueClassName")
        }
        attribute.valueTransformerName = archive.string(of: object, field: "NSValueTransformerName")
        let flags = archive.int(of: object, field: "NSFlagsKey") ?? 0
        attribute.allowsExternalBinaryDataStorage = flags & 4 != 0
        attribute.preservesValueInHistoryOnDeletion = flags & 16 != 0
        attribute.allowsCloudEncryption =
            archive.flag(of: object, field: "NSAllowsCloudEncryption")
            || (archive.int(of: object, field: "_P") ?? 0) & 0x800 != 0
        try readRules(attribute, from: object, in: entity)
        try readDefault(attribute, from: object, in: entity)
        return attribute
    }

    // MARK: Values

    private mutating func readDefault(_ attribute: NSAttributeDescription, from object: Object, in entity: String)
        throws
    {
        let archived = archive[object, "NSDefaultValue"]
        if case .null = archived { return }
        attribute.defaultValue = try value(archived, as: attribute.attributeType.attributeType, depth: 0)
        if attribute.defaultValue == nil {
            note("the default value of '\(entity).\(attribute.name)' has an unknown class")
        }
    }

    /// Returns the value of an attribute type; nil if the archived value has another type.
    private mutating func value(_ value: Value, as type: SwormPredicates.AttributeType, depth: Int) throws -> Any? {
        switch (type, try plainValue(value, depth: depth)) {
        case (.boolean, let number as Int): number != 0
        case (.integer16, let flag as Bool), (.integer32, let flag as Bool), (.integer64, let flag as Bool):
            flag ? 1 : 0
        case (.double, let number as Int), (.float, let number as Int): Double(number)
        case (.decimal, let number as Int): Decimal(number)
        case (.decimal, let number as Double): Decimal(number)
        case (.date, let seconds as Double): Date(timeIntervalSinceReferenceDate: seconds)
        case (.date, let seconds as Int): Date(timeIntervalSinceReferenceDate: Double(seconds))
        case (_, let plain): plain
        }
    }

    mutating func userInfo(_ value: Value) throws -> [AnyHashable: Any]? {
        var result: [AnyHashable: Any]?
        for (key, value) in try pairs(value) {
            guard let key = archive.string(key), let value = try plainValue(value, depth: 0) else { continue }
            result = result ?? [:]
            result?[key] = value
        }
        return result
    }

    /// Returns a value in Foundation's types; nil for an archived nil, and for an object of an unknown class.
    private mutating func plainValue(_ value: Value, depth: Int) throws -> Any? {
        switch value {
        case .null: return nil
        case .bool(let flag): return flag
        case .int(let number): return Int(exactly: number)
        case .real(let number): return number
        case .string(let text): return text
        case .data(let data): return data
        case .list: return nil
        case .object(let object):
            guard depth < 16 else { throw ArchiveError("a value in it is nested too deeply") }
            return try plainValue(object, depth: depth + 1)
        }
    }

    private mutating func plainValue(_ object: Object, depth: Int) throws -> Any? {
        switch object.className {
        case "NSArray", "NSMutableArray", "NSSet", "NSMutableSet":
            return try elements(.object(object)).compactMap { try plainValue($0, depth: depth) }
        case "NSDictionary", "NSMutableDictionary":
            var result: [String: Any] = [:]
            for (key, value) in try pairs(.object(object)) {
                guard let key = archive.string(key), let value = try plainValue(value, depth: depth) else { continue }
                result[key] = value
            }
            return result
        default: return archive.leaf(object)
        }
    }
}
