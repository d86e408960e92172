import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Differences from Core Data")
struct CoreDataDifferencesTests {
    @Test func `a refused value and an unknown key are thrown by the next save`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "a"])
        try context.save()
        book.setValue("no number", forKey: "year")
        #expect(coreDataError { try context.save() }?.key == "year")
        context.rollback()
        book.setValue(1, forKey: "nothing")
        #expect(book.value(forKey: "nothing") == nil)
        #expect(coreDataError { try context.save() }?.message.contains("nothing") ?? false)
        context.rollback()
        book.setValue(1900, forKey: "year")
        try context.save()
    }

    @Test func `an ordered set from an accessor shows members it was not changed by only in part`() throws {
        let context = try GraphLibrary.context()
        let book = try context.make("Book", ["title": "a"])
        let reviews = try (1...3).map { try context.make("Review", ["mark": $0]) }
        let accessor = book.mutableOrderedSetValue(forKey: "reviews")
        accessor.add(reviews[0])
        #expect(accessor.array.count == 1)
        book.setValue(NSOrderedSet(array: reviews), forKey: "reviews")
        #expect(accessor.count == 3)
        #expect(accessor.object(at: 2) as? NSManagedObject === reviews[2])
        #expect(accessor.array.count == 1)
        #expect(book.mutableOrderedSetValue(forKey: "reviews").array.count == 3)
    }

    @Test func `an object whose to-many changed keeps its version, and is no conflict`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let one = GraphLibrary.context(coordinator)
        let author = try one.make("Author", ["name": "Leo"])
        let book = try one.make("Book", ["title": "a"])
        try one.save()
        let other = GraphLibrary.context(coordinator)
        let same = try other.existingObject(with: author.objectID)
        #expect(same.text("name") == "Leo")
        book.setValue(author, forKey: "author")
        try one.save()
        same.setValue("Leo N.", forKey: "name")
        try other.save()
        one.refreshAllObjects()
        #expect(author.text("name") == "Leo N.")
        #expect(author.set("books") == [book])
    }

    @Test func `the default transformer has values of property list classes, and of no others`() throws {
        let entity = Build.entity("Thing", [Build.attribute("value", .transformableAttributeType)])
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(entity)))
        let thing = try context.make("Thing", ["value": Data([1, 2, 3])])
        try context.save()
        context.refreshAllObjects()
        #expect(thing.value(forKey: "value") as? Data == Data([1, 2, 3]))
        thing.setValue(["a": [URL(fileURLWithPath: "/")]], forKey: "value")
        try context.save()
        thing.setValue([thing], forKey: "value")
        let error = coreDataError { try context.save() }
        #expect(error?.key == "value" && error?.message.contains("property list class") ?? false)
    }

    @Test func `without an order objects come in the order of their keys, unsaved ones behind`() throws {
        let coordinator = try GraphLibrary.coordinator()
        let writer = GraphLibrary.context(coordinator)
        for name in ["c", "a", "b"] {
            try writer.make("Tag", ["name": name])
            try writer.save()
        }
        let context = GraphLibrary.context(coordinator)
        try context.make("Tag", ["name": "0"])
        #expect(try context.all("Tag").map { $0.text("name") } == ["c", "a", "b", "0"])
    }

    @Test(arguments: [
        NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
        .overwriteMergePolicyType, .rollbackMergePolicyType, .errorMergePolicyType,
    ])
    func `an update that takes another's unique value is an error under every policy`(policy: NSMergePolicyType) throws
    {
        let context = try GraphLibrary.context()
        context.mergePolicy = NSMergePolicy(merge: policy)
        try context.make("Book", ["title": "a", "isbn": "1"])
        let book = try context.make("Book", ["title": "b", "isbn": "2"])
        try context.save()
        book.setValue("1", forKey: "isbn")
        #expect(coreDataError { try context.save() }?.message.contains("isbn") ?? false)
    }

    @Test func `a predicate made from a closure cannot be used in a fetch`() throws {
        let context = try GraphLibrary.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate { _, _ in true }
        #expect(coreDataError { _ = try context.fetch(request) }?.message.contains("closure") ?? false)
        request.predicate = NSCompoundPredicate(andPredicateWithSubpredicates: [
            NSPredicate(value: true), NSPredicate(format: "title == %@", argumentArray: ["a"]),
        ])
        #expect(try context.fetch(request).isEmpty)
    }

    @Test func `a mistake in a format is thrown by the fetch that uses it`() throws {
        let context = try GraphLibrary.context()
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        request.predicate = NSPredicate(format: "title >=< %@", argumentArray: ["a"])
        expectError(.coreData) { _ = try context.fetch(request) }
        request.predicate = NSPredicate(format: "titel == %@", argumentArray: ["a"])
        expectError(.coreData) { _ = try context.fetch(request) }
    }

    @Test func `a store of the in-memory type keeps unique values unique`() throws {
        let coordinator = try GraphLibrary.coordinator()
        try GraphLibrary.context(coordinator).with { try $0.make("Book", ["title": "a", "isbn": "1"]) }
        expectError(.managedObjectConstraintMerge) {
            try GraphLibrary.context(coordinator).with { try $0.make("Book", ["title": "b", "isbn": "1"]) }
        }
    }

    @Test func `a number that is none is refused`() throws {
        let entity = Build.entity("Thing", [Build.attribute("value", .doubleAttributeType)])
        let context = GraphLibrary.context(try GraphLibrary.coordinator(model: Build.model(entity)))
        let thing = try context.make("Thing", ["value": Double.nan])
        #expect(coreDataError { try context.save() }?.key == "value")
        thing.setValue(Double.infinity, forKey: "value")
        try context.save()
    }

    @Test func `a refreshed object reads its row again`() throws {
        let coordinator = try GraphLibrary.coordinator()
        try GraphLibrary.context(coordinator).with { try $0.make("Book", ["title": "a"]) }
        let context = GraphLibrary.context(coordinator)
        context.stalenessInterval = 3600
        let book = try #require(try context.all("Book").first)
        #expect(book.value(forKey: "year") == nil)
        try GraphLibrary.context(coordinator).with { other in
            for book in try other.all("Book") { book.setValue(1900, forKey: "year") }
        }
        context.refresh(book, mergeChanges: false)
        #expect(book.value(forKey: "year") as? Int == 1900)
    }

    @Test func `a comparison with a missing value holds for neither, saved or not`() throws {
        let context = try GraphLibrary.context()
        try context.make("Book", ["title": "a"])
        try context.make("Book", ["title": "b", "year": 1900])
        for _ in 0..<2 {
            #expect(try context.all("Book", "year > %@", 1800).map { $0.text("title") } == ["b"])
            #expect(try context.all("Book", "NOT (year > %@)", 1800).isEmpty)
            #expect(try context.all("Book", "year != %@", 1800).map { $0.text("title") } == ["b"])
            #expect(try context.all("Book", "year == nil").map { $0.text("title") } == ["a"])
            try context.save()
        }
    }
}
