import Foundation
@testable import OpenCoreData
import SwormPredicates

/// What a store must hold after changes, worked out by the rules of inverses and delete rules alone.
struct ExpectedGraph {
    private(set) var graph: ObjectGraphText
    let model: PlainModel
    /// The objects whose relationships a trial has changed.
    private var touched: Set<String> = []
    private let hasOneWays: Bool

    init(_ graph: ObjectGraphText, _ model: PlainModel) {
        self.graph = graph
        self.model = model
        hasOneWays = model.entities.contains { $0.relationships.contains { $0.inverse == nil } }
    }

    /// The graph after a change; nil when the change leaves an object without what its relationships require.
    func after(_ change: (inout ExpectedGraph) -> Void) -> ExpectedGraph? {
        var trial = self
        trial.touched = []
        change(&trial)
        return trial.lacking(since: self).isEmpty ? trial : nil
    }

    /// The objects that lack something that they had before.
    private func lacking(since before: ExpectedGraph) -> [String] {
        touched.filter { key in
            violations(of: key).contains { !before.violations(of: key).contains($0) }
        }.sorted()
    }

    func entity(of key: String) -> PlainModel.Entity? { model[String(key.prefix { $0 != "/" })] }

    func links(_ key: String, _ name: String) -> [String] { graph.nodes[key]?.links[name] ?? [] }

    /// The keys of an entity's own objects, in the order of their rows.
    func keys(of entity: PlainModel.Entity) -> [String] {
        graph.nodes.keys.filter { $0.hasPrefix(entity.name + "/") }.map { (number($0), $0) }.sorted { $0.0 < $1.0 }
            .map(\.1)
    }

    /// The keys of the objects of an entity and its descendants.
    func family(of name: String) -> [String] {
        guard let entity = model[name] else { return [] }
        return model.entities.filter { entity.family.contains($0.number) }.flatMap { keys(of: $0) }
    }

    private func number(_ key: String) -> Int { Int(key.drop { $0 != "/" }.dropFirst(2)) ?? 0 }

    // MARK: Changes

    mutating func insert(_ key: String) {
        guard let entity = entity(of: key) else { return }
        var node = ObjectGraphText.Node()
        for attribute in entity.attributes { node.attributes[attribute.name] = ObjectGraphText.defaultText(attribute) }
        for relationship in entity.relationships { node.links[relationship.name] = [] }
        graph.nodes[key] = node
    }

    mutating func set(_ key: String, _ attribute: String, _ text: String) {
        graph.nodes[key]?.attributes[attribute] = text
    }

    /// Relates two objects: at the end of an ordered relationship, or at a place of it.
    mutating func link(_ owner: String, _ relationship: PlainModel.Relationship, _ member: String, at place: Int? = nil)
    {
        guard !links(owner, relationship.name).contains(member) else { return }
        if !relationship.isToMany {
            for old in links(owner, relationship.name) { unlink(owner, relationship, old) }
        }
        let inverse = model.inverse(of: relationship)
        if let inverse, !inverse.isToMany {
            for old in links(member, inverse.name) { unlink(old, relationship, member) }
        } else if inverse == nil, relationship.isToMany {
            // Without an inverse, a column of the member has the key of the owner, so there is one owner.
            for old in family(of: relationship.declaring) where links(old, relationship.name).contains(member) {
                unlink(old, relationship, member)
            }
        }
        put(owner, relationship, member, at: place)
        if let inverse, !(inverse.name == relationship.name && owner == member) { put(member, inverse, owner) }
    }

    mutating func unlink(_ owner: String, _ relationship: PlainModel.Relationship, _ member: String) {
        touched.formUnion([owner, member])
        graph.nodes[owner]?.links[relationship.name]?.removeAll { $0 == member }
        if let inverse = model.inverse(of: relationship) {
            graph.nodes[member]?.links[inverse.name]?.removeAll { $0 == owner }
        }
    }

    private mutating func put(
        _ owner: String, _ relationship: PlainModel.Relationship, _ member: String, at place: Int? = nil
    ) {
        touched.insert(owner)
        var list = links(owner, relationship.name)
        list.insert(member, at: min(place ?? list.count, list.count))
        graph.nodes[owner]?.links[relationship.name] = relationship.isOrdered ? list : list.sorted()
    }

    mutating func reverse(_ owner: String, _ relationship: PlainModel.Relationship) {
        graph.nodes[owner]?.links[relationship.name]?.reverse()
    }

    /// Deletes objects and what goes with them.
    ///
    /// - Returns: The objects to be deleted so that none is left without what it requires; nil when a rule denies it.
    mutating func delete(_ key: String) -> [String]? {
        var start = [key]
        while true {
            var doomed: [String] = []
            var waiting = start
            while let next = waiting.popLast() {
                guard !doomed.contains(next), let entity = entity(of: next) else { continue }
                doomed.append(next)
                for relationship in entity.relationships where relationship.description.deleteRule == .cascadeDeleteRule
                {
                    waiting += links(next, relationship.name)
                }
            }
            for key in doomed {
                for relationship in entity(of: key)?.relationships ?? [] {
                    let left = links(key, relationship.name).filter { !doomed.contains($0) }
                    guard !left.isEmpty else { continue }
                    let rule = relationship.description.deleteRule
                    if rule == .denyDeleteRule || rule == .noActionDeleteRule { return nil }
                }
            }
            var after = self
            after.touched = []
            for key in doomed { after.remove(key) }
            // Objects that require a deleted object have to be deleted too.
            let lacking = after.lacking(since: self)
            if lacking.isEmpty {
                self = after
                return start
            }
            start += lacking
        }
    }

    private mutating func remove(_ key: String) {
        for relationship in entity(of: key)?.relationships ?? [] {
            for member in links(key, relationship.name) { unlink(key, relationship, member) }
        }
        graph.nodes[key] = nil
        guard hasOneWays else { return }
        for (other, node) in graph.nodes {
            for (name, members) in node.links where members.contains(key) {
                // A key without an inverse stays when its object goes, as in Core Data.
                guard entity(of: other)?.relationship(name)?.isToMany == true else { continue }
                touched.insert(other)
                graph.nodes[other]?.links[name] = members.filter { $0 != key }
            }
        }
    }

    // MARK: Rules

    /// The relationships of an object that lead to fewer or more objects than the model allows.
    private func violations(of key: String) -> [String] {
        guard let node = graph.nodes[key], let entity = entity(of: key) else { return [] }
        return entity.relationships.filter { relationship in
            let count = node.links[relationship.name]?.count ?? 0
            let description = relationship.description
            if count == 0 {
                return !description.isOptional && (!relationship.isToMany || description.minCount > 0)
            }
            return relationship.isToMany
                && (count < description.minCount || (description.maxCount > 1 && count > description.maxCount))
        }.map(\.name)
    }

    /// What `verify` says of the keys that stay when their objects have gone.
    func danglingIssues() -> [String] {
        model.entities.flatMap { entity in
            entity.relationships.compactMap { relationship in
                guard relationship.declaring == entity.name, !relationship.isToMany, relationship.inverse == nil else {
                    return nil
                }
                let count = family(of: entity.name).flatMap { links($0, relationship.name) }
                    .count { graph.nodes[$0] == nil }
                guard count > 0 else { return nil }
                return "\(entity.name).\(relationship.name): \(count) rows point to a missing object"
            }
        }
    }

    /// Works out the derived attributes that count the members of a relationship, or are an attribute of another object.
    mutating func derive() {
        for (key, node) in graph.nodes {
            for attribute in entity(of: key)?.attributes ?? [] {
                guard let text = (attribute.description as? NSDerivedAttributeDescription)?.derivation else { continue }
                if text.hasPrefix("count:("), text.hasSuffix(")") {
                    let count = node.links[String(text.dropFirst(7).dropLast())]?.count ?? 0
                    graph.nodes[key]?.attributes[attribute.name] = "\(count)"
                } else if let path = Self.path(of: text), let name = path.last {
                    let end = path.dropLast().reduce(Optional(key)) { object, step in
                        object.flatMap { links($0, step).first }
                    }
                    let value = end.flatMap { graph.nodes[$0]?.attributes[name] } ?? "nil"
                    graph.nodes[key]?.attributes[attribute.name] = value
                }
            }
        }
    }

    /// The steps of a derivation that is the path to an attribute of another object.
    static func path(of derivation: String) -> [String]? {
        let steps = derivation.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let areNames = steps.allSatisfy { step in
            !step.isEmpty && step.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" }
        }
        return steps.count > 1 && areNames ? steps : nil
    }
}

/// Makes values that an attribute takes and that no row has yet.
struct ValueSource {
    private var next = 20_000

    mutating func value(for attribute: PlainModel.Attribute, current: Any?) -> Any {
        next += 1
        let number = Double(next) + 0.25
        switch attribute.type {
        case .booleanAttributeType: return !((current as? NSNumber)?.boolValue ?? false)
        case .integer16AttributeType: return NSNumber(value: 20_000 + next % 12_000)
        case .integer32AttributeType, .integer64AttributeType: return NSNumber(value: next)
        case .decimalAttributeType: return NSDecimalNumber(decimal: Decimal(next) / 8)
        case .doubleAttributeType, .floatAttributeType: return NSNumber(value: number)
        case .dateAttributeType: return Date(timeIntervalSinceReferenceDate: number)
        case .UUIDAttributeType: return UUID()
        case .URIAttributeType: return URL(fileURLWithPath: "/\(next)")
        case .binaryDataAttributeType, .transformableAttributeType: return Data("bytes \(next)".utf8)
        default: return "text \(next) \u{e9}\u{1F30A}" + Self.words(askedOf: attribute)
        }
    }

    /// The words that a model asks texts to contain.
    private static func words(askedOf attribute: PlainModel.Attribute) -> String {
        attribute.description.validationRules.compactMap { rule in
            guard case .predicate(.comparison(let comparison), _) = rule, comparison.comparator == .contains,
                case .value(.string(let word)) = comparison.right
            else { return nil }
            return " " + word
        }.joined()
    }
}
