import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// The JSON representation of a model.
enum ModelJSON {
    static func value(_ model: NSManagedObjectModel) throws -> JSONValue {
        let entities = try model.compiledWithDescriptions().entities
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.sorted()
        return .object([
            ("versionIdentifiers", .array(identifiers.map { .string($0) })),
            ("checksum", .string(model.versionChecksum)), ("digest", .string(model.versionHashesDigest)),
            ("entities", .array(entities.enumerated().map { entity($1, number: $0 + 1) })),
        ])
    }

    static func entity(_ entity: NSEntityDescription, number: Int) -> JSONValue {
        .object([
            ("name", .optional(entity.name)), ("number", .count(number)),
            ("class", .optional(entity.managedObjectClassName)),
            ("superentity", .optional(entity.superentity?.name)), ("isAbstract", .bool(entity.isAbstract)),
            ("versionHash", .string(entity.versionHash.base64EncodedString())),
            ("renamingIdentifier", .optional(entity.renamingIdentifier)),
            ("versionHashModifier", .optional(entity.versionHashModifier)),
            ("attributes", .array(entity.ownProperties.compactMap { $0 as? NSAttributeDescription }.map(attribute))),
            (
                "relationships",
                .array(entity.ownProperties.compactMap { $0 as? NSRelationshipDescription }.map(relationship))
            ),
            (
                "fetchedProperties",
                .array(entity.ownProperties.compactMap { $0 as? NSFetchedPropertyDescription }.map(fetched))
            ),
            ("uniquenessConstraints", .array(entity.uniquenessNames.map { .array($0.map { .string($0) }) })),
            ("indexes", .array(entity.indexes.map(index))),
        ])
    }

    private static func common(_ property: NSPropertyDescription) -> [(String, JSONValue)] {
        [
            ("name", .string(property.name)), ("isOptional", .bool(property.isOptional)),
            ("isTransient", .bool(property.isTransient)),
            ("renamingIdentifier", .optional(property.renamingIdentifier)),
            ("versionHashModifier", .optional(property.versionHashModifier)),
        ]
    }

    static func attribute(_ attribute: NSAttributeDescription) -> JSONValue {
        var members = common(attribute)
        members.append(("type", .string(attribute.attributeType.attributeType.displayName)))
        members.append(("default", plain(any: attribute.defaultValue)))
        members.append(("allowsExternalStorage", .bool(attribute.allowsExternalBinaryDataStorage)))
        members.append(("preservedOnDeletion", .bool(attribute.preservesValueInHistoryOnDeletion)))
        if let name = attribute.valueTransformerName { members.append(("transformer", .string(name))) }
        if let derived = attribute as? NSDerivedAttributeDescription {
            members.append(("derivation", .optional(derived.derivation)))
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            members.append(("elements", .array(composite.elements.map(self.attribute))))
        }
        if !attribute.validationRules.isEmpty {
            members.append(("validation", .array(attribute.validationPredicates.map { .string($0.description) })))
        }
        return .object(members)
    }

    static func relationship(_ relationship: NSRelationshipDescription) -> JSONValue {
        .object(
            common(relationship) + [
                ("destination", .optional(relationship.destinationEntity?.name)),
                ("inverse", .optional(relationship.inverseRelationship?.name)),
                ("isToMany", .bool(relationship.isToMany)), ("isOrdered", .bool(relationship.isOrdered)),
                ("minCount", .count(relationship.minCount)), ("maxCount", .count(relationship.maxCount)),
                ("deleteRule", .string(ModelListing.deleteRule(relationship.deleteRule))),
            ])
    }

    static func fetched(_ property: NSFetchedPropertyDescription) -> JSONValue {
        let request = property.request
        let sorts = (request.sortDescriptors ?? []).map { descriptor in
            let comparison = descriptor.selector?.description ?? "compare:"
            return (descriptor.key ?? "?") + (descriptor.ascending ? "" : " descending")
                + (comparison == "compare:" ? "" : " by \(comparison)")
        }
        return .object(
            common(property) + [
                ("entity", .optional(property.requestedEntityName)),
                ("predicate", .optional(property.requestPredicateText)),
                ("sort", .array(sorts.map { .string($0) })), ("fetchLimit", .count(request.fetchLimit)),
                ("fetchOffset", .count(request.fetchOffset)), ("fetchBatchSize", .count(request.fetchBatchSize)),
                ("resultType", .count(Int(clamping: request.resultType))),
            ])
    }

    private static func index(_ index: NSFetchIndexDescription) -> JSONValue {
        .object([
            ("name", .string(index.name)), ("predicate", .optional(index.partialPredicateText)),
            (
                "elements",
                .array(
                    index.elements.map {
                        .object([
                            ("property", .optional($0.propertyName)), ("isAscending", .bool($0.isAscending)),
                            ("type", .string($0.collationType == .rTree ? "rTree" : "binary")),
                        ])
                    })
            ),
        ])
    }

    static func plain(_ value: AttributeValue) -> JSONValue {
        switch value {
        case .null, .object: return .null
        case .bool(let flag): return .bool(flag)
        case .int(let number): return .int(number)
        case .double(let number): return .double(number)
        case .decimal(let number): return .string("\(number)")
        case .string(let text): return .string(text)
        case .date(let date):
            let sink = ByteSink()
            DateText.write(date.timeIntervalSinceReferenceDate, to: sink)
            return .string(sink.text)
        case .data(let data): return .string(data.base64EncodedString())
        case .uuid(let uuid): return .string(uuid.uuidString)
        case .url(let url): return .string(url.absoluteString)
        }
    }
}
