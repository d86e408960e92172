#if PostgreSQL
import Foundation
import SwormPredicates

@testable import OpenCoreData
@testable import SwormStore

/// A model with required attributes, defaults, unique values, indexes and links of all kinds.
enum BookshopModel {
    static let model = compiled()

    /// Returns the model with further attributes of its books, and other version hashes of the entities with that name.
    static func compiled(
        _ more: [CompiledAttribute] = [], hash: UInt8 = 2, others: [CompiledEntity] = []
    ) -> CompiledModel {
        let attributes: [CompiledAttribute] = [
            attribute("cover", .binaryData, external: true),
            attribute("inStock", .boolean, required: true, .bool(true)),
            attribute("isbn", .uuid, required: true), attribute("price", .decimal), attribute("published", .date),
            attribute("title", .string, required: true), attribute("year", .integer32, required: true, .int(-5)),
        ]
        let year = ExpressionTree.path(["year"])
        let book = CompiledEntity(
            number: 2, name: "Book", root: 2, family: 2...3, attributes: attributes + more,
            relationships: relationships, uniquenessConstraints: [["isbn"]],
            indexes: [
                CompiledIndex(kind: .flag, name: "title", elements: [.property("title", ascending: true)]),
                CompiledIndex(
                    kind: .fetchIndex, name: "recent",
                    elements: [.property("year", ascending: false), .property("title", ascending: true)],
                    predicate: .and([
                        .comparison(Comparison(year, by: .greater, with: .value(.int(2000)))),
                        .comparison(Comparison(.path(["inStock"]), by: .equal, with: .value(.bool(true)))),
                    ])),
                CompiledIndex(
                    kind: .fetchIndex, name: "rhymes", elements: [.property("year", ascending: true)],
                    predicate: .comparison(
                        Comparison(.path(["title"]), by: .endsWith, with: .value(.string("house"))))),
            ], versionHash: LibraryModel.hash(hash))
        let novel = CompiledEntity(
            number: 3, name: "Novel", superentity: 2, root: 2, family: 3...3,
            attributes: attributes + more
                + [
                    CompiledAttribute(
                        name: "genre", owner: 3, type: .string, isOptional: false, defaultValue: .string("none"))
                ],
            relationships: relationships, versionHash: LibraryModel.hash(3))
        return CompiledModel(
            entities: [
                CompiledEntity(
                    number: 1, name: "Author", root: 1, family: 1...1,
                    attributes: [CompiledAttribute(name: "name", owner: 1, type: .string, isOptional: false)],
                    relationships: [
                        CompiledRelationship(
                            name: "books", owner: 1, destination: 2, inverse: 0, isToMany: true, isOrdered: true)
                    ], versionHash: LibraryModel.hash(1)), book, novel,
                CompiledEntity(
                    number: 4, name: "Tag", root: 4, family: 4...4,
                    attributes: [CompiledAttribute(name: "name", owner: 4, type: .string)],
                    relationships: [
                        CompiledRelationship(name: "books", owner: 4, destination: 2, inverse: 2, isToMany: true)
                    ], versionHash: LibraryModel.hash(4)),
            ] + others)
    }

    static func attribute(
        _ name: String, _ type: AttributeType, required: Bool = false, _ value: AttributeValue = .null,
        external: Bool = false
    ) -> CompiledAttribute {
        CompiledAttribute(
            name: name, owner: 2, type: type, isOptional: !required, allowsExternalStorage: external,
            defaultValue: value)
    }

    private static let relationships = [
        CompiledRelationship(name: "author", owner: 2, destination: 1, inverse: 0, isToMany: false),
        CompiledRelationship(name: "sequel", owner: 2, destination: 2, isToMany: false),
        CompiledRelationship(name: "tags", owner: 2, destination: 4, inverse: 0, isToMany: true),
    ]
}
#endif
