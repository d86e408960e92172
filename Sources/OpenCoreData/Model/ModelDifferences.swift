import Foundation
import SwormStore

/// Returns the differences between two models that make a store of one model incompatible with the other.
///
/// - Parameters:
///   - a: The first model.
///   - b: The second model.
///   - names: The names of the two models in the lines.
/// - Returns: One line for each entity that only one of them has, and for each difference of an entity that both have;
///   empty if a store is compatible with both.
func differences(
    between a: NSManagedObjectModel, and b: NSManagedObjectModel,
    named names: (a: String, b: String) = ("the model", "the store")
) -> [String] {
    let hashes = (a.entityVersionHashesByName, b.entityVersionHashesByName)
    let entities = (a.entitiesByName, b.entitiesByName)
    var lines = missingEntities(hashes.0, hashes.1, names: names)
    for (name, hash) in hashes.0.sorted(by: { VersionHash.precedes($0.key, $1.key) }) {
        guard let other = hashes.1[name], other != hash, let left = entities.0[name], let right = entities.1[name]
        else {
            continue
        }
        let own = Facts.differences(left, right, names: names)
        if own.isEmpty {
            lines.append("Entity '\(name)' differs only in what it inherits from '\(left.superentity?.name ?? "")'.")
        } else {
            lines += own.map { "Entity '\(name)': \($0)." }
        }
    }
    return lines
}

/// Returns the differences between a model and the version hashes in a store's metadata.
///
/// - Parameters:
///   - a: The model.
///   - b: The version hashes by entity name.
///   - names: The names of the two sides in the lines.
/// - Returns: One line for each entity that only one side has or whose hash differs.
func differences(
    between a: NSManagedObjectModel, and b: [String: Data],
    named names: (a: String, b: String) = ("the model", "the store")
) -> [String] {
    let parents = a.entitiesByName.compactMapValues { $0.superentity?.name }
    return differences(a.entityVersionHashesByName, b, parents: parents, names: names)
}

/// Returns the differences between a frozen model and the version hashes in a store's metadata.
func differences(
    between a: CompiledModel, and b: [String: Data], named names: (a: String, b: String) = ("the model", "the store")
) -> [String] {
    var parents: [String: String] = [:]
    for entity in a.entities { parents[entity.name] = entity.superentity.map { a[$0].name } }
    return differences(a.versionHashes, b, parents: parents, names: names)
}

private func differences(
    _ left: [String: Data], _ right: [String: Data], parents: [String: String], names: (a: String, b: String)
) -> [String] {
    let changed = left.filter { name, hash in right[name].map { $0 != hash } ?? false }
    return missingEntities(left, right, names: names)
        + changed.keys.sorted(by: VersionHash.precedes).map { name in
            // A change of an ancestor changes the hashes of all its descendants.
            if let parent = parents[name], changed[parent] != nil {
                return "Entity '\(name)' differs, at least in what it inherits from '\(parent)'."
            }
            return "Entity '\(name)' differs."
        }
}

private func missingEntities(_ left: [String: Data], _ right: [String: Data], names: (a: String, b: String))
    -> [String]
{
    let onlyLeft = left.keys.filter { right[$0] == nil }.sorted(by: VersionHash.precedes)
    let onlyRight = right.keys.filter { left[$0] == nil }.sorted(by: VersionHash.precedes)
    return onlyLeft.map { "Entity '\($0)' is in \(names.a), but not in \(names.b)." }
        + onlyRight.map { "Entity '\($0)' is in \(names.b), but not in \(names.a)." }
}

/// The facts that are part of the version hash, in words.
private enum Facts {
    static func differences(
        _ left: NSEntityDescription, _ right: NSEntityDescription, names: (a: String, b: String)
    ) -> [String] {
        var lines = compare(facts(of: left), facts(of: right), names: names).map { "it " + $0 }
        let properties = (used(left), used(right))
        for (name, property) in properties.0.sorted(by: { VersionHash.precedes($0.key, $1.key) }) {
            guard let other = properties.1[name] else {
                lines.append("\(kind(of: property)) '\(name)' is in \(names.a), but not in \(names.b)")
                continue
            }
            lines += compare(facts(of: property), facts(of: other), names: names).map {
                "\(kind(of: property)) '\(name)' \($0)"
            }
        }
        for (name, property) in properties.1.sorted(by: { VersionHash.precedes($0.key, $1.key) })
        where properties.0[name] == nil {
            lines.append("\(kind(of: property)) '\(name)' is in \(names.b), but not in \(names.a)")
        }
        return lines
    }

    private static func used(_ entity: NSEntityDescription) -> [String: NSPropertyDescription] {
        Dictionary(
            entity.ownProperties.filter { !($0 is NSFetchedPropertyDescription) }.map { ($0.name, $0) },
            uniquingKeysWith: { first, _ in first })
    }

    /// Compares facts by their subjects, so that the facts of both sides can be matched.
    private static func compare(
        _ left: [(about: String, says: String)], _ right: [(about: String, says: String)],
        names: (a: String, b: String)
    ) -> [String] {
        let others = Dictionary(right.map { ($0.about, $0.says) }, uniquingKeysWith: { first, _ in first })
        return left.compactMap { about, says in
            guard let other = others[about], other != says else { return nil }
            return "\(says) in \(names.a), \(other) in \(names.b)"
        }
    }

    private static func kind(of property: NSPropertyDescription) -> String {
        property is NSRelationshipDescription ? "relationship" : "attribute"
    }

    private static func facts(of entity: NSEntityDescription) -> [(about: String, says: String)] {
        let constraints = entity.uniquenessNames.map { "(\($0.joined(separator: ", ")))" }.sorted()
        return [
            ("abstract", entity.isAbstract ? "is abstract" : "is not abstract"),
            ("superentity", "inherits from \(quoted(entity.superentity?.name))"),
            ("modifier", "has the hash modifier \(quoted(entity.versionHashModifier))"),
            (
                "unique",
                "has the uniqueness constraints \(constraints.isEmpty ? "none" : constraints.joined(separator: " "))"
            ),
        ]
    }

    private static func facts(of property: NSPropertyDescription) -> [(about: String, says: String)] {
        var facts = [
            ("kind", "is a \(kindWord(property))"), ("transient", property.isTransient ? "is transient" : "is stored"),
        ]
        if property.isTransient { return facts }
        switch property {
        case let derived as NSDerivedAttributeDescription:
            return facts + [("derivation", "is derived from \(quoted(derived.derivation))")]
        case let composite as NSCompositeAttributeDescription:
            return facts + [("elements", "has the elements \(elements(of: composite, depth: 0))")]
        case let attribute as NSAttributeDescription:
            facts += [
                ("type", "has the type \(attribute.attributeType.displayName)"),
                ("external", "\(attribute.allowsExternalBinaryDataStorage ? "may" : "may not") be stored in files"),
                ("preserved", "is \(attribute.preservesValueInHistoryOnDeletion ? "" : "not ")preserved on deletion"),
            ]
        case let relationship as NSRelationshipDescription:
            facts += [
                ("destination", "has the destination \(quoted(relationship.destinationEntity?.name))"),
                ("inverse", "has the inverse \(quoted(relationship.inverseRelationship?.name))"),
                ("ordered", relationship.isOrdered ? "is ordered" : "is not ordered"),
                ("minimum", "has the minimum count \(relationship.minCount)"),
                ("maximum", "has the maximum count \(relationship.maxCount)"),
            ]
        default: break
        }
        return facts + [
            ("optional", property.isOptional ? "is optional" : "is required"),
            ("modifier", "has the hash modifier \(quoted(property.versionHashModifier))"),
        ]
    }

    private static func elements(of composite: NSCompositeAttributeDescription, depth: Int) -> String {
        guard depth < ModelLimits.compositeDepth else { return "{...}" }
        let parts = composite.elements.sorted { VersionHash.precedes($0.name, $1.name) }.map { element in
            if let inner = element as? NSCompositeAttributeDescription {
                return "\(element.name) \(elements(of: inner, depth: depth + 1))"
            }
            let optional = element.isOptional ? "optional " : ""
            return "\(element.name): \(optional)\(element.attributeType.displayName)"
                + (element.versionHashModifier.map { " '\($0)'" } ?? "")
        }
        return "{\(parts.joined(separator: ", "))}"
    }

    private static func kindWord(_ property: NSPropertyDescription) -> String {
        switch property {
        case let relationship as NSRelationshipDescription:
            relationship.isToMany ? "to-many relationship" : "to-one relationship"
        case is NSDerivedAttributeDescription: "derived attribute"
        case is NSCompositeAttributeDescription: "composite attribute"
        default: "plain attribute"
        }
    }

    private static func quoted(_ text: String?) -> String { text.map { "'\($0)'" } ?? "none" }
}
