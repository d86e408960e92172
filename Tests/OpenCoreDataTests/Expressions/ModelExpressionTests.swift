import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Expressions in models", .overEachStore)
struct ModelExpressionTests {
    private func derived(_ expression: NSExpression?) -> NSDerivedAttributeDescription {
        let derived = NSDerivedAttributeDescription()
        (derived.name, derived.attributeType) = ("d", .stringAttributeType)
        derived.derivationExpression = expression
        return derived
    }

    /// Every form, as an expression and as models contain it.
    private static var forms: [(NSExpression, String)] {
        let name = NSExpression(forKeyPath: "name")
        return [
            (NSExpression(forKeyPath: "author.name"), "author.name"),
            (NSExpression(format: "books.@count"), "books.@count"),
            (NSExpression(format: "count:(books)"), "count:(books)"),
            (NSExpression(format: "count(books)"), "count:(books)"),
            (NSExpression(forFunction: "canonical:", arguments: [name]), "canonical:(name)"),
            (NSExpression(format: "uppercase:(name)"), "uppercase:(name)"),
            (NSExpression(forFunction: "lowercase:", arguments: [name]), "lowercase:(name)"),
            (NSExpression(format: "books.@sum.year"), "books.@sum.year"), (NSExpression(format: "now()"), "now()"),
            (NSExpression(forFunction: "now", arguments: []), "now()"),
            (NSExpression(format: "sum:(pages.words)"), "sum:(pages.words)"),
        ]
    }

    @Test func `a derivation is the text that models contain, in either direction`() throws {
        for (expression, text) in Self.forms {
            let attribute = derived(expression)
            #expect(attribute.derivation == text)
            #expect(attribute.derivationExpression === expression)
            let read = Build.derived("d", .stringAttributeType, text)
            #expect(read.derivationExpression?.description == text)
            #expect(read.versionHash == attribute.versionHash, "\(text)")
            let copy = try #require(attribute.copy() as? NSDerivedAttributeDescription)
            #expect(copy.derivationExpression?.description == text)
        }
        // A text of a form that is no expression stays as it is.
        #expect(Build.derived("d", .stringAttributeType, "a.b.@sum").derivationExpression?.description == "a.b.@sum")
        #expect(derived(nil).derivationExpression == nil)
    }

    @Test func `the store computes attributes of expressions`() throws {
        let author = Build.entity("Author", [Build.attribute("name")])
        let book = Build.entity("Book", [Build.attribute("title")])
        let (books, owner) = (Build.toMany("books", book), Build.toOne("author", author))
        Build.connect(books, owner)
        func add(_ name: String, _ type: NSAttributeType, _ expression: NSExpression, to entity: NSEntityDescription) {
            let attribute = derived(expression)
            (attribute.name, attribute.attributeType) = (name, type)
            entity.properties.append(attribute)
        }
        author.properties.append(books)
        book.properties.append(owner)
        add("bookCount", .integer64AttributeType, NSExpression(format: "books.@count"), to: author)
        add(
            "plainName", .stringAttributeType,
            NSExpression(forFunction: "canonical:", arguments: [NSExpression(forKeyPath: "name")]), to: author)
        add("authorName", .stringAttributeType, NSExpression(forKeyPath: "author.name"), to: book)
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(author, book)))
        let leo = try context.make("Author", ["name": "Léo"])
        let war = try context.make("Book", ["title": "War", "author": leo])
        try context.save()
        #expect(leo.number("bookCount") == 1 && leo.text("plainName") == "leo" && war.text("authorName") == "Léo")
    }

    @Test func `an error in a derivation is an issue of the model`() throws {
        let attribute = derived(NSExpression(format: "name +"))
        #expect(attribute.derivation == nil && attribute.derivationExpression != nil)
        let entity = Build.entity("A", [Build.attribute("name"), attribute])
        let found = issues(of: Build.model(entity))
        #expect(
            found.count == 1 && found[0].contains("'A.d' cannot be parsed") && found[0].contains("expected a value"))
        attribute.derivationExpression = NSExpression(forKeyPath: "name")
        #expect(
            issues(
                of: Build.model(
                    Build.entity("A", [Build.attribute("name"), derived(NSExpression(forKeyPath: "name"))]))) == [])
        let missing = Build.entity("B", [derived(nil)])
        #expect(issues(of: Build.model(missing)).first?.contains("no derivation expression") ?? false)
    }

    @Test func `an element of an index is a key, the object or its entity`() throws {
        func element(_ expression: NSExpression) -> NSFetchIndexElementDescription {
            let property = NSExpressionDescription()
            (property.name, property.expression) = ("e", expression)
            return NSFetchIndexElementDescription(property: property, collationType: .binary)
        }
        #expect(element(NSExpression(forKeyPath: "name")).target == .property("name"))
        #expect(element(.expressionForEvaluatedObject()).target == .primaryKey)
        #expect(element(NSExpression(forKeyPath: "self")).target == .primaryKey)
        #expect(element(NSExpression(forKeyPath: "entity")).propertyName == "entity")
        let entity = Build.entity("A", [Build.attribute("name")])
        let index = NSFetchIndexDescription(
            name: "byName",
            elements: [element(NSExpression(forKeyPath: "entity")), element(NSExpression(forKeyPath: "name"))])
        entity.indexes = [index]
        #expect(issues(of: Build.model(entity)) == [])
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(entity)))
        try context.make("A", ["name": "x"])
        try context.save()
        let lower = Build.entity("A", [Build.attribute("name")])
        lower.indexes = [
            NSFetchIndexDescription(name: "i", elements: [element(NSExpression(format: "lowercase:(name)"))])
        ]
        #expect(issues(of: Build.model(lower)).first?.contains("'lowercase:(name)', which is not a property") ?? false)
    }
}
