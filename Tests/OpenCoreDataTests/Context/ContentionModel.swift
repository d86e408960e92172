import Foundation
import SwormSQLite
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A model with every kind of relationship and every delete rule, and the check of its stores.
enum ContentionModel {
    static func model() -> NSManagedObjectModel {
        let author = Build.entity("Author", [Build.attribute("name")])
        let book = Build.entity("Book", [Build.attribute("name")])
        book.subentities = [Build.entity("Novel")]
        let review = Build.entity("Review", [Build.attribute("name")])
        let tag = Build.entity("Tag", [Build.attribute("name")])
        let shelf = Build.entity("Shelf", [Build.attribute("name")])
        let person = Build.entity("Person", [Build.attribute("name")])
        let card = Build.entity("Card", [Build.attribute("name", optional: false) { $0.defaultValue = "new" }])
        connect(Build.toMany("books", book), of: author, Build.toOne("author", author), of: book)
        connect(
            Build.toMany("reviews", review) {
                $0.isOrdered = true
                $0.deleteRule = .cascadeDeleteRule
            }, of: book,
            Build.toOne("book", book) {
                $0.isOptional = false
                $0.minCount = 1
            }, of: review)
        connect(Build.toMany("tags", tag), of: book, Build.toMany("books", book), of: tag)
        connect(
            Build.toMany("content", book) { $0.deleteRule = .denyDeleteRule }, of: shelf, Build.toOne("shelf", shelf),
            of: book)
        connect(
            Build.toMany("row", book) { $0.isOrdered = true }, of: tag,
            Build.toMany("rows", tag) { $0.isOrdered = true }, of: book)
        connect(
            Build.toMany("children", person) {
                $0.isOrdered = true
                $0.deleteRule = .cascadeDeleteRule
            }, of: person, Build.toOne("parent", person), of: person)
        let partner = Build.toOne("partner", person)
        partner.inverseRelationship = partner
        person.properties.append(partner)
        connect(
            Build.toOne("card", card) { $0.deleteRule = .cascadeDeleteRule }, of: person,
            Build.toOne("holder", person) {
                $0.isOptional = false
                $0.minCount = 1
            }, of: card)
        shelf.properties.append(Build.toMany("cards", card) { $0.isOrdered = true })
        connect(
            Build.toMany("led", person) { $0.deleteRule = .cascadeDeleteRule }, of: tag,
            Build.toMany("leaders", tag), of: person)
        connect(
            Build.toMany("guests", person) { $0.deleteRule = .denyDeleteRule }, of: shelf,
            Build.toMany("hosts", shelf), of: person)
        tag.properties.append(Build.toMany("cards", card) { $0.deleteRule = .cascadeDeleteRule })
        author.properties.append(Build.toMany("cards", card) { $0.deleteRule = .denyDeleteRule })
        return Build.model(author, book, book.subentities[0], review, tag, shelf, person, card)
    }

    private static func connect(
        _ one: NSRelationshipDescription, of first: NSEntityDescription, _ other: NSRelationshipDescription,
        of second: NSEntityDescription
    ) {
        Build.connect(one, other)
        first.properties.append(one)
        second.properties.append(other)
    }

    /// What is wrong with a store: against the rules of Core Data's files, and against what the model requires.
    static func issues(at url: URL) throws -> [String] {
        var issues = try StoreVerification.issues(of: url, model: try model().compiled())
        let connection = try Connection(.file(path: url.path), options: .init(busyTimeout: 0.3))
        for (table, column) in [("ZREVIEW", "ZBOOK"), ("ZCARD", "ZHOLDER"), ("ZCARD", "ZNAME")] {
            let lacking = try connection.lines("SELECT Z_PK FROM \(table) WHERE \(column) IS NULL")
            if !lacking.isEmpty { issues.append("\(table) \(lacking): \(column) is required and missing") }
        }
        return issues
    }

    static let policies: [NSMergePolicyType] = [
        .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType,
    ]
}
