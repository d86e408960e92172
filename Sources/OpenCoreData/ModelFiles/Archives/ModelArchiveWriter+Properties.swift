import Foundation
import SwormPredicates
import SwormStore

extension ModelArchiveWriter {
    /// Archives a property for an entity. Inherited properties are written again for every entity.
    mutating func property(_ property: NSPropertyDescription, of entity: NSEntityDescription) -> PropertyListValue {
        // Inverses refer to the relationship of the entity that declares it.
        let isOwn = property.declaringEntity === entity
        let reserved = isOwn ? relationships[ObjectIdentifier(property)] : nil
        let number = reserved ?? writer.reserve()
        var fields: [String: PropertyListValue] = [
            "NSPropertyName": writer.string(property.name), "NSEntity": reference(entity),
            "NSRenamingIdentifier": writer.string(property.renamingIdentifier),
        ]
        if let modifier = property.versionHashModifier { fields["NSVersionHashModifier"] = writer.string(modifier) }
        if let info = property.userInfo, !info.isEmpty { fields["NSUserInfo"] = userInfo(info) }
        var isReadOnly = false
        let lineage: [String]
        switch property {
        case let attribute as NSAttributeDescription:
            isReadOnly = attribute is NSDerivedAttributeDescription
            lineage = add(attribute, of: entity, to: &fields)
        case let relationship as NSRelationshipDescription:
            lineage = add(relationship, to: &fields)
        case let fetched as NSFetchedPropertyDescription:
            isReadOnly = true
            lineage = add(fetched, of: entity, to: &fields)
        default: lineage = []
        }
        let isTransient = property.isTransient || property is NSFetchedPropertyDescription
        if property.isOptional { fields["NSIsOptional"] = .bool(true) }
        if isTransient { fields["NSIsTransient"] = .bool(true) }
        if property.isIndexed { fields["NSIsIndexed"] = .bool(true) }
        if property.isIndexedBySpotlight { fields["NSIndexedBySpotlight"] = .bool(true) }
        if isReadOnly { fields["NSIsReadOnly"] = .bool(true) }
        var bits: Int64 = 0xF1
        if property.isOptional { bits |= 0x02 }
        if isReadOnly { bits |= 0x04 }
        if isTransient { bits |= 0x08 }
        if property.isIndexedBySpotlight { bits |= 0x100 }
        if (property as? NSRelationshipDescription)?.isOrdered == true { bits |= 0x400 }
        if (property as? NSAttributeDescription)?.allowsCloudEncryption == true { bits |= 0x800 }
        fields["_P"] = .int(bits)
        writer.write(number, lineage: lineage + ["NSPropertyDescription", "NSObject"], fields: fields)
        return .uid(number)
    }

    private mutating func add(
        _ attribute: NSAttributeDescription, of entity: NSEntityDescription,
        to fields: inout [String: PropertyListValue]
    ) -> [String] {
        fields["NSAttributeType"] = .int(Int64(attribute.attributeType.rawValue))
        fields["NSAttributeValueClassName"] = writer.string(attribute.attributeValueClassName)
        fields["NSValueTransformerName"] = writer.string(attribute.valueTransformerName)
        fields["NSDefaultValue"] = attribute.defaultValue.flatMap { writer.value($0) } ?? KeyedArchiveWriter.null
        var flags: Int64 = 0
        if attribute.allowsExternalBinaryDataStorage { flags |= 4 }
        if attribute.preservesValueInHistoryOnDeletion { flags |= 16 }
        fields["NSFlagsKey"] = .int(flags)
        if attribute.allowsCloudEncryption { fields["NSAllowsCloudEncryption"] = .bool(true) }
        var rules: [PropertyListValue] = []
        var texts: [PropertyListValue] = []
        let warnings = attribute.validationWarnings.map { "\($0)" }
        for (place, rule) in attribute.validationRules.enumerated() {
            guard let tree = try? rule.predicate.tree(), let predicate = writer.predicate(tree) else {
                let owner = attribute.declaringEntity?.name ?? entity.name ?? ""
                let note = "A validation of '\(owner).\(attribute.name)' cannot be archived: \(rule.predicate)"
                // Each sub-entity has a copy of the inherited properties, so a note is only added once.
                if !notes.contains(note) { notes.append(note) }
                continue
            }
            rules.append(predicate)
            // Warnings are matched with their rules by index.
            texts.append(writer.string(warnings.indices.contains(place) ? warnings[place] : ""))
        }
        if !rules.isEmpty {
            fields["NSValidationPredicates"] = writer.array(rules)
            fields["NSValidationWarnings"] = writer.array(texts)
        }
        if let derived = attribute as? NSDerivedAttributeDescription {
            let expression = derived.derivation.flatMap { writer.derivation($0) }
            fields["NSDerivationExpression"] = expression ?? KeyedArchiveWriter.null
            fields["NSFilteringPredicate"] = KeyedArchiveWriter.null
            return ["NSDerivedAttributeDescription", "NSAttributeDescription"]
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            let elements = composite.elements.map { property($0, of: entity) }
            fields["NSCompositeElements"] = writer.array(elements)
            return ["NSCompositeAttributeDescription", "NSAttributeDescription"]
        }
        return ["NSAttributeDescription"]
    }

    private mutating func add(
        _ relationship: NSRelationshipDescription, to fields: inout [String: PropertyListValue]
    ) -> [String] {
        let destination = relationship.destinationEntity
        let inverse = relationship.inverseRelationship
        fields["NSDestinationEntity"] = reference(destination)
        fields["_NSDestinationEntityName"] = writer.string(destination?.name)
        fields["NSInverseRelationship"] =
            inverse.flatMap { relationships[ObjectIdentifier($0)] }.map { .uid($0) } ?? KeyedArchiveWriter.null
        fields["_NSInverseRelationshipName"] = writer.string(inverse?.name)
        fields["NSDeleteRule"] = .int(Int64(relationship.deleteRule.rawValue))
        fields["NSMinCount"] = .int(Int64(relationship.minCount))
        fields["NSMaxCount"] = .int(Int64(relationship.maxCount))
        if relationship.isOrdered { fields["NSIsOrdered"] = .bool(true) }
        return ["NSRelationshipDescription"]
    }

    private mutating func add(
        _ fetched: NSFetchedPropertyDescription, of entity: NSEntityDescription,
        to fields: inout [String: PropertyListValue]
    ) -> [String] {
        let request = fetched.request
        fields["_NSFetchRequestEntityName"] = writer.string(request.entityName)
        let requested = request.entityName.flatMap { entity.owningModel?.entitiesByName[$0] }
        let tree = request.predicate.flatMap { try? $0.tree() }
        let predicate = tree.flatMap { writer.predicate($0) } ?? KeyedArchiveWriter.null
        let null = KeyedArchiveWriter.null
        let sorts = request.sortDescriptors.map { sorts in writer.array(sorts.map { sort($0) }) }
        fields["NSFetchRequest"] = writer.object(
            ["NSFetchRequest", "NSPersistentStoreRequest", "NSObject"],
            fields: [
                "NSEntity": reference(requested), "NSPredicate": predicate, "NSSortDescriptors": sorts ?? null,
                "NSValuesToFetch": null, "NSValuesToGroupBy": null, "NSHavingPredicate": null,
                "NSRelationshipKeyPathsForPrefetching": null, "NSHasFetchRequestFlags": .bool(true),
                "NSFetchRequestFlags": .int(30), "NSResultType": .int(Int64(request.resultType)),
                "NSFetchOffset": .int(Int64(request.fetchOffset)), "NSFetchLimit": .int(Int64(request.fetchLimit)),
                "NSBatchSize": .int(Int64(request.fetchBatchSize)), "NSAllocationType": .int(0),
            ])
        return ["NSFetchedPropertyDescription"]
    }

    private mutating func sort(_ descriptor: NSSortDescriptor) -> PropertyListValue {
        writer.object(
            ["NSSortDescriptor", "NSObject"],
            fields: [
                "NSKey": writer.string(descriptor.key), "NSAscending": .bool(descriptor.ascending),
                "NSReverseNullOrder": .bool(false),
                "NSSelector": writer.string(descriptor.selector?.description ?? "compare:"),
            ])
    }
}
