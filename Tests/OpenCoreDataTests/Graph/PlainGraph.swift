import Foundation

@testable import OpenCoreData
@testable import SwormStore

/// A model with every kind of relationship among few entities, and the same graph in plain arrays: what a context must say.
struct PlainGraph: Equatable {
    enum Kind: String, CaseIterable, Comparable {
        case owner = "Owner"
        case item = "Item"
        case special = "Special"
        case label = "Label"

        /// The kind whose relations it has.
        var base: Kind { self == .special ? .item : self }
        static func < (left: Kind, right: Kind) -> Bool { left.rawValue < right.rawValue }
    }

    struct Relation {
        var kind: Kind
        var name: String
        var destination: Kind
        var inverse: String
        var isToMany: Bool
        var isOrdered = false
        var cascades = false
    }

    static let relations: [Relation] = [
        Relation(kind: .owner, name: "items", destination: .item, inverse: "owner", isToMany: true, isOrdered: true),
        Relation(kind: .item, name: "owner", destination: .owner, inverse: "items", isToMany: false),
        Relation(kind: .owner, name: "things", destination: .item, inverse: "keeper", isToMany: true, cascades: true),
        Relation(kind: .item, name: "keeper", destination: .owner, inverse: "things", isToMany: false),
        Relation(kind: .item, name: "labels", destination: .label, inverse: "marked", isToMany: true, isOrdered: true),
        Relation(kind: .label, name: "marked", destination: .item, inverse: "labels", isToMany: true),
        Relation(kind: .owner, name: "friends", destination: .owner, inverse: "friendOf", isToMany: true),
        Relation(kind: .owner, name: "friendOf", destination: .owner, inverse: "friends", isToMany: true),
        Relation(kind: .item, name: "partner", destination: .item, inverse: "partner", isToMany: false),
        Relation(kind: .owner, name: "best", destination: .item, inverse: "bestOf", isToMany: false),
        Relation(kind: .item, name: "bestOf", destination: .owner, inverse: "best", isToMany: false),
    ]

    static func model() -> NSManagedObjectModel {
        var entities: [Kind: NSEntityDescription] = [:]
        for kind in Kind.allCases {
            entities[kind] = Build.entity(
                kind.rawValue,
                kind == .special
                    ? [Build.attribute("extra")]
                    : [Build.attribute("uid", .integer64AttributeType), Build.attribute("text")])
        }
        var made: [String: NSRelationshipDescription] = [:]
        for relation in relations {
            guard let entity = entities[relation.kind], let destination = entities[relation.destination] else {
                continue
            }
            let description = Build.toMany(relation.name, destination) {
                if !relation.isToMany { $0.maxCount = 1 }
                $0.isOrdered = relation.isOrdered
                if relation.cascades { $0.deleteRule = .cascadeDeleteRule }
            }
            made["\(relation.kind).\(relation.name)"] = description
            entity.properties.append(description)
        }
        for relation in relations {
            made["\(relation.kind).\(relation.name)"]?.inverseRelationship =
                made["\(relation.destination).\(relation.inverse)"]
        }
        if let item = entities[.item], let special = entities[.special] { item.subentities = [special] }
        let model = NSManagedObjectModel()
        model.entities = Kind.allCases.compactMap { entities[$0] }
        return model
    }

    struct Node: Equatable {
        var kind: Kind
        var text: String?
        /// The numbers at the ends of relations; at most one for a to-one.
        var links: [String: [Int]] = [:]
    }

    var nodes: [Int: Node] = [:]

    static func relation(_ kind: Kind, _ name: String) -> Relation? {
        relations.first { $0.kind == kind.base && $0.name == name }
    }

    func ends(_ node: Int, _ relation: Relation) -> [Int] { nodes[node]?.links[relation.name] ?? [] }

    private mutating func drop(_ end: Int, from node: Int, _ name: String) {
        nodes[node]?.links[name]?.removeAll { $0 == end }
        if nodes[node]?.links[name]?.isEmpty ?? false { nodes[node]?.links[name] = nil }
    }

    mutating func unlink(_ node: Int, _ relation: Relation, _ end: Int) {
        drop(end, from: node, relation.name)
        drop(node, from: end, relation.inverse)
    }

    mutating func link(_ node: Int, _ relation: Relation, _ end: Int) {
        guard !ends(node, relation).contains(end),
            let inverse = Self.relations.first(where: { $0.kind == relation.destination && $0.name == relation.inverse }
            )
        else { return }
        if !relation.isToMany { for old in ends(node, relation) { unlink(node, relation, old) } }
        if !inverse.isToMany { for old in ends(end, inverse) { unlink(end, inverse, old) } }
        nodes[node]?.links[relation.name, default: []].append(end)
        if node != end || relation.name != inverse.name {
            nodes[end]?.links[inverse.name, default: []].append(node)
        }
    }

    mutating func set(_ node: Int, _ relation: Relation, _ new: [Int]) {
        for old in ends(node, relation) where !new.contains(old) { unlink(node, relation, old) }
        for end in new { link(node, relation, end) }
        if relation.isOrdered { nodes[node]?.links[relation.name] = new.isEmpty ? nil : new }
    }

    /// Removes a node with all that its cascades reach.
    mutating func delete(_ node: Int) {
        var waiting = [node]
        while let next = waiting.popLast() {
            guard let kind = nodes[next]?.kind else { continue }
            for relation in Self.relations where relation.kind == kind.base {
                let others = ends(next, relation)
                if relation.cascades { waiting += others }
                for other in others { unlink(next, relation, other) }
            }
            nodes[next] = nil
        }
    }
}
