import Foundation
@testable import OpenCoreData

/// The model of the fixtures whose application built it in code: it exists nowhere but in the stores' caches and here.
///
/// An abstract root, a polymorphic to-one, a derived count, a decimal, transformables and uniqueness.
enum LibraryStoreModel {
    static let versions: [AppleModel] = [1, 2].map { version in
        AppleModel(testDescription: "the library of version \(version), built in code") { make(version) }
    }

    static func make(_ version: Int) -> NSManagedObjectModel {
        let writer = entity("Writer", [attribute("age", .integer16AttributeType)])
        writer.isAbstract = true
        let author = entity("Author", [attribute("alias", .stringAttributeType)])
        author.uniquenessConstraints = [["alias"]]
        if version == 1 { author.properties.append(attribute("siteURL", .URIAttributeType, optional: true)) }
        let count = NSDerivedAttributeDescription()
        count.name = "pagesCount"
        count.attributeType = .integer64AttributeType
        count.derivation = "count:(pages)"
        let book = entity(
            "Book",
            [
                attribute("uniqueID", .UUIDAttributeType), attribute("price", .decimalAttributeType),
                attribute("publishedAt", .dateAttributeType), attribute("title", .stringAttributeType),
                attribute(version == 1 ? "cover" : "frontCover", .transformableAttributeType), count,
            ])
        book.uniquenessConstraints = [["uniqueID"]]
        let novel = entity("GraphicNovel", [attribute("isBlackAndWhite", .booleanAttributeType, false)])
        let page = entity(
            "Page",
            [
                attribute("isBookmarked", .booleanAttributeType, false), attribute("number", .integer32AttributeType),
                attribute("content", .transformableAttributeType),
            ])
        let feedback = entity(
            "Feedback",
            [
                attribute("bookID", .UUIDAttributeType), attribute("comment", .stringAttributeType, optional: true),
                attribute("authorAlias", .stringAttributeType), attribute("rating", .doubleAttributeType),
            ])
        relate(book, "author", to: author, "books", minimum: 0, maximum: -1, optional: true)
        relate(page, "book", to: book, "pages", minimum: 1, maximum: 10_000, optional: false)
        writer.subentities = [author]
        book.subentities = [novel]
        let model = NSManagedObjectModel()
        model.entities = [author, book, feedback, novel, page, writer]
        return model
    }

    private static func entity(_ name: String, _ properties: [NSPropertyDescription]) -> NSEntityDescription {
        let entity = NSEntityDescription()
        entity.name = name
        entity.properties = properties
        return entity
    }

    private static func attribute(
        _ name: String, _ type: NSAttributeType, _ value: Any? = nil, optional: Bool = false
    ) -> NSAttributeDescription {
        let attribute = NSAttributeDescription()
        attribute.name = name
        attribute.attributeType = type
        attribute.isOptional = optional
        attribute.defaultValue = value
        return attribute
    }

    /// A required to-one, and the to-many that leads back and deletes with its owner.
    private static func relate(
        _ member: NSEntityDescription, _ name: String, to owner: NSEntityDescription,
        _ inverse: String, minimum: Int, maximum: Int, optional: Bool
    ) {
        let forth = NSRelationshipDescription()
        forth.name = name
        forth.destinationEntity = owner
        forth.minCount = 1
        forth.maxCount = 1
        forth.isOptional = false
        let back = NSRelationshipDescription()
        back.name = inverse
        back.destinationEntity = member
        back.minCount = minimum
        back.maxCount = maximum
        back.isOptional = optional
        back.deleteRule = .cascadeDeleteRule
        forth.inverseRelationship = back
        back.inverseRelationship = forth
        member.properties.append(forth)
        owner.properties.append(back)
    }
}
