import Foundation
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A model as plain values, and changes that create the next version. Each kind of change can be inferred from names.
struct ModelEvolution {
    struct Attribute {
        var name: String
        var former: String?
        var type: NSAttributeType
        var isOptional = true
        var hasDefault = false
    }

    struct Side {
        var entity: Int
        var name: String
        var former: String?
        var isToMany: Bool
        var isOrdered: Bool
    }

    struct Link {
        var one: Side
        /// Nil for a relationship without inverse.
        var other: Side?
    }

    struct Entity {
        var number: Int
        var name: String
        var former: String?
        var parent: Int?
        var isAbstract = false
        var attributes: [Attribute] = []
        var unique: String?
        var indexed: String?
        var modifier: String?
    }

    var entities: [Entity] = []
    var links: [Link] = []
    private var next = 0
    private var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        for _ in 0..<(3 + random.pick(3)) { addEntity() }
        for _ in 0..<4 { addLink() }
    }

    private mutating func name(_ prefix: String) -> String {
        next += 1
        // The order of names is that of numbers and columns, so new names go anywhere in it.
        let letter = "abcdefghijklmnopqrstuvwxyz".randomElement(using: &random) ?? "a"
        return prefix.isEmpty ? "\(letter)\(next)" : "\(letter.uppercased())\(prefix)\(next)"
    }

    private mutating func attribute() -> Attribute {
        let types: [NSAttributeType] = [
            .integer16AttributeType, .integer32AttributeType, .stringAttributeType, .doubleAttributeType,
            .floatAttributeType, .booleanAttributeType, .dateAttributeType, .decimalAttributeType,
            .UUIDAttributeType, .binaryDataAttributeType,
        ]
        // Equal names in one hierarchy are numbered.
        var result = Attribute(
            name: random.chance(25) ? "shared" : name(""), type: random.pick(types) ?? .stringAttributeType)
        result.hasDefault = random.chance(40)
        result.isOptional = !result.hasDefault || random.chance(50)
        return result
    }

    // MARK: Changes

    private mutating func addEntity() {
        next += 1
        var entity = Entity(number: next, name: name("E"))
        if random.chance(40) { entity.parent = random.pick(entities)?.number }
        entity.attributes = (0..<(1 + random.pick(3))).map { _ in attribute() }
        entity.isAbstract = random.chance(15)
        entities.append(entity)
    }

    private mutating func addLink() {
        guard let one = random.pick(entities)?.number, let other = random.pick(entities)?.number else { return }
        var link = Link(one: side(one), other: side(other))
        if random.chance(20) {
            link.other = nil
            link.one.isOrdered = false
        }
        links.append(link)
    }

    private mutating func side(_ entity: Int) -> Side {
        let isToMany = random.chance(60)
        return Side(entity: entity, name: name("r"), isToMany: isToMany, isOrdered: isToMany && random.chance(30))
    }

    /// One change, or none where the kind that was drawn has nothing to change.
    mutating func change() {
        guard !entities.isEmpty else { return addEntity() }
        let index = random.pick(entities.count)
        switch random.pick(20) {
        case 0: entities[index].attributes.append(attribute())
        case 1: changeAttribute(index) { entity, place, _ in entity.attributes.remove(at: place) }
        case 2:
            changeAttribute(index) { entity, place, name in
                if entity.attributes[place].former == nil {
                    entity.attributes[place].former = entity.attributes[place].name
                }
                entity.attributes[place].name = name
            }
        case 3:
            changeAttribute(index) { entity, place, _ in
                entity.attributes[place].hasDefault = true
                entity.attributes[place].isOptional.toggle()
            }
        case 4:
            changeAttribute(index) { entity, place, _ in
                let wider: [NSAttributeType: NSAttributeType] = [
                    .integer16AttributeType: .integer32AttributeType, .integer32AttributeType: .integer64AttributeType,
                    .floatAttributeType: .doubleAttributeType,
                ]
                if let type = wider[entity.attributes[place].type] { entity.attributes[place].type = type }
            }
        case 5: addEntity()
        case 6: removeEntity(index)
        case 7:
            if entities[index].former == nil { entities[index].former = entities[index].name }
            entities[index].name = name("E")
        case 8, 9: addLink()
        case 10: if !links.isEmpty { links.remove(at: random.pick(links.count)) }
        case 11, 12:
            changeLink { side, _, name in
                if side.former == nil { side.former = side.name }
                side.name = name
            }
        case 13, 14:
            changeLink { side, hasInverse, _ in
                side.isToMany.toggle()
                if !side.isToMany { side.isOrdered = false }
            }
        case 15:
            changeLink { side, hasInverse, _ in
                if side.isToMany, hasInverse { side.isOrdered.toggle() }
            }
        case 16: insertParent(above: index)
        case 17: moveAttribute(index)
        case 18: leaveParent(index)
        default:
            entities[index].modifier = name("")
            let plain = entities[index].attributes.map(\.name)
            entities[index].indexed = random.pick(plain)
            entities[index].isAbstract = entities[index].isAbstract && random.chance(50)
        }
    }

    private mutating func changeAttribute(_ index: Int, _ change: (inout Entity, Int, String) -> Void) {
        guard !entities[index].attributes.isEmpty else { return }
        entities[index].indexed = nil
        let (place, name) = (random.pick(entities[index].attributes.count), name(""))
        change(&entities[index], place, name)
    }

    private mutating func changeLink(_ change: (inout Side, Bool, String) -> Void) {
        guard !links.isEmpty else { return }
        let (index, name) = (random.pick(links.count), name("r"))
        if var other = links[index].other, random.chance(50) {
            change(&other, true, name)
            links[index].other = other
        } else {
            change(&links[index].one, links[index].other != nil, name)
        }
    }

    private mutating func removeEntity(_ index: Int) {
        let number = entities[index].number
        guard entities.count > 2 else { return }
        // Its descendants go to its own parent, with what they inherit.
        for child in entities.indices where entities[child].parent == number {
            entities[child].parent = entities[index].parent
            entities[child].attributes += entities[index].attributes
        }
        links.removeAll { $0.one.entity == number || $0.other?.entity == number }
        entities.remove(at: index)
    }

    private mutating func insertParent(above index: Int) {
        next += 1
        var parent = Entity(number: next, name: name("P"), parent: entities[index].parent, isAbstract: true)
        entities[index].parent = parent.number
        if let moved = entities[index].attributes.popLast() { parent.attributes = [moved] }
        entities[index].indexed = nil
        entities.append(parent)
    }

    /// Moves an attribute to the parent, or from the entity to all its children.
    private mutating func moveAttribute(_ index: Int) {
        entities[index].indexed = nil
        guard let moved = entities[index].attributes.popLast() else { return }
        let children = entities.indices.filter { entities[$0].parent == entities[index].number }
        if let parent = entities[index].parent, let place = entities.firstIndex(where: { $0.number == parent }),
            random.chance(50) || children.isEmpty
        {
            entities[place].attributes.append(moved)
        } else if !children.isEmpty {
            for child in children { entities[child].attributes.append(moved) }
        } else {
            entities[index].attributes.append(moved)
        }
    }

    private mutating func leaveParent(_ index: Int) {
        var above = entities[index].parent
        while let number = above, let parent = entities.first(where: { $0.number == number }) {
            entities[index].attributes += parent.attributes
            above = parent.parent
        }
        entities[index].parent = nil
    }

    /// The version as the one before the next: what was renamed has its name now.
    mutating func settle() {
        for index in entities.indices {
            entities[index].former = nil
            for place in entities[index].attributes.indices { entities[index].attributes[place].former = nil }
        }
        for index in links.indices {
            links[index].one.former = nil
            links[index].other?.former = nil
        }
    }

    // MARK: The model

    func model() -> NSManagedObjectModel {
        var made: [Int: NSEntityDescription] = [:]
        for entity in entities {
            let description = Build.entity(entity.name, entity.attributes.map(Self.description))
            description.isAbstract = entity.isAbstract
            description.versionHashModifier = entity.modifier
            description.renamingIdentifier = entity.former
            if let name = entity.indexed, let property = description.propertiesByName[name] {
                description.indexes = [
                    NSFetchIndexDescription(
                        name: "by_\(name)",
                        elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
                ]
            }
            made[entity.number] = description
        }
        for entity in entities {
            let children = entities.filter { $0.parent == entity.number }.compactMap { made[$0.number] }
            made[entity.number]?.subentities = children
        }
        for link in links {
            guard let owner = made[link.one.entity] else { continue }
            let destination = link.other.map(\.entity) ?? link.one.entity
            guard let target = made[destination] else { continue }
            let one = Self.description(link.one, to: target)
            owner.properties.append(one)
            if let side = link.other {
                let other = Self.description(side, to: owner)
                target.properties.append(other)
                Build.connect(one, other)
            }
        }
        let model = NSManagedObjectModel()
        model.entities = entities.compactMap { made[$0.number] }
        return model
    }

    private static func description(_ side: Side, to target: NSEntityDescription) -> NSRelationshipDescription {
        Build.toMany(side.name, target) {
            $0.maxCount = side.isToMany ? 0 : 1
            $0.isOrdered = side.isOrdered
            $0.renamingIdentifier = side.former
        }
    }

    private static func description(_ attribute: Attribute) -> NSAttributeDescription {
        Build.attribute(attribute.name, attribute.type, optional: attribute.isOptional) {
            $0.renamingIdentifier = attribute.former
            guard attribute.hasDefault else { return }
            $0.defaultValue =
                switch attribute.type {
                case .stringAttributeType: "it's"
                case .booleanAttributeType: true
                case .dateAttributeType: Date(timeIntervalSinceReferenceDate: 0.1)
                case .decimalAttributeType: NSDecimalNumber(string: "1.25")
                case .UUIDAttributeType: UUID(uuidString: "173EF017-8551-4C4E-8F0B-0123456789AB")
                case .binaryDataAttributeType: Data([0, 1, 255])
                case .doubleAttributeType, .floatAttributeType: 0.5
                default: 7
                }
        }
    }
}

/// Fills stores with objects of any model.
struct RandomObjects {
    var random: SeededRandom
    private var values = ValueSource()

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Inserts some objects of each entity, and links them with each other and with existing ones.
    mutating func insert(_ count: Int, into context: NSManagedObjectContext, _ model: PlainModel) throws {
        var made: [NSManagedObject] = []
        for entity in model.entities where !entity.isAbstract {
            for _ in 0..<count {
                let object = try context.make(entity.name)
                for attribute in entity.attributes where random.chance(70) {
                    object.setValue(values.value(for: attribute, current: nil), forKey: attribute.name)
                }
                made.append(object)
            }
        }
        for object in made {
            let entity = try #require(model[object.entity.name ?? ""])
            for relationship in entity.relationships where random.chance(70) {
                let family = try #require(model[relationship.destination]).family
                let candidates = made.filter { other in
                    model[other.entity.name ?? ""].map { family.contains($0.number) } ?? false
                }
                if !relationship.isToMany {
                    object.setValue(random.pick(candidates), forKey: relationship.name)
                } else {
                    let members = candidates.shuffled(using: &random).prefix(random.pick(4))
                    object.setValue(
                        relationship.isOrdered ? NSOrderedSet(array: Array(members)) : Set(members),
                        forKey: relationship.name)
                }
            }
        }
    }
}
