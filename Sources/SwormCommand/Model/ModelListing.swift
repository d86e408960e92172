import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// A human-readable listing of a model.
enum ModelListing {
    static func write(_ model: NSManagedObjectModel, source: String, to console: Console) throws {
        let entities = try model.compiledWithDescriptions().entities
        console.line("model     \(source)")
        let identifiers = model.versionIdentifiers.compactMap { $0.base as? String }.filter { !$0.isEmpty }.sorted()
        if !identifiers.isEmpty { console.line("version   \(identifiers.joined(separator: ", "))") }
        console.line("checksum  \(model.versionChecksum)")
        for (index, entity) in entities.enumerated() { write(entity, number: index + 1, to: console) }
    }

    private static func write(_ entity: NSEntityDescription, number: Int, to console: Console) {
        func line(_ text: String) { console.line(DisplayWidth.cut(text, to: console.width)) }
        var title = "\(number) \(entity.name ?? "")"
        if let above = entity.superentity?.name { title += " : \(above)" }
        if entity.isAbstract { title += ", abstract" }
        if let name = entity.managedObjectClassName, name != entity.name, name != "NSManagedObject" {
            title += ", class \(name)"
        }
        console.line()
        line(title)
        let properties = entity.ownProperties
        let width = (properties.map { DisplayWidth.of($0.name) }.max() ?? 0) + 2
        for property in properties.sorted(by: { VersionHash.precedes($0.name, $1.name) }) {
            line("    " + DisplayWidth.fit(property.name, to: width) + description(property))
        }
        for constraint in entity.uniquenessNames { line("    unique (\(constraint.joined(separator: ", ")))") }
        for index in entity.indexes {
            let elements = index.elements.map { ($0.propertyName ?? "?") + ($0.isAscending ? "" : " descending") }
            let condition = index.partialPredicateText.map { " where \($0)" } ?? ""
            line("    index \(index.name) (\(elements.joined(separator: ", ")))\(condition)")
        }
    }

    private static func description(_ property: NSPropertyDescription) -> String {
        var parts: [String] = []
        switch property {
        case let attribute as NSAttributeDescription:
            parts.append(attribute.attributeType.attributeType.displayName + (attribute.isOptional ? "?" : ""))
            parts += traits(attribute)
        case let relationship as NSRelationshipDescription:
            let arrow = relationship.isToMany ? relationship.isOrdered ? "->> (ordered)" : "->>" : "->"
            parts.append("\(arrow) \(relationship.destinationEntity?.name ?? "?")\(relationship.isOptional ? "?" : "")")
            parts.append(relationship.inverseRelationship.map { "inverse \($0.name)" } ?? "no inverse")
            if relationship.deleteRule != .nullifyDeleteRule { parts.append(deleteRule(relationship.deleteRule)) }
            if relationship.isToMany, relationship.minCount > 0 || relationship.maxCount > 0 {
                parts.append(
                    "\(relationship.minCount)…\(relationship.maxCount > 0 ? "\(relationship.maxCount)" : "") objects")
            }
        case let fetched as NSFetchedPropertyDescription:
            parts.append("fetches \(fetched.requestedEntityName ?? "?") where \(fetched.requestPredicateText ?? "?")")
        default: break
        }
        if property.isTransient { parts.append("transient") }
        if let former = property.renamingIdentifier, former != property.name { parts.append("renamed from \(former)") }
        return parts.joined(separator: ", ")
    }

    private static func traits(_ attribute: NSAttributeDescription) -> [String] {
        var parts: [String] = []
        if let value = AttributeValue(any: attribute.defaultValue), value != .null { parts.append("= \(value)") }
        if attribute.allowsExternalBinaryDataStorage { parts.append("external") }
        if attribute.isIndexed { parts.append("indexed") }
        if attribute.preservesValueInHistoryOnDeletion { parts.append("preserved on deletion") }
        if let name = attribute.valueTransformerName { parts.append("transformer \(name)") }
        if let derived = attribute as? NSDerivedAttributeDescription {
            parts.append("derived: \(derived.derivation ?? "?")")
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            let elements = composite.elements.map { "\($0.name): \($0.attributeType.attributeType.displayName)" }
            parts.append("{\(elements.joined(separator: ", "))}")
        }
        parts += attribute.validationPredicates.map(\.description)
        return parts
    }

    static func deleteRule(_ rule: NSDeleteRule) -> String {
        switch rule {
        case .noActionDeleteRule: "no action"
        case .nullifyDeleteRule: "nullify"
        case .cascadeDeleteRule: "cascade"
        case .denyDeleteRule: "deny"
        }
    }
}
