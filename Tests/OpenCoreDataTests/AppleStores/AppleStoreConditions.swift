import Foundation
@testable import OpenCoreData
import Testing

/// Conditions about one entity of a store, each with the objects that satisfy it, found by looking at the graph.
struct AppleStoreConditions {
    struct Condition {
        var text: String
        var predicate: NSPredicate
        var expected: Set<String>
    }

    let entity: PlainModel.Entity
    let model: PlainModel
    let graph: ObjectGraphText

    private var members: [(key: String, node: ObjectGraphText.Node)] {
        let names = Set(model.entities.filter { entity.family.contains($0.number) }.map(\.name))
        return graph.nodes.filter { names.contains(String($0.key.prefix { $0 != "/" })) }.map { ($0.key, $0.value) }
            .sorted { $0.key < $1.key }
    }

    /// - Parameter context: Gives the values and objects that the conditions compare with.
    func all(_ context: NSManagedObjectContext) throws -> [Condition] {
        let members = members
        var result: [Condition] = []
        func add(_ format: String, _ arguments: [Any], _ holds: (ObjectGraphText.Node) -> Bool) {
            result.append(
                Condition(
                    text: "\(format) \(arguments)", predicate: NSPredicate(format: format, argumentArray: arguments),
                    expected: Set(members.filter { holds($0.node) }.map(\.key))))
        }
        for attribute in Self.comparable(entity) {
            add("%K == nil", [attribute.name]) { $0.attributes[attribute.name] == "nil" }
            guard Self.hasComparableValues(attribute) else { continue }
            for (value, text) in try values(of: attribute, among: members.map(\.key), context) {
                add("%K == %@", [attribute.name, value]) { $0.attributes[attribute.name] == text }
                add("%K != %@", [attribute.name, value]) {
                    $0.attributes[attribute.name] != text && $0.attributes[attribute.name] != "nil"
                }
                add("%K IN %@", [attribute.name, [value]]) { $0.attributes[attribute.name] == text }
            }
        }
        for relationship in entity.relationships where !relationship.description.isTransient {
            let name = relationship.name
            let destination = try #require(model[relationship.destination])
            let ends = members.flatMap { $0.node.links[name] ?? [] }
            if relationship.isToMany {
                // A count is that of the join table's rows, wherever they lead, as in Core Data.
                let isLoose = graph.looseJoins.contains("\(relationship.declaring).\(name)")
                for count in Set(members.map { $0.node.links[name]?.count ?? 0 }).sorted().prefix(isLoose ? 0 : 3) {
                    add("%K.@count > %@", [name, count]) { $0.links[name]?.count ?? 0 > count }
                    add("%K.@count == %@", [name, count]) { $0.links[name]?.count ?? 0 == count }
                }
            } else {
                add("%K == nil", [name]) { $0.links[name]?.isEmpty ?? true }
                add("%K != nil", [name]) { !($0.links[name]?.isEmpty ?? true) }
            }
            if let end = ends.first {
                let object = try object(end, context)
                if relationship.isToMany {
                    add("ANY %K == %@", [name, object]) { $0.links[name]?.contains(end) ?? false }
                    add("%@ IN %K", [object, name]) { $0.links[name]?.contains(end) ?? false }
                } else {
                    add("%K == %@", [name, object]) { $0.links[name] == [end] }
                    add("%K IN %@", [name, [object]]) { $0.links[name] == [end] }
                }
            }
            for attribute in Self.comparable(destination) where Self.hasComparableValues(attribute) {
                let path = "\(name).\(attribute.name)"
                for (value, text) in try values(of: attribute, among: ends, context) {
                    let quantifier = relationship.isToMany ? "ANY " : ""
                    add("\(quantifier)%K == %@", [path, value]) { node in
                        (node.links[name] ?? []).contains { graph.nodes[$0]?.attributes[attribute.name] == text }
                    }
                }
            }
            for further in destination.relationships
            where !relationship.isToMany && !further.isToMany && !further.description.isTransient {
                add("%K.%K != nil", [name, further.name]) { node in
                    (node.links[name] ?? []).contains { !(graph.nodes[$0]?.links[further.name]?.isEmpty ?? true) }
                }
            }
        }
        return result
    }

    private static func comparable(_ entity: PlainModel.Entity) -> [PlainModel.Attribute] {
        entity.attributes.filter {
            !$0.isTransient && $0.type != .transformableAttributeType && $0.type != .undefinedAttributeType
                && $0.type != .objectIDAttributeType
        }
    }

    /// Of data that can be stored outside, a fetch can only ask whether it is nil.
    private static func hasComparableValues(_ attribute: PlainModel.Attribute) -> Bool {
        !attribute.description.allowsExternalBinaryDataStorage
    }

    /// The first and the last value, as an object has it and as text.
    private func values(
        of attribute: PlainModel.Attribute, among keys: [String], _ context: NSManagedObjectContext
    ) throws -> [(Any, String)] {
        let present = keys.filter { graph.nodes[$0]?.attributes[attribute.name].map { $0 != "nil" } ?? false }
        return try Set([present.first, present.last].compactMap { $0 }).compactMap { key in
            guard let value = try object(key, context).value(forKeyPath: attribute.name) else { return nil }
            return (value, graph.nodes[key]?.attributes[attribute.name] ?? "")
        }
    }

    private func object(_ key: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
        let coordinator = try #require(context.persistentStoreCoordinator)
        let store = try #require(coordinator.persistentStores.first)
        let url = try #require(URL(string: "x-coredata://\(store.identifier)/\(key)"))
        return context.object(with: try #require(coordinator.managedObjectID(forURIRepresentation: url)))
    }
}
