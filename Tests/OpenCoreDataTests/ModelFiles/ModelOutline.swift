import Foundation
import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

/// Everything that a model says, line by line, so that two models can be compared and their differences read.
func outline(of model: NSManagedObjectModel) -> [String] {
    var lines = ["identifiers \(model.versionIdentifiers.map { "\($0.base)" }.sorted().filter { !$0.isEmpty })"]
    for name in model.configurations {
        let members = model.entities(forConfigurationName: name)?.compactMap(\.name).sorted() ?? []
        lines.append("configuration \(name) \(members)")
    }
    for entity in model.entities.sorted(by: { ($0.name ?? "") < ($1.name ?? "") }) {
        let name = entity.name ?? ""
        lines.append(
            "\(name): abstract \(entity.isAbstract) parent "
                + "\(entity.superentity?.name ?? "-") modifier \(entity.versionHashModifier ?? "-") "
                + "formerly \(entity.renamingIdentifier ?? "-") info \(text(entity.userInfo))")
        lines.append("\(name): class \(entity.managedObjectClassName ?? "-")")
        lines.append("\(name): unique \(entity.uniquenessNames.map { "\($0)" }.sorted())")
        lines.append("\(name): compound \(entity.compoundIndexNames.map { "\($0)" }.sorted())")
        for index in entity.indexes {
            let elements = index.elements.map { "\($0.target) \($0.isAscending) \($0.collationType)" }
            lines.append("\(name): index \(index.name) \(elements) where \(index.partialPredicate?.format ?? "-")")
        }
        for property in entity.ownProperties.sorted(by: { $0.name < $1.name }) {
            lines += outline(of: property, "\(name).\(property.name)")
        }
    }
    return lines
}

private func outline(of property: NSPropertyDescription, _ path: String) -> [String] {
    var lines = [
        "\(path): optional \(property.isOptional) transient \(property.isTransient) indexed \(property.isIndexed) modifier "
            + "\(property.versionHashModifier ?? "-") formerly \(property.renamingIdentifier ?? "-") info \(text(property.userInfo))"
    ]
    switch property {
    case let attribute as NSAttributeDescription:
        lines.append(
            "\(path): type \(attribute.attributeType) default \(attribute.defaultValue.map { "\($0)" } ?? "-") transformer "
                + "\(attribute.valueTransformerName ?? "-") external \(attribute.allowsExternalBinaryDataStorage) preserved "
                + "\(attribute.preservesValueInHistoryOnDeletion) rules \(attribute.validationRules.map { "\($0)" }.sorted())"
        )
        if let derived = attribute as? NSDerivedAttributeDescription {
            lines.append("\(path): derived \(derived.derivation ?? "-")")
        }
        if let composite = attribute as? NSCompositeAttributeDescription {
            for element in composite.elements { lines += outline(of: element, "\(path).\(element.name)") }
        }
    case let relationship as NSRelationshipDescription:
        lines.append(
            "\(path): to \(relationship.destinationEntity?.name ?? "-") inverse "
                + "\(relationship.inverseRelationship?.name ?? "-") rule \(relationship.deleteRule) counts "
                + "\(relationship.minCount)...\(relationship.maxCount) ordered \(relationship.isOrdered)")
    case let fetched as NSFetchedPropertyDescription:
        lines.append("\(path): fetched \(fetched.requestedEntityName ?? "-") \(fetched.requestPredicateText ?? "-")")
    default: break
    }
    return lines
}

private func text(_ info: [AnyHashable: Any]?) -> String {
    (info ?? [:]).map { "\($0.key)=\($0.value)" }.sorted().joined(separator: ",")
}
