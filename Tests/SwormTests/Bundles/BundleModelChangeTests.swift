import Foundation
@testable import Sworm
import TestSupport
import Testing

/// Two versions of a model: the second has more attributes, and lacks an entity.
enum OlderModel {
    struct Note: Sendable { var number = 0; var text = "" }
    struct Label: Sendable { var number = 0 }
}

extension OlderModel.Note: ManagedObjectConvertible {
    static let entityName = "Note"
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number", .unique), .init(\.text, "text")]
}

extension OlderModel.Label: ManagedObjectConvertible {
    static let entityName = "Label"
    static let attributes: Set<Attribute<Self>> = [.init(\.number, "number", .unique)]
}

enum NewerModel {
    struct Note: Equatable, Sendable {
        var number = 0
        var text = ""
        var color: String?
        var rank = 3
    }
}

extension NewerModel.Note: ManagedObjectConvertible {
    static let entityName = "Note"
    static let attributes: Set<Attribute<Self>> = [
        .init(\.number, "number", .unique), .init(\.text, "text"), .init(\.color, "color"), .init(\.rank, "rank"),
    ]
}

@Suite("Bundles of stores with different models, copies and clocks")
struct BundleModelChangeTests {
    private let folder: StoreFolder

    init() throws { folder = try StoreFolder() }

    private func first(_ location: StoreLocation = .memory) throws -> PersistentContainer {
        try PersistentContainer(
            for: OlderModel.Note.self, OlderModel.Label.self, BundleRecord.self, at: location, history: true)
    }

    private func second(_ location: StoreLocation = .memory) throws -> PersistentContainer {
        try PersistentContainer(for: NewerModel.Note.self, BundleRecord.self, at: location, history: true)
    }

    /// Migrates a store to the newer model.
    private func migrate(_ url: URL) throws {
        let coordinator = NSPersistentStoreCoordinator(
            managedObjectModel: try NSManagedObjectModel(tables: NewerModel.Note.self, BundleRecord.self))
        let store = try coordinator.addPersistentStore(
            ofType: NSSQLiteStoreType, configurationName: nil, at: url,
            options: [
                NSMigratePersistentStoresAutomaticallyOption: true, NSInferMappingModelAutomaticallyOption: true,
                NSPersistentHistoryTrackingKey: NSNumber(value: true),
            ])
        try coordinator.remove(store)
    }

    @Test func `an object from an older model is inserted with the default values of newer attributes`() throws {
        let (old, new, third) = (try first(), try second(), try second())
        try old.perform { _ = try $0.insert(OlderModel.Note(number: 1, text: "old")) }
        let data = try JSONEncoder().encode(try #require(try old.changeBundle()))
        for store in [new, third] { try store.apply(JSONDecoder().decode(ChangeBundle.self, from: data)) }
        let all = NewerModel.Note.all
        #expect(try new.read { try $0.decode(all) } == [NewerModel.Note(number: 1, text: "old", color: nil, rank: 3)])
        try new.perform { try $0.fetchOne(all)?.encode(\.rank, 9) }
        try third.apply(#require(try new.changeBundle()))
        #expect(try third.read { try $0.decode(all) } == [NewerModel.Note(number: 1, text: "old", color: nil, rank: 9)])
    }

    @Test func `records of an entity that the model has no more do not disturb the other ones`() throws {
        let location = StoreLocation.file(folder.url.appending(path: "Store.sqlite"))
        let old = try first(location)
        try old.perform { context in
            for number in 1...3 {
                _ = try context.insert(OlderModel.Note(number: number, text: "a"))
                _ = try context.insert(OlderModel.Label(number: number))
            }
        }
        let bundle = try #require(try old.changeBundle())
        try old.close()
        try migrate(folder.url.appending(path: "Store.sqlite"))
        let store = try second(location)
        try store.perform { try $0.fetchOne(NewerModel.Note.all.where { $0.number == 2 })?.encode(\.text, "b") }
        let later = try #require(try store.changeBundle(after: bundle.number))
        #expect(later.transactions.flatMap(\.changes).contains { $0.attributes["text"] == .string("b") })
        #expect(try !store.changeSnapshot().transactions.isEmpty)
        try store.noteChangesForBundles()
        let other = try second()
        try other.apply(store.changeSnapshot())
        #expect(try other.read { try $0.decode(NewerModel.Note.all.sort(\.number)).map(\.text) } == ["a", "b", "a"])
    }

    @Test func `a store that was replaced by an older copy is noticed`() throws {
        let url = folder.url.appending(path: "Store.sqlite")
        let copy = url.deletingLastPathComponent().appending(path: "copy.sqlite")
        let other = try Exchange.store()
        var store = try Exchange.store(at: .file(url))
        func write(_ number: Int) throws { try store.perform { _ = try $0.insert(Exchange.Tag(word: "\(number)")) } }
        try write(1)
        try other.apply(#require(try store.changeBundle()))
        try store.close()
        try FileManager.default.copyItem(at: url, to: copy)
        store = try Exchange.store(at: .file(url))
        let sent = try store.bundlePosition().number
        for number in 2...4 { try write(number) }
        try other.apply(#require(try store.changeBundle(after: sent)))
        try other.perform { _ = try $0.insert(Exchange.Tag(word: "other")) }
        try store.close()
        // The backup, with other changes since.
        store = try Exchange.store(at: .file(copy))
        try write(5)
        let bundle = try #require(try other.changeBundle())
        #expect(throws: StoreError.Code.bundleMissing) { try store.apply(bundle) }
        #expect(throws: StoreError.Code.bundleMissing) { try store.apply(other.changeSnapshot()) }
        try store.resetChangeBundles()
        try store.apply(other.changeSnapshot())
        try other.apply(#require(try store.changeBundle()))
        #expect(try Exchange.content(of: store) == Exchange.content(of: other))
        #expect(try Exchange.content(of: store).count == 6)
    }

    @Test func `keys that differ in their code units only are different objects`() throws {
        let (one, other) = (try Exchange.store(), try Exchange.store())
        try one.perform { context in
            _ = try context.insert(Exchange.Author(name: "\u{E9}", rank: 1))
            _ = try context.insert(Exchange.Author(name: "e\u{301}", rank: 2))
        }
        let bundle = try #require(try one.changeBundle())
        try other.apply(JSONDecoder().decode(ChangeBundle.self, from: JSONEncoder().encode(bundle)))
        #expect(try other.read { try $0.decode(Exchange.Author.all.sort(\.rank)).map(\.rank) } == [1, 2])
    }

    @Test func `a store whose clock was far ahead reports it when it creates a bundle`() throws {
        let store = try Exchange.store()
        let future = Date(timeIntervalSinceNow: 400 * 86_400)
        _ = try store.apply(Exchange.tick(1, time: future), policy: .laterWins, now: future)
        try store.perform { _ = try $0.insert(Exchange.Tag(word: "a")) }
        #expect(throws: StoreError.Code.invalidBundle) { try store.changeBundle() }
        #expect(throws: StoreError.Code.invalidBundle) { try store.changeSnapshot() }
        try store.resetChangeBundles()
        let other = try Exchange.store()
        try other.apply(#require(try store.changeBundle()))
        #expect(try Exchange.content(of: other) == Exchange.content(of: store))
    }
}
