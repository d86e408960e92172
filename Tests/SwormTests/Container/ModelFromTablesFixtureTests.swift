import Foundation
import Sworm
import Testing

/// Tables of types for stores that Apple's framework wrote.
private enum Written {
    struct BookmarkEntity: ManagedObjectConvertible {
        var isFolder = false
        var isPendingDeletion: Bool? = false
        var lastChildren: String?
        var modifiedAt: Date?
        var title: String?
        var url: String?
        var uuid = ""
        static let attributes: Set<Attribute<BookmarkEntity>> = [
            .init(\.isFolder, "isFolder"),
            .init(\.isPendingDeletion, "isPendingDeletion", .indexed, .hashModifier("3")),
            .init(\.lastChildren, "lastChildrenPayloadReceivedFromSync"),
            .init(\.modifiedAt, "modifiedAt"), .init(\.title, "title"), .init(\.url, "url", .hashModifier("3")),
            .init(\.uuid, "uuid", .hashModifier("3")),
        ]
        struct Relations: Sendable {
            let children: ToManyOrderedRelation<BookmarkEntity> = .init("children", deleteRule: .cascade)
            let parent = ToOneRelation<BookmarkEntity>("parent", inverse: \.children)
            let favorites: ToManyOrderedRelation<BookmarkEntity> = .init("favorites")
            let favoriteFolders = ToManyRelation<BookmarkEntity>(
                "favoriteFolders", inverse: \.favorites, .renamed(from: "favoriteFolder"))
        }
        static let relations = Relations()
        static let fetchIndexes: [FetchIndex<BookmarkEntity>] = [
            .init("byUUID", \.uuid, \.isPendingDeletion), .init("byURL", \.url, \.isPendingDeletion),
        ]
    }

    struct JournalEntry: ManagedObjectConvertible {
        var date: Date?
        var height: String?
        var location: String?
        var period: String?
        var rating: Int16? = 0
        var wind: String?
        static let attributes: Set<Attribute<JournalEntry>> = [
            .init(\.date, "date"), .init(\.height, "height"), .init(\.location, "location"), .init(\.period, "period"),
            .init(\.rating, "rating"), .init(\.wind, "wind"),
        ]
    }

    struct User: ManagedObjectConvertible {
        var name = ""
        var petName: String?
        static let attributes: Set<Attribute<User>> = [.init(\.name, "name"), .init(\.petName, "petName")]
    }
}

@Suite(
    "Tables for stores that Apple's framework wrote",
    .enabled(if: ModelFixture.folder != nil, "there are no fixtures, which SWORM_FIXTURES says"))
struct ModelFromTablesFixtureTests {
    /// Opens a store by tables alone; the store refuses a model with other hashes.
    private func open(
        _ path: String, _ type: any ManagedObjectConvertible.Type
    ) throws -> PersistentContainer {
        let file = try #require(ModelFixture.folder).appendingPathComponent(path)
        return try PersistentContainer(for: type, at: .readOnly(file))
    }

    @Test func `tables alone open a store with self relations and ordered ones`() throws {
        let store = try open("ddg-bookmarks/Bookmarks_V5.sqlite", Written.BookmarkEntity.self)
        try store.perform { context in
            let all = try context.fetch(Written.BookmarkEntity.all)
            let decoded = try context.decode(Written.BookmarkEntity.all)
            #expect(!all.isEmpty && decoded.count == all.count)
            for folder in all {
                for child in folder.children { #expect(child.parent == folder) }
                for favorite in folder.favorites { #expect(favorite.favoriteFolders.contains(folder)) }
            }
        }
    }

    @Test func `tables alone open a store of one entity`() throws {
        let store = try open("surfjournal/SurfJournalModel.sqlite", Written.JournalEntry.self)
        let entries = try store.perform { try $0.decode(Written.JournalEntry.all) }
        #expect(try entries.count == store.perform { try $0.count(of: Written.JournalEntry.all) })
        #expect(entries.contains { $0.location?.isEmpty == false })
    }

    @Test func `tables alone open a store of the first of three versions`() throws {
        let store = try open("coredataplus-sm3/SampleModel3_V1.sqlite", Written.User.self)
        let names = try store.perform { try $0.decode(Written.User.all) }.map(\.name)
        #expect(!names.isEmpty && !names.contains(""))
    }

    @Test(.enabled(if: ModelFixture.readsSources, "Core Data reads compiled models only"))
    func `a matching model file is accepted, and one of another version is rejected with its difference`() throws {
        let folder = try #require(ModelFixture.folder).appendingPathComponent("coredataplus-sm3")
        let versions = folder.appendingPathComponent("SampleModel3.xcdatamodeld")
        let store = folder.appendingPathComponent("SampleModel3_V1.sqlite")
        _ = try PersistentContainer(
            modelFile: versions.appendingPathComponent("SampleModel3.xcdatamodel"), checking: Written.User.self,
            at: .readOnly(store))
        let third = versions.appendingPathComponent("SampleModel3_v3.xcdatamodel")
        let contract = storeError {
            try PersistentContainer(modelFile: third, checking: Written.User.self, at: .readOnly(store))
        }
        #expect(contract?.code == .contractViolation)
        #expect(contract?.attribute == "petName")
        let version = storeError { try PersistentContainer(modelFile: third, at: .readOnly(store)) }
        #expect(version?.code == .incompatibleModel)
    }
}
