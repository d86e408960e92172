import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A model with derived attributes of every form.
enum DerivedLibrary {
    static func model() -> NSManagedObjectModel {
        let author = Build.entity(
            "Author",
            [
                Build.attribute("name"), Build.derived("plainName", .stringAttributeType, "canonical:(name)"),
                Build.derived("bookCount", .integer64AttributeType, "books.@count"),
            ])
        let book = Build.entity(
            "Book",
            [
                Build.attribute("title"), Build.derived("loud", .stringAttributeType, "uppercase:(title)"),
                Build.derived("quiet", .stringAttributeType, "lowercase:(title)"),
                Build.derived("pageCount", .integer64AttributeType, "count:(pages)"),
                Build.derived("words", .integer64AttributeType, "sum:(pages.words)"),
                Build.derived("longest", .integer32AttributeType, "pages.@max.words"),
                Build.derived("authorName", .stringAttributeType, "author.name"),
                Build.derived("tagCount", .integer16AttributeType, "count:(tags)"),
                Build.derived("tagWeight", .doubleAttributeType, "sum:(tags.weight)"),
                Build.derived("saved", .dateAttributeType, "now()"),
            ])
        let novel = Build.entity(
            "Novel",
            [Build.attribute("genre"), Build.derived("plainGenre", .stringAttributeType, "canonical:(genre)")])
        book.subentities = [novel]
        let page = Build.entity(
            "Page",
            [
                Build.attribute("words", .integer32AttributeType),
                Build.derived("writer", .stringAttributeType, "book.author.name"),
            ])
        let tag = Build.entity("Tag", [Build.attribute("weight", .doubleAttributeType)])
        let person = Build.entity("Person", [Build.derived("friendCount", .integer64AttributeType, "count:(friends)")])
        relate(Build.toMany("books", book), Build.toOne("author", author), of: author, book)
        relate(
            Build.toMany("pages", page) { $0.deleteRule = .cascadeDeleteRule }, Build.toOne("book", book), of: book,
            page)
        relate(Build.toMany("tags", tag), Build.toMany("books", book), of: book, tag)
        let friends = Build.toMany("friends", person)
        friends.inverseRelationship = friends
        person.properties.append(friends)
        return Build.model(author, book, novel, page, tag, person)
    }

    private static func relate(
        _ one: NSRelationshipDescription, _ other: NSRelationshipDescription, of first: NSEntityDescription,
        _ second: NSEntityDescription
    ) {
        Build.connect(one, other)
        first.properties.append(one)
        second.properties.append(other)
    }

    static func context(at url: URL? = nil) throws -> NSManagedObjectContext {
        GraphLibrary.context(try GraphLibrary.coordinator(at: url, model: model()))
    }
}

extension NSManagedObject {
    func number(_ key: String) -> Int? { (value(forKey: key) as? NSNumber)?.intValue }
}
