import Foundation

@testable import OpenCoreData

/// Books with a section key, and authors.
enum ShopModel {
    static func model() -> NSManagedObjectModel {
        let author = Build.entity("Author", [Build.attribute("name")])
        let book = Build.entity(
            "Book",
            [
                Build.attribute("title"), Build.attribute("year", .integer64AttributeType), Build.attribute("genre"),
                Build.attribute("note"), Build.attribute("initial") { $0.isTransient = true },
            ])
        let novel = Build.entity("Novel")
        book.subentities = [novel]
        let (books, bookAuthor) = (Build.toMany("books", book), Build.toOne("author", author))
        Build.connect(books, bookAuthor)
        author.properties += [books]
        book.properties += [bookAuthor]
        return Build.model(author, book, novel)
    }

    static func coordinator() throws -> NSPersistentStoreCoordinator { try GraphLibrary.coordinator(model: model()) }

    static func render(_ book: NSManagedObject) -> String {
        ["title", "year", "genre", "note"].map { "\(book.value(forKey: $0) ?? "-")" }.joined(separator: " ")
    }

    static func controller(
        _ context: NSManagedObjectContext, _ format: String? = nil, sorts: [String], sections: String? = nil,
        _ configure: (NSFetchRequest<NSManagedObject>) -> Void = { _ in }
    ) -> NSFetchedResultsController<NSManagedObject> {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: []) }
        request.sortDescriptors = sorts.map { key in
            NSSortDescriptor(key: key.hasPrefix("-") ? String(key.dropFirst()) : key, ascending: !key.hasPrefix("-"))
        }
        configure(request)
        return NSFetchedResultsController(
            fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: sections, cacheName: "cache")
    }
}
