import Foundation
import TestSupport
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A model with every kind of relationship, and stores of it.
enum GraphLibrary {
    static func model() -> NSManagedObjectModel {
        let author = Build.entity(
            "Author",
            [
                Build.attribute("name", optional: false) {
                    $0.validationRules = [.minimumLength(2), .maximumLength(20)]
                },
                Build.attribute("age", .integer16AttributeType) {
                    $0.validationRules = [.minimum(.int(0)), .maximum(.int(150))]
                },
                Build.attribute("code") { $0.validationRules = [.pattern("[A-Z]{3}")] },
            ])
        let book = Build.entity(
            "Book",
            [
                Build.attribute("title", optional: false), Build.attribute("year", .integer32AttributeType),
                Build.attribute("isbn"), Build.attribute("scratch") { $0.isTransient = true },
                Build.attribute("stock", .integer64AttributeType) { $0.defaultValue = 7 },
            ])
        book.uniquenessConstraints = [["isbn"]]
        let novel = Build.entity("Novel", [Build.attribute("genre")])
        book.subentities = [novel]
        let review = Build.entity("Review", [Build.attribute("mark", .integer16AttributeType)])
        let tag = Build.entity("Tag", [Build.attribute("name")])
        let person = Build.entity("Person", [Build.attribute("name")])
        let shelf = Build.entity("Shelf", [Build.attribute("label")])
        let books = Build.toMany("books", book)
        let bookAuthor = Build.toOne("author", author)
        Build.connect(books, bookAuthor)
        let reviews = Build.toMany("reviews", review) {
            $0.isOrdered = true
            $0.deleteRule = .cascadeDeleteRule
        }
        let reviewBook = Build.toOne("book", book)
        Build.connect(reviews, reviewBook)
        let tags = Build.toMany("tags", tag)
        let tagBooks = Build.toMany("books", book)
        Build.connect(tags, tagBooks)
        let partner = Build.toOne("partner", person)
        partner.inverseRelationship = partner
        let friends = Build.toMany("friends", person)
        let friendOf = Build.toMany("friendOf", person)
        Build.connect(friends, friendOf)
        let children = Build.toMany("children", person) { $0.deleteRule = .cascadeDeleteRule }
        let parent = Build.toOne("parent", person) { $0.deleteRule = .cascadeDeleteRule }
        Build.connect(children, parent)
        let content = Build.toMany("content", book) { $0.deleteRule = .denyDeleteRule }
        let bookShelf = Build.toOne("shelf", shelf)
        Build.connect(content, bookShelf)
        author.properties += [books]
        book.properties += [bookAuthor, reviews, tags, bookShelf]
        review.properties += [reviewBook]
        tag.properties += [tagBooks]
        person.properties += [partner, friends, friendOf, children, parent]
        shelf.properties += [content]
        return Build.model(author, book, novel, review, tag, person, shelf)
    }

    /// A coordinator with a store in memory, or at a place.
    static func coordinator(
        at url: URL? = nil, model: NSManagedObjectModel = GraphLibrary.model(), options: [AnyHashable: Any]? = nil
    ) throws -> NSPersistentStoreCoordinator {
        if url == nil, let tested = StoreUnderTest.current {
            return try tested.coordinator(of: model, options: options)
        }
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
        try coordinator.addPersistentStore(
            ofType: url == nil ? NSInMemoryStoreType : NSSQLiteStoreType, configurationName: nil, at: url,
            options: options)
        return coordinator
    }

    static func context(_ coordinator: NSPersistentStoreCoordinator) -> NSManagedObjectContext {
        let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
        context.persistentStoreCoordinator = coordinator
        return context
    }

    static func context(at url: URL? = nil) throws -> NSManagedObjectContext { context(try coordinator(at: url)) }
}

extension NSManagedObjectContext {
    /// Does something and saves.
    func with(_ work: (NSManagedObjectContext) throws -> Void) throws {
        try work(self)
        try save()
    }

    @discardableResult
    func make(_ entity: String, _ values: [String: Any] = [:]) throws -> NSManagedObject {
        _ = try #require(persistentStoreCoordinator?.managedObjectModel.entitiesByName[entity])
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: self)
        for (key, value) in values { object.setValue(value, forKey: key) }
        return object
    }

    func all(_ entity: String, _ format: String? = nil, _ arguments: Any..., sort: String? = nil) throws
        -> [NSManagedObject]
    {
        let request = NSFetchRequest<NSManagedObject>(entityName: entity)
        request.predicate = format.map { NSPredicate(format: $0, argumentArray: arguments) }
        request.sortDescriptors = sort.map { [NSSortDescriptor(key: $0, ascending: true)] }
        return try fetch(request)
    }
}

extension NSManagedObject {
    func text(_ key: String) -> String? { value(forKey: key) as? String }
    func object(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
    /// The value of an attribute as the store has it: the data of a transformable one, which no transformer converts.
    func storedValue(_ key: String, _ type: NSAttributeType) -> Any? {
        type == .transformableAttributeType ? accessedAttribute(key).value.foundationValue : value(forKeyPath: key)
    }

    /// Sets an attribute as the store has it: a transformable one to data, which no transformer converts.
    func setStoredValue(_ value: Any, _ key: String, _ type: NSAttributeType) {
        if type == .transformableAttributeType, let data = value as? Data {
            setAccessedAttribute(key, to: .data(data))
        } else {
            setValue(value, forKey: key)
        }
    }

    /// The data of a transformable attribute.
    func transformedData(_ key: String) throws -> Data {
        guard case .data(let data) = accessedAttribute(key).value else {
            throw CoreDataError(NSCoreDataError, "'\(key)' has no data.")
        }
        return data
    }
    func set(_ key: String) -> Set<NSManagedObject> { value(forKey: key) as? Set<NSManagedObject> ?? [] }
    func list(_ key: String) -> [NSManagedObject] {
        ((value(forKey: key) as? NSOrderedSet)?.array ?? []).compactMap { $0 as? NSManagedObject }
    }
}

/// The engine's own error that a piece of work throws, by itself or in a `CocoaError` with the same code and message.
func coreDataError(_ work: () throws -> Void, sourceLocation: SourceLocation = #_sourceLocation) -> CoreDataError? {
    do {
        try work()
        return nil
    } catch {
        let content = error.asCoreData
        if let thrown = error as? CocoaError {
            #expect(thrown.code.rawValue == content?.errorCode, sourceLocation: sourceLocation)
            #expect(thrown.localizedDescription == content?.message, sourceLocation: sourceLocation)
        }
        return content
    }
}

/// Expects that a public call throws a `CocoaError` with a code, as an application catches it.
func expectError(
    _ code: CocoaError.Code, sourceLocation: SourceLocation = #_sourceLocation, in work: () throws -> Void
) {
    do {
        try work()
        Issue.record("no error with the code \(code.rawValue)", sourceLocation: sourceLocation)
    } catch let error as CocoaError where error.code == code {
        // The expected error.
    } catch {
        Issue.record("not an error with the code \(code.rawValue): \(error)", sourceLocation: sourceLocation)
    }
}
