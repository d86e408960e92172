import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Expressions in mapping models")
struct MappingExpressionTests {
    private static func fill(_ context: NSManagedObjectContext) throws {
        let verne = try context.make("Author", ["name": "Verne"])
        for (title, year) in [("Moon", 100), ("Nautilus", 200)] {
            try context.make("Book", ["title": title, "year": year, "author": verne])
        }
    }

    private func library() throws -> MigratedLibrary {
        try MigratedLibrary(
            change: { $0.add(Build.attribute("label"), Build.attribute("kind"), to: "Book") }, fill: Self.fill)
    }

    private func map(_ library: MigratedLibrary, _ expressions: [String: NSExpression]) throws -> NSMappingModel {
        let mapping = try library.mapping()
        let book = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Book" })
        for property in (book.attributeMappings ?? []) + (book.relationshipMappings ?? []) {
            if let expression = expressions[property.name ?? ""] { property.valueExpression = expression }
        }
        return mapping
    }

    @Test func `an inferred mapping contains the expressions that Core Data's contain`() throws {
        let mapping = try library().mapping()
        let book = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Book" })
        let title = book.attributeMappings?.first { $0.name == "title" }
        #expect(title?.valueExpression?.description == "$source.title")
        let author = book.relationshipMappings?.first { $0.name == "author" }
        #expect(
            author?.valueExpression?.description
                == "destinationInstancesForSourceRelationshipNamed:sourceInstances:($manager, \"author\", $source.author)"
        )
    }

    @Test func `values are computed from the old object`() throws {
        let library = try library()
        let mapping = try map(
            library,
            [
                "label": NSExpression(format: "uppercase:($source.title)"),
                "kind": NSExpression(
                    format: "TERNARY($source.year > 150, 'long', FUNCTION($source, 'valueForKeyPath:', 'author.name'))"),
                "year": NSExpression(format: "$source.year * 2"),
            ])
        try library.migrate(mapping)
        #expect(
            try library.objects("Book", "title", "label", "kind", "year", "author")
                == ["Moon MOON Verne 200 Verne", "Nautilus NAUTILUS long 400 Verne"])
    }

    @Test func `relationships are mapped by the methods of the manager`() throws {
        for format in [
            "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'IEM_Copy_Author', $source.author)",
            "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", \"author\", FUNCTION($source, \"valueForKey:\", \"author\"))",
        ] {
            let library = try library()
            try library.migrate(map(library, ["author": NSExpression(format: format)]))
            #expect(try library.objects("Book", "title", "author") == ["Moon Verne", "Nautilus Verne"])
        }
    }

    @Test func `an expression that a mapping does not support is an issue`() throws {
        let library = try library()
        let mapping = try map(
            library,
            [
                "label": NSExpression(format: "$source.title +"), "kind": NSExpression(format: "$entityPolicy.name"),
                "author": NSExpression(
                    format:
                        "FUNCTION($manager, 'destinationInstancesForEntityMappingNamed:sourceInstances:', 'X', {1, 2})"),
            ])
        let book = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Book" })
        book.sourceExpression = NSExpression(format: "FETCH(a, b, NO)")
        let error = try #require(coreDataError { try library.migrate(mapping) })
        let messages = error.details.map(\.message).joined(separator: "\n")
        #expect(error.details.count == 4, "\(messages)")
        #expect(messages.contains("'label' that is not valid: expected a value"))
        #expect(messages.contains("$entityPolicy.name") && messages.contains("$source, functions of them"))
        #expect(messages.contains("sourceExpression that is not valid") && messages.contains("TRUEPREDICATE"))
    }

    @Test func `the source expression selects old objects`() throws {
        for (condition, expected) in [
            ("TRUEPREDICATE", ["Moon", "Nautilus"]), ("year > 150", ["Nautilus"]), ("author.name == 'x'", []),
        ] {
            let library = try library()
            let mapping = try map(library, [:])
            let book = try #require(mapping.entityMappings.first { $0.sourceEntityName == "Book" })
            book.sourceExpression = NSExpression(
                format:
                    "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\" , \"Book\", %@), $manager.sourceContext, NO)",
                condition)
            try library.migrate(mapping)
            #expect(try library.objects("Book", "title") == expected)
        }
        #expect(throws: (any Error).self) { _ = try NSExpression(format: "FETCH(a, b)").tree() }
        #expect(
            coreDataError {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
                request.predicate = NSPredicate(format: "FETCH(a, b, NO) == 1")
                _ = try GraphLibrary.context().fetch(request)
            }?.message.contains("FETCH") ?? false)
    }
}
