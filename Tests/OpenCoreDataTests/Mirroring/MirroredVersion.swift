import Foundation
import TestSupport

@testable import OpenCoreData

/// A model that changes from version to version. Its objects have a number of their own in any version, `uid`.
struct MirroredVersion {
    struct Entity {
        /// The name of the entity in the first version that has it.
        var first: String
        var name: String
        var former: String?
        var parent: String?
        /// Whether there are objects only of the entities below.
        var isAbstract = false
        var extras: [String] = []
    }

    /// A relationship to many objects and its inverse, between two entities by their first names.
    struct Link {
        var one: String
        var other: String
        var name: String
        var isToOne: Bool
    }

    private(set) var entities: [Entity] = []
    private(set) var links: [Link] = []
    private var count = 0

    init(_ names: [String]) { for name in names { add(name) } }

    private func index(_ name: String) -> Int { entities.firstIndex { $0.name == name } ?? 0 }

    mutating func add(_ name: String, isAbstract: Bool = false) {
        entities.append(Entity(first: name, name: name, isAbstract: isAbstract))
    }

    mutating func rename(_ name: String, to new: String) {
        let index = index(name)
        if entities[index].former == nil { entities[index].former = name }
        entities[index].name = new
    }

    /// Removes an entity with its relationships. Entities below it move up.
    mutating func remove(_ name: String) {
        let entity = entities[index(name)]
        for below in entities.indices where entities[below].parent == entity.first {
            entities[below].parent = entity.parent
        }
        links.removeAll { $0.one == entity.first || $0.other == entity.first }
        entities.removeAll { $0.first == entity.first }
    }

    /// Moves an entity below another one, or out of its hierarchy.
    mutating func move(_ name: String, below other: String?) {
        entities[index(name)].parent = other.map { entities[index($0)].first }
    }

    /// The version as the one before the next: the present names are the names.
    mutating func settle() { for index in entities.indices { entities[index].former = nil } }

    /// Changes the version at random.
    mutating func change(_ random: inout SeededRandom) {
        count += 1
        let letter = random.pick(Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ")) ?? "A"
        let name = "\(letter)v\(count)"
        guard let entity = random.pick(entities) else { return add(name) }
        switch random.pick(7) {
        case 0: add(name)
        case 1: rename(entity.name, to: name)
        case 2: if entities.count > 3 { remove(entity.name) }
        case 3:
            let others = entities.filter { $0.parent == nil && $0.first != entity.first }
            // Hierarchies have two levels.
            if !entities.contains(where: { $0.parent == entity.first }), let above = random.pick(others) {
                move(entity.name, below: above.name)
            }
        case 4: move(entity.name, below: nil)
        case 5: entities[index(entity.name)].extras.append("x\(count)")
        default:
            guard let other = random.pick(entities) else { return }
            links.append(
                Link(one: entity.first, other: other.first, name: "l\(count)", isToOne: random.chance(50)))
        }
    }

    func model() -> NSManagedObjectModel {
        var made: [String: NSEntityDescription] = [:]
        for entity in entities {
            let own =
                entity.parent == nil
                ? [Build.attribute("text"), Build.attribute("uid", .integer64AttributeType)] : []
            let description = Build.entity(entity.name, own + entity.extras.map { Build.attribute($0) })
            description.renamingIdentifier = entity.former
            description.isAbstract = entity.isAbstract
            made[entity.first] = description
        }
        for entity in entities {
            let below = entities.filter { $0.parent == entity.first }.compactMap { made[$0.first] }
            made[entity.first]?.subentities = below
        }
        for link in links {
            guard let one = made[link.one], let other = made[link.other] else { continue }
            let there = link.isToOne ? Build.toOne(link.name, other) : Build.toMany(link.name, other)
            let back = Build.toMany(link.name + "s", one)
            Build.connect(there, back)
            one.properties.append(there)
            other.properties.append(back)
        }
        let model = NSManagedObjectModel()
        model.entities = entities.compactMap { made[$0.first] }
        return model
    }
}
