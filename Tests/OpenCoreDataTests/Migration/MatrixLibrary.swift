import Foundation

@testable import OpenCoreData
@testable import SwormStore

/// A store of a thousand objects with something of every kind that a model can have.
enum MatrixLibrary {
    /// How many objects there are of each entity.
    static let counts = [
        "Author": 100, "Book": 200, "Film": 60, "Novel": 100, "Person": 150, "Photo": 30, "Review": 250, "Shelf": 20,
        "Song": 40, "Tag": 50,
    ]

    static func model() -> NSManagedObjectModel {
        let model = GraphLibrary.model()
        let changes = OldLibrary.Changes(model: model)
        changes.add(
            Build.derived("bookCount", .integer64AttributeType, "books.@count"),
            Build.toOne("favourite", changes["Book"]), to: "Author")
        let (tags, shelves) = (
            Build.toMany("tags", changes["Tag"]) { $0.isOrdered = true }, Build.toMany("shelves", changes["Shelf"])
        )
        Build.connect(tags, shelves)
        changes.add(tags, to: "Shelf")
        changes.add(shelves, to: "Tag")
        changes["Book"].indexes = [index("byYear", on: changes.attribute("Book.year"))]
        let media = Build.entity("Media", [Build.attribute("label")])
        media.isAbstract = true
        let film = Build.entity("Film", [Build.attribute("minutes", .integer16AttributeType)])
        let song = Build.entity("Song", [Build.attribute("minutes", .doubleAttributeType)])
        media.subentities = [film, song]
        let photo = Build.entity(
            "Photo",
            [
                Build.attribute("name"),
                Build.attribute("data", .binaryDataAttributeType) { $0.allowsExternalBinaryDataStorage = true },
                Build.attribute("raw", .binaryDataAttributeType),
            ])
        changes.add(media, film, song, photo)
        return model
    }

    static func index(_ name: String, on property: NSPropertyDescription) -> NSFetchIndexDescription {
        NSFetchIndexDescription(
            name: name, elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)])
    }

    static func store() throws -> MigratedStore { try MigratedStore(model(), fill) }

    private static func fill(_ context: NSManagedObjectContext) throws {
        func make(_ entity: String, _ values: (Int) -> [String: Any]) throws -> [NSManagedObject] {
            try (0..<(counts[entity] ?? 0)).map { try context.make(entity, values($0)) }
        }
        let authors = try make("Author") { ["name": "Author \($0)", "age": $0 % 90] }
        for author in stride(from: 0, to: authors.count, by: 2) { authors[author].setValue("XYZ", forKey: "code") }
        func book(_ prefix: String, _ index: Int) -> [String: Any] {
            ["title": "\(prefix) \(index)", "isbn": "\(prefix) isbn \(index)", "year": 1900 + index % 120]
        }
        let novels = try make("Novel") { book("Novel", $0) }
        for (index, novel) in novels.enumerated() { novel.setValue("genre \(index % 7)", forKey: "genre") }
        let books = try make("Book") { book("Book", $0) } + novels
        let tags = try make("Tag") { ["name": "tag \($0)"] }
        let shelves = try make("Shelf") { ["label": "shelf \($0)"] }
        var reviews = try make("Review") { ["mark": $0 % 6] }
        for (index, book) in books.enumerated() {
            if index % 10 != 5 { book.setValue(authors[index % authors.count], forKey: "author") }
            if index % 3 != 0 { book.setValue(shelves[index % shelves.count], forKey: "shelf") }
            book.setValue(Set((0..<(index % 4)).map { tags[(index + $0) % tags.count] }), forKey: "tags")
            let own = reviews.suffix(index % 3)
            reviews.removeLast(own.count)
            // Not in the order of their keys.
            book.setValue(NSOrderedSet(array: Array(own.reversed())), forKey: "reviews")
        }
        for (index, author) in authors.enumerated() { author.setValue(books[index * 3], forKey: "favourite") }
        for (index, shelf) in shelves.enumerated() {
            let own = (0..<5).map { tags[(index * 7 + $0 * 11) % tags.count] }
            shelf.setValue(NSOrderedSet(array: own), forKey: "tags")
        }
        let people = try make("Person") { ["name": "Person \($0)"] }
        for (index, person) in people.enumerated() {
            if index % 2 == 0 { person.setValue(people[index + 1], forKey: "partner") }
            if index > 0 { person.setValue(people[index / 10], forKey: "parent") }
            person.setValue(
                Set([1, 2].map { people[(index + $0) % people.count] }), forKey: "friends")
        }
        _ = try make("Film") { ["label": "film \($0)", "minutes": 60 + $0] }
        _ = try make("Song") { ["label": "song \($0)", "minutes": 2.5 + Double($0)] }
        _ = try make("Photo") { index in
            [
                "name": "photo \(index)", "raw": Data(repeating: UInt8(index), count: 50),
                "data": Data(repeating: UInt8(index), count: index % 10 == 0 ? 150_000 : 20),
            ]
        }
    }
}
