import Foundation
@testable import OpenCoreData
import SwormPredicates

/// A model with a relationship of every kind.
enum LibraryModel {
    static let author = 1
    static let book = 2
    /// Inherits from book.
    static let comic = 3
    /// Friends of friends: a relationship that is its own inverse.
    static let friend = 4
    static let page = 5
    /// Has pages without their knowing.
    static let shelf = 6
    static let tag = 7

    static let model = CompiledModel(
        entities: [
            CompiledEntity(
                number: author, name: "Author", root: author, family: author...author,
                attributes: [attribute("age", author, .integer16), attribute("name", author, .string)],
                relationships: [
                    CompiledRelationship(
                        name: "books", owner: author, destination: book, inverse: 0, isToMany: true, isOrdered: true)
                ],
                uniquenessConstraints: [["name"]], versionHash: hash(1)),
            CompiledEntity(
                number: book, name: "Book", root: book, family: book...comic, attributes: bookAttributes,
                relationships: bookRelationships, uniquenessConstraints: [["title", "year"]], versionHash: hash(2)),
            CompiledEntity(
                number: comic, name: "Comic", superentity: book, root: book, family: comic...comic,
                attributes: bookAttributes + [attribute("isColored", comic, .boolean)],
                relationships: bookRelationships, versionHash: hash(3)),
            CompiledEntity(
                number: friend, name: "Friend", root: friend, family: friend...friend,
                attributes: [attribute("name", friend, .string)],
                relationships: [
                    CompiledRelationship(
                        name: "friends", owner: friend, destination: friend, inverse: 0, isToMany: true)
                ], versionHash: hash(4)),
            CompiledEntity(
                number: page, name: "Page", root: page, family: page...page,
                attributes: [attribute("number", page, .integer32)],
                relationships: [
                    CompiledRelationship(name: "book", owner: page, destination: book, inverse: 1, isToMany: false)
                ], versionHash: hash(5)),
            CompiledEntity(
                number: shelf, name: "Shelf", root: shelf, family: shelf...shelf,
                attributes: [attribute("name", shelf, .string)],
                relationships: [
                    CompiledRelationship(name: "contents", owner: shelf, destination: page, isToMany: true)
                ],
                versionHash: hash(6)),
            CompiledEntity(
                number: tag, name: "Tag", root: tag, family: tag...tag, attributes: [attribute("name", tag, .string)],
                relationships: [
                    CompiledRelationship(name: "books", owner: tag, destination: book, inverse: 2, isToMany: true)
                ], versionHash: hash(7)),
        ], versionIdentifiers: ["1"])

    private static let bookAttributes = [
        attribute("cover", book, .binaryData, external: true), attribute("title", book, .string),
        attribute("year", book, .integer16),
    ]

    private static let bookRelationships = [
        CompiledRelationship(name: "author", owner: book, destination: author, inverse: 0, isToMany: false),
        CompiledRelationship(name: "pages", owner: book, destination: page, inverse: 0, isToMany: true),
        CompiledRelationship(
            name: "tags", owner: book, destination: tag, inverse: 0, isToMany: true, isOrdered: true),
    ]

    static func attribute(
        _ name: String, _ owner: Int, _ type: AttributeType, external: Bool = false
    ) -> CompiledAttribute {
        CompiledAttribute(name: name, owner: owner, type: type, allowsExternalStorage: external)
    }

    static func hash(_ byte: UInt8) -> Data { Data(repeating: byte, count: 32) }
}

/// A model with an attribute of every type.
enum TypesModel {
    static let model = CompiledModel(entities: [
        CompiledEntity(
            number: 1, name: "Everything", root: 1, family: 1...1,
            attributes: [
                LibraryModel.attribute("binary", 1, .binaryData), LibraryModel.attribute("boolean", 1, .boolean),
                LibraryModel.attribute("date", 1, .date), LibraryModel.attribute("decimal", 1, .decimal),
                LibraryModel.attribute("double", 1, .double),
                LibraryModel.attribute("external", 1, .binaryData, external: true),
                LibraryModel.attribute("float", 1, .float), LibraryModel.attribute("int16", 1, .integer16),
                LibraryModel.attribute("int32", 1, .integer32), LibraryModel.attribute("int64", 1, .integer64),
                LibraryModel.attribute("string", 1, .string),
                LibraryModel.attribute("transformable", 1, .transformable),
                LibraryModel.attribute("uri", 1, .uri), LibraryModel.attribute("uuid", 1, .uuid),
            ], relationships: [], versionHash: LibraryModel.hash(9))
    ])
}
