@testable import OpenCoreData
import SwormPredicates

/// A model in a few lines, compiled without the classes that describe models.
///
/// A relationship is written `name -> Destination.inverse` for a to-one, with `->>` for a to-many and `=>>` for an
/// ordered one. The inverse may be missing.
struct ModelSketch {
    struct Entity {
        var name: String
        var parent: String?
        var attributes: KeyValuePairs<String, AttributeType> = [:]
        var transient: Set<String> = []
        var external: Set<String> = []
        var relationships: [String] = []
        var unique: [[String]] = []
        var indexes: [CompiledIndex] = []
    }

    private struct Relation {
        var name: String
        var destination: String
        var inverse: String?
        var isToMany: Bool
        var isOrdered: Bool
    }

    var entities: [Entity]

    init(_ entities: [Entity]) { self.entities = entities }

    func compiled() -> CompiledModel {
        var ordered: [Entity] = []
        var last: [String: Int] = [:]
        func visit(_ parent: String?) {
            let children = entities.filter { $0.parent == parent }.sorted {
                $0.name.lowercased() < $1.name.lowercased()
            }
            for child in children {
                ordered.append(child)
                visit(child.name)
                last[child.name] = ordered.count
            }
        }
        visit(nil)
        let numbers = Dictionary(uniqueKeysWithValues: ordered.enumerated().map { ($1.name, $0 + 1) })
        var relations: [[(owner: Int, relation: Relation)]] = []
        for (index, entity) in ordered.enumerated() {
            let above = entity.parent.flatMap { numbers[$0] }.map { relations[$0 - 1] } ?? []
            let own = entity.relationships.map { Self.parse($0) }.sorted { $0.name < $1.name }
            relations.append(above + own.map { (index + 1, $0) })
        }
        var result: [CompiledEntity] = []
        for (index, entity) in ordered.enumerated() {
            let number = index + 1
            let above = entity.parent.flatMap { numbers[$0] }.map { result[$0 - 1] }
            let (attributes, composites) = Self.attributes(of: entity, number: number)
            let relationships = relations[index].map { owner, relation in
                let destination = numbers[relation.destination] ?? 0
                let inverse = relations[destination - 1].firstIndex { $0.relation.name == relation.inverse }
                return CompiledRelationship(
                    name: relation.name, owner: owner, destination: destination, inverse: inverse,
                    isToMany: relation.isToMany, isOrdered: relation.isOrdered,
                    isTransient: ordered[owner - 1].transient.contains(relation.name))
            }
            let offset = above?.attributes.count ?? 0
            result.append(
                CompiledEntity(
                    number: number, name: entity.name, superentity: above?.number, root: above?.root ?? number,
                    family: number...(last[entity.name] ?? number), attributes: (above?.attributes ?? []) + attributes,
                    relationships: relationships, composites: composites.mapValues { $0.map { $0 + offset } },
                    uniquenessConstraints: entity.unique, indexes: entity.indexes))
        }
        return CompiledModel(entities: result)
    }

    /// The leaves of a composite are written `composite.leaf`, in their order.
    private static func attributes(of entity: Entity, number: Int) -> ([CompiledAttribute], [String: [Int]]) {
        let sorted = entity.attributes.enumerated().sorted { first, second in
            let names = [first, second].map { $0.element.key.split(separator: ".")[0] }
            return names[0] < names[1] || (names[0] == names[1] && first.offset < second.offset)
        }
        var composites: [String: [Int]] = [:]
        let attributes = sorted.enumerated().map { slot, attribute in
            let (name, type) = attribute.element
            if let dot = name.firstIndex(of: ".") { composites[String(name[..<dot]), default: []].append(slot) }
            return CompiledAttribute(
                name: name, owner: number, type: type, isTransient: entity.transient.contains(name),
                allowsExternalStorage: entity.external.contains(name))
        }
        return (attributes, composites)
    }

    private static func parse(_ text: String) -> Relation {
        let parts = text.split(separator: " ").map(String.init)
        let target = parts[2].split(separator: ".").map(String.init)
        return Relation(
            name: parts[0], destination: target[0], inverse: target.count > 1 ? target[1] : nil,
            isToMany: parts[1].hasSuffix(">>"), isOrdered: parts[1].hasPrefix("="))
    }
}

extension CompiledModel {
    /// The model of a small library, with every kind of relationship.
    static let library = ModelSketch([
        .init(
            name: "Author", attributes: ["name": .string, "age": .integer32, "born": .date],
            relationships: ["books ->> Book.author", "edited ->> Book.editor"]),
        .init(
            name: "Book",
            attributes: [
                "title": .string, "year": .integer32, "price": .double, "inStock": .boolean, "rating": .integer32,
                "subtitle": .string, "published": .date, "isbn": .uuid, "cost": .decimal, "site": .uri,
                "cover": .transformable,
                "scan": .binaryData, "digest": .binaryData, "mood": .string, "size.width": .integer16,
                "size.height": .integer16,
            ], transient: ["mood"], external: ["scan"],
            relationships: [
                "author -> Author.books", "editor -> Author.edited", "chapters ->> Chapter.book", "tags ->> Tag.books",
                "sequels ->> Book.prequels", "prequels ->> Book.sequels", "similar ->> Book.similar", "notes =>> Note",
            ]),
        .init(name: "Novel", parent: "Book", attributes: ["genre": .string]),
        .init(
            name: "Chapter", attributes: ["title": .string, "pages": .integer32, "size": .integer32],
            relationships: ["book -> Book.chapters"]),
        .init(name: "Note", attributes: ["text": .string]),
        .init(name: "Tag", attributes: ["name": .string], relationships: ["books ->> Book.tags"]),
    ]).compiled()
}
