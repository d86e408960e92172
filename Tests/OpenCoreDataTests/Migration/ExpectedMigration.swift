import Foundation
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// What a store must hold after a migration, worked out from what plain SQL gave before by the rules of the mapping alone.
struct ExpectedMigration {
    let mapping: ModelMapping
    let old: PlainModel
    let new: PlainModel

    private func entry(for entity: String) -> ModelMapping.Entity? {
        mapping.entities.first { $0.source == entity && $0.destination != nil }
    }

    private static func name(_ key: String) -> String { String(key.prefix { $0 != "/" }) }

    /// The object that an object becomes; nil for one that goes. Keys stay, as long as no two tables become one.
    private func image(of key: String) -> String? {
        entry(for: Self.name(key))?.destination.map { $0 + key.dropFirst(Self.name(key).count) }
    }

    func check(
        _ found: ObjectGraphText, from before: ObjectGraphText, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var issues: [String] = []
        let kept = before.nodes.keys.filter { image(of: $0) != nil }
        let images = Set(kept.compactMap { image(of: $0) })
        if images != Set(found.nodes.keys) {
            issues.append("the objects are \(found.nodes.keys.sorted().prefix(9)), not \(images.sorted().prefix(9))")
        }
        for key in kept.sorted() {
            guard let image = image(of: key), let node = before.nodes[key], let result = found.nodes[image],
                let entry = entry(for: Self.name(key)), let entity = new[Self.name(image)]
            else { continue }
            for attribute in entity.attributes where !(attribute.description is NSDerivedAttributeDescription) {
                let text = value(of: attribute, entry, node)
                if result.attributes[attribute.name] != text {
                    issues.append(
                        "\(image).\(attribute.name) is \(result.attributes[attribute.name] ?? "missing"), not \(text)")
                }
            }
            for relationship in entity.relationships {
                if let issue = check(
                    result.links[relationship.name] ?? [], relationship, of: key, entry, before)
                {
                    issues.append("\(image).\(relationship.name) \(issue)")
                }
            }
        }
        #expect(issues.prefix(10).map(\.self) == [], sourceLocation: sourceLocation)
    }

    private func value(
        of attribute: PlainModel.Attribute, _ entry: ModelMapping.Entity, _ node: ObjectGraphText.Node
    ) -> String {
        let initial = ObjectGraphText.defaultText(attribute)
        guard !attribute.isTransient,
            let source = entry.attributes.first(where: { $0.destination == attribute.name })?.source,
            let text = node.attributes[source]
        else { return initial }
        return text == "nil" && !attribute.description.isOptional && !attribute.name.contains(".") ? initial : text
    }

    // MARK: Links

    private func source(of relationship: PlainModel.Relationship, in entity: String) -> PlainModel.Relationship? {
        guard let entry = entry(for: entity), !relationship.description.isTransient,
            let name = entry.relationships.first(where: { $0.destination == relationship.name })?.source
        else { return nil }
        return old[entity]?.relationship(name)
    }

    /// The links that an object had, as far as the new model can have them.
    private func links(
        _ relationship: PlainModel.Relationship, of key: String, _ before: ObjectGraphText
    ) -> [String] {
        let allowed = family(of: relationship.destination)
        let links: [String]
        if let source = source(of: relationship, in: Self.name(key)) {
            links = before.nodes[key]?.links[source.name] ?? []
        } else if let inverse = new.inverse(of: relationship) {
            links = before.nodes.keys.filter { other in
                guard let source = self.source(of: inverse, in: Self.name(other)) else { return false }
                return before.nodes[other]?.links[source.name]?.contains(key) ?? false
            }
        } else {
            links = []
        }
        return links.compactMap { image(of: $0) }.filter { allowed.contains(Self.name($0)) }
    }

    private func family(of name: String) -> Set<String> {
        guard let entity = new[name] else { return [] }
        return Set(new.entities.filter { entity.family.contains($0.number) }.map(\.name))
    }

    private func check(
        _ found: [String], _ relationship: PlainModel.Relationship, of key: String, _ entry: ModelMapping.Entity,
        _ before: ObjectGraphText
    ) -> String? {
        let links = links(relationship, of: key, before)
        let source = source(of: relationship, in: Self.name(key))
        // Where one object can have fewer links than before, which of them stay is left open.
        let inverse = new.inverse(of: relationship)
        let isNarrower =
            (!relationship.isToMany && links.count > 1) || (inverse.map { !$0.isToMany } ?? relationship.isToMany)
        if isNarrower, Set(found) != Set(links) {
            let sourceInverse = source.flatMap { old.inverse(of: $0) }
            let couldShare = sourceInverse.map(\.isToMany) ?? (source.map { !$0.isToMany } ?? true)
            guard couldShare || (source?.isToMany ?? true) && !relationship.isToMany else {
                return "is \(found.prefix(6)), not \(links.prefix(6))"
            }
            if !Set(found).isSubset(of: links) { return "is \(found.prefix(6)), of which not all were there before" }
            if !relationship.isToMany, inverse?.isToMany ?? true, found.isEmpty, !links.isEmpty { return "is lost" }
            return nil
        }
        if relationship.isOrdered, source?.isOrdered ?? false {
            return found == links ? nil : "is \(found.prefix(6)), not \(links.prefix(6)) in this order"
        }
        return Set(found) == Set(links) ? nil : "is \(found.sorted().prefix(6)), not \(links.sorted().prefix(6))"
    }
}
