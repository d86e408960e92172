import TestSupport
import Foundation
import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

/// A random model: what a generator of rows and predicates needs to know of it, and the model itself.
struct RandomModel {
    struct Attribute {
        /// The name; for a leaf of a composite, with the name of the composite before a dot.
        var name: String
        var type: NSAttributeType
        /// The expression from which the value is derived; nil for a value that is set.
        var derivation: String?
        /// The paths of the properties from which the value is derived.
        var sources: [[String]] = []
    }

    struct Relation {
        var name: String
        var destination: Int
        var isToMany: Bool
        var isOrdered: Bool
        /// Whether it has no inverse. The members of such a to-many relationship have one owner at most.
        var isOneWay = false
    }

    struct Entity {
        var name: String
        var parent: Int?
        var attributes: [Attribute] = []
        var relations: [Relation] = []
    }

    /// An attribute of every entity, different in every row.
    static let identifier = "uid"
    /// An attribute of every entity that no predicate looks at.
    static let unrelated = "remark"

    static let types: [NSAttributeType] = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .doubleAttributeType,
        .floatAttributeType, .decimalAttributeType, .stringAttributeType, .stringAttributeType,
        .booleanAttributeType, .dateAttributeType, .binaryDataAttributeType, .UUIDAttributeType, .URIAttributeType,
    ]

    private(set) var entities: [Entity] = []
    private var inverses: [(one: (Int, String), other: (Int, String))] = []
    private var counter = 0

    /// - Parameter isRich: Whether entities have derived and composite attributes too.
    init(_ random: inout SeededRandom, isRich: Bool = false) {
        for number in 0..<(1 + random.pick(4)) {
            let parent = number > 0 && random.chance(35) ? random.pick(number) : nil
            var entity = Entity(name: "E\(number)", parent: parent)
            if parent == nil {
                entity.attributes = [
                    Attribute(name: Self.identifier, type: .integer32AttributeType),
                    Attribute(name: Self.unrelated, type: .stringAttributeType),
                ]
            }
            for _ in 0..<(2 + random.pick(5)) {
                let type = random.pick(Self.types) ?? .stringAttributeType
                entity.attributes.append(Attribute(name: name("a", &random), type: type))
            }
            entities.append(entity)
        }
        for _ in 0..<(1 + random.pick(entities.count + 3)) { addRelation(&random) }
        guard isRich else { return }
        for entity in entities.indices where random.chance(40) { addComposite(to: entity, &random) }
        for entity in entities.indices {
            for _ in 0..<random.pick(4) { addDerived(to: entity, &random) }
        }
    }

    /// A new name, some of which are words of the language.
    private mutating func name(_ letter: String, _ random: inout SeededRandom) -> String {
        defer { counter += 1 }
        let words = ["size", "first", "in", "any", "größe", "like"]
        return counter < words.count && random.chance(15) ? words[counter] : "\(letter)\(counter)"
    }

    private mutating func addRelation(_ random: inout SeededRandom) {
        let (from, to) = (random.pick(entities.count), random.pick(entities.count))
        func relation(_ name: String, _ destination: Int, _ isToMany: Bool, ordered: Bool = false) -> Relation {
            Relation(name: name, destination: destination, isToMany: isToMany, isOrdered: ordered)
        }
        let (one, other) = (name("r", &random), name("r", &random))
        let ordered = random.chance(30)
        switch random.pick(9) {
        case 0, 1, 2:
            entities[from].relations.append(relation(one, to, true, ordered: ordered))
            entities[to].relations.append(relation(other, from, false))
        case 3, 4:
            entities[from].relations.append(relation(one, to, true, ordered: ordered))
            entities[to].relations.append(relation(other, from, true, ordered: random.chance(20)))
        case 5:
            entities[from].relations.append(relation(one, to, false))
            entities[to].relations.append(relation(other, from, false))
        case 6:
            entities[from].relations.append(relation(one, to, random.chance(50)))
            entities[from].relations[entities[from].relations.count - 1].isOneWay = true
            return
        case 7:
            // To many of the same kind, the same both ways.
            entities[from].relations.append(relation(one, from, true))
            inverses.append(((from, one), (from, one)))
            return
        default:
            entities[from].relations.append(relation(one, from, false))
            inverses.append(((from, one), (from, one)))
            return
        }
        inverses.append(((from, one), (to, other)))
    }

    private mutating func addComposite(to entity: Int, _ random: inout SeededRandom) {
        let name = name("c", &random)
        for leaf in ["x", "y"] {
            let type = random.pick(Self.types) ?? .stringAttributeType
            entities[entity].attributes.append(Attribute(name: "\(name).\(leaf)", type: type))
        }
    }

    private mutating func addDerived(to entity: Int, _ random: inout SeededRandom) {
        func stored(_ entity: Int) -> [Attribute] { attributes(entity).filter { $0.derivation == nil } }
        var found: [Attribute] = [
            Attribute(
                name: "", type: .dateAttributeType, derivation: "now()",
                sources: (stored(entity).map(\.name) + relations(entity).map(\.name)).map { [$0] })
        ]
        for attribute in stored(entity) where attribute.type == .stringAttributeType {
            found.append(
                Attribute(
                    name: "", type: attribute.type, derivation: "canonical:(\(attribute.name))",
                    sources: [[attribute.name]]))
        }
        for relation in relations(entity) where !relation.isOneWay {
            if relation.isToMany {
                found.append(
                    Attribute(
                        name: "", type: .integer64AttributeType, derivation: "\(relation.name).@count",
                        sources: [[relation.name]]))
            }
            for attribute in stored(relation.destination) where !relation.isToMany || attribute.type.isSmall {
                let path = [relation.name, attribute.name]
                found.append(
                    Attribute(
                        name: "", type: relation.isToMany ? .integer64AttributeType : attribute.type,
                        derivation: relation.isToMany ? "sum:(\(path[0]).\(path[1]))" : "\(path[0]).\(path[1])",
                        sources: [path]))
            }
        }
        guard var attribute = random.pick(found) else { return }
        attribute.name = name("d", &random)
        entities[entity].attributes.append(attribute)
    }

    // MARK: Asking

    func lineage(_ entity: Int) -> [Int] {
        var result = [entity]
        while let parent = entities[result[0]].parent { result.insert(parent, at: 0) }
        return result
    }

    func attributes(_ entity: Int) -> [Attribute] {
        lineage(entity).flatMap { entities[$0].attributes }.filter { $0.name != Self.unrelated }
    }

    func relations(_ entity: Int) -> [Relation] { lineage(entity).flatMap { entities[$0].relations } }

    /// The entity and those that descend from it.
    func family(_ entity: Int) -> [Int] { entities.indices.filter { lineage($0).contains(entity) } }

    // MARK: The model itself

    func make() -> NSManagedObjectModel {
        let descriptions = entities.map { entity in
            Build.entity(entity.name, Self.make(entity.attributes))
        }
        var made: [String: NSRelationshipDescription] = [:]
        for (number, entity) in entities.enumerated() {
            for relation in entity.relations {
                let destination = descriptions[relation.destination]
                let description =
                    relation.isToMany
                    ? Build.toMany(relation.name, destination) { $0.isOrdered = relation.isOrdered }
                    : Build.toOne(relation.name, destination)
                description.isOptional = true
                made["\(number).\(relation.name)"] = description
                descriptions[number].properties += [description]
            }
        }
        for (one, other) in inverses {
            guard let first = made["\(one.0).\(one.1)"], let second = made["\(other.0).\(other.1)"] else { continue }
            Build.connect(first, second)
        }
        for (number, entity) in entities.enumerated() {
            if let parent = entity.parent { descriptions[parent].subentities.append(descriptions[number]) }
        }
        let model = NSManagedObjectModel()
        model.entities = descriptions
        return model
    }

    private static func make(_ attributes: [Attribute]) -> [NSPropertyDescription] {
        var properties: [NSPropertyDescription] = []
        var composites: [(name: String, leaves: [NSAttributeDescription])] = []
        for attribute in attributes {
            let parts = attribute.name.split(separator: ".").map(String.init)
            if let derivation = attribute.derivation {
                properties.append(Build.derived(attribute.name, attribute.type, derivation))
            } else if parts.count == 1 {
                properties.append(Build.attribute(attribute.name, attribute.type))
            } else {
                if composites.last?.name != parts[0] { composites.append((parts[0], [])) }
                composites[composites.count - 1].leaves.append(Build.attribute(parts[1], attribute.type))
            }
        }
        return properties + composites.map { Build.composite($0.name, $0.leaves) }
    }
}

extension NSAttributeType {
    /// Whether sums of a few values do not overflow.
    fileprivate var isSmall: Bool { self == .integer16AttributeType || self == .integer32AttributeType }
}
