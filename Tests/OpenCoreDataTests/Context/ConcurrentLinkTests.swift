import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("Links that two contexts change at once", .overEachStore)
struct ConcurrentLinkTests {
    static let policies: [NSMergePolicy] = [
        .error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
    ]

    /// What the file says against the rules of Core Data's files.
    private func issues(_ url: URL) throws -> [String] {
        try StoreVerification.issues(of: url, model: try GraphLibrary.model().compiled())
    }

    /// A number for every choice of a few.
    private static func choices(_ count: Int, of kinds: Int) -> [[Int]] {
        (0..<count).reduce([[]]) { known, _ in known.flatMap { start in (0..<kinds).map { start + [$0] } } }
    }

    @Test(arguments: policies)
    func `pairs stay pairs, in whatever order they are moved`(policy: NSMergePolicy) throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let names = ["a", "b", "c", "d"]
        let first = GraphLibrary.context(coordinator)
        for name in names { try first.make("Person", ["name": name]) }
        try first.save()
        func people(_ context: NSManagedObjectContext) throws -> [NSManagedObject] {
            try context.all("Person", sort: "name")
        }
        // No one, b, c or d becomes the partner of a: at the beginning, by one context, and by the other.
        for choice in Self.choices(3, of: 4) {
            let start = try people(first)
            for person in start { person.setValue(nil, forKey: "partner") }
            if choice[0] > 0 { start[0].setValue(start[choice[0]], forKey: "partner") }
            try first.save()
            let second = GraphLibrary.context(coordinator)
            second.mergePolicy = policy
            let mine = try people(second)
            for person in mine { _ = person.object("partner") }
            start[0].setValue(choice[1] > 0 ? start[choice[1]] : nil, forKey: "partner")
            try first.save()
            mine[0].setValue(choice[2] > 0 ? mine[choice[2]] : nil, forKey: "partner")
            _ = coreDataError { try second.save() }
            let reader = GraphLibrary.context(coordinator)
            let stored = try people(reader)
            for person in stored {
                guard let partner = person.object("partner") else { continue }
                #expect(partner.object("partner") === person, "\(choice): \(person.text("name") ?? "")")
            }
            if !second.hasChanges, choice[2] != choice[0] {
                #expect(
                    mine.map { $0.object("partner")?.text("name") } == stored.map { $0.object("partner")?.text("name") }
                )
            }
            first.refreshAllObjects()
        }
        #expect(try issues(folder.url()) == [])
    }

    /// What leads to an object that another context deletes meanwhile.
    enum Link: CaseIterable { case toOne, changed, toMany, manyToMany, inserted }

    @Test(arguments: policies, Link.allCases)
    func `no link points to an object that another context has deleted`(policy: NSMergePolicy, link: Link) throws {
        let folder = try StoreFolder()
        let coordinator = try GraphLibrary.coordinator(at: folder.url())
        let first = GraphLibrary.context(coordinator)
        let leo = try first.make("Author", ["name": "Leo"])
        let tag = try first.make("Tag", ["name": "old"])
        let book = try first.make("Book", ["title": "War"])
        if link == .changed { book.setValue(leo, forKey: "author") }
        try first.save()
        let second = GraphLibrary.context(coordinator)
        second.mergePolicy = policy
        let mine = try second.existingObject(with: book.objectID)
        let author = try second.existingObject(with: leo.objectID)
        let label = try second.existingObject(with: tag.objectID)
        first.delete(leo)
        first.delete(tag)
        try first.save()
        switch link {
        case .toOne: mine.setValue(author, forKey: "author")
        case .changed: mine.setValue("Peace", forKey: "title")
        case .toMany: author.setValue(Set([mine]), forKey: "books")
        case .manyToMany: mine.setValue(Set([label]), forKey: "tags")
        case .inserted: try second.make("Book", ["title": "new", "author": author])
        }
        let error = coreDataError { try second.save() }
        #expect((error == nil) == (policy.mergeType != .errorMergePolicyType))
        if let error {
            #expect(error.errorCode == NSManagedObjectMergeError, "\(error)")
            #expect(error.message.contains(link == .manyToMany ? "Tag" : link == .changed ? "Book" : "Author"))
        }
        #expect(try issues(folder.url()) == [])
        let reader = GraphLibrary.context(coordinator)
        let found = try #require(try reader.all("Book", "title IN {'War', 'Peace'}").first)
        if error == nil, link == .toOne || link == .toMany {
            let winning: [NSMergePolicyType] = [.overwriteMergePolicyType, .mergeByPropertyObjectTrumpMergePolicyType]
            let wins = winning.contains(policy.mergeType)
            #expect(found.object("author")?.text("name") == (wins ? "Leo" : nil))
            #expect(mine.object("author")?.text("name") == (wins ? "Leo" : nil))
        }
    }
}
