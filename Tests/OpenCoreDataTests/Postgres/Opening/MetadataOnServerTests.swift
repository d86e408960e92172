#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

@Suite("PostgreSQL: metadata and removal", .enabled(if: PostgresServer.isEnabled))
struct MetadataOnServerTests {
    private let schema: String
    private let server: PostgresOptions

    init() throws {
        server = try PostgresStores.options()
        schema = server.schema
    }

    private func objects() throws -> [String?] {
        try PostgresStores.run(
            "SELECT relname::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE nspname = '\(schema)' AND relkind IN ('r', 'v') ORDER BY 1"
        )
    }

    private var hasSchema: Bool {
        get throws { try !PostgresStores.run("SELECT 1 FROM pg_namespace WHERE nspname = '\(schema)'").isEmpty }
    }

    @Test func `metadata of a store that is not open are read and set`() throws {
        let store = try PostgresStores.store(of: BookshopModel.model, at: server)
        let (type, url) = (SwormPostgreSQLStoreType, server.url)
        typealias Coordinator = NSPersistentStoreCoordinator
        let before = try Coordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(before as NSDictionary == store.metadata as NSDictionary)
        let new: [String: Any] = ["color": "red", NSStoreUUIDKey: "other", "list": [1, Data([2])] as [Any]]
        try Coordinator.setMetadata(new, forPersistentStoreOfType: type, at: url)
        let after = try Coordinator.metadataForPersistentStore(ofType: type, at: url)
        #expect(after["color"] as? String == "red" && after[NSStoreUUIDKey] as? String == store.identifier)
        #expect((after["list"] as? [Any])?.count == 2)
        #expect(try PostgresStores.store(of: BookshopModel.model, at: server).metadata["color"] as? String == "red")
        #expect(throws: CocoaError.self) {
            try Coordinator.setMetadata(["x": NSObject()], forPersistentStoreOfType: type, at: url)
        }
    }

    @Test func `a value of the metadata is replaced in one transaction`() throws {
        let store = try PostgresStores.store(of: BookshopModel.model, at: server)
        let other = try PostgresStores.store(of: BookshopModel.model, at: server)
        try store.updateMetadata(forKey: "count") { ($0 as? Int ?? 0) + 1 }
        try other.updateMetadata(forKey: "count") { ($0 as? Int ?? 0) + 1 }
        let session = try store.beginSession()
        #expect(try session.metadataValue(forKey: "count") as? Int == 2)
        try other.updateMetadata(forKey: "count") { _ in nil }
        #expect(try session.metadataValue(forKey: "count") as? Int == 2)
        session.end()
        let later = try store.beginSession()
        #expect(try later.metadataValue(forKey: "count") == nil)
        later.end()
        struct Refusal: Error {}
        #expect(throws: Refusal.self) { try store.updateMetadata(forKey: "count") { _ in throw Refusal() } }
        var options = StoreOptions()
        options.isReadOnly = true
        let reader = try PostgresStores.store(of: BookshopModel.model, at: server, options)
        let error = #expect(throws: CoreDataError.self) { try reader.updateMetadata(forKey: "count") { _ in 1 } }
        #expect(error?.condition == .readOnly)
    }

    @Test func `a missing store has no metadata`() throws {
        let error = #expect(throws: CocoaError.self) {
            try NSPersistentStoreCoordinator.metadataForPersistentStore(
                ofType: SwormPostgreSQLStoreType, at: server.url)
        }
        #expect(error?.code == .fileReadNoSuchFile)
    }

    @Test func `a store is removed with its schema`() throws {
        let coordinator = try PostgresStores.coordinator(of: NSManagedObjectModel(), at: server)
        #expect(throws: CocoaError.self) { try coordinator.destroyPersistentStore(at: server.url, type: .postgreSQL) }
        try coordinator.remove(try #require(coordinator.persistentStores.first))
        try coordinator.destroyPersistentStore(at: server.url, type: .postgreSQL)
        #expect(try !hasSchema)
        // A missing store is ignored.
        try coordinator.destroyPersistentStore(at: server.url, type: .postgreSQL)
    }

    @Test func `a schema that existed before stays`() throws {
        try PostgresStores.run("CREATE SCHEMA \(schema)")
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        try destroy()
        #expect(try objects().isEmpty && hasSchema)
        let functions = try PostgresStores.run("SELECT 1 FROM pg_proc WHERE pronamespace = '\(schema)'::regnamespace")
        #expect(functions.isEmpty)
    }

    @Test func `a store beside other objects is removed only by force, and they stay`() throws {
        _ = try PostgresStores.store(of: BookshopModel.model, at: server)
        try PostgresStores.run("CREATE TABLE \(schema).own (id bigserial, mood text)")
        try PostgresStores.run("CREATE VIEW \(schema).titles AS SELECT title FROM \(schema).\"Book\"")
        try PostgresStores.run("CREATE TYPE \(schema).color AS ENUM ('red')")
        let before = try objects()
        let error = #expect(throws: CocoaError.self) { try destroy() }
        let message = error?.localizedDescription ?? ""
        for name in ["the table \"own\"", "the view \"titles\"", "the type \"color\""] {
            #expect(message.contains(name), "\(message)")
        }
        #expect(!message.contains("own_id_seq") && !message.contains("Book"))
        #expect(try objects() == before)
        try destroy(isForced: true)
        #expect(try objects() == ["own"] && hasSchema)
    }

    @Test func `a schema without a store is not removed`() throws {
        try PostgresStores.run("CREATE SCHEMA \(schema)")
        try PostgresStores.run("CREATE TABLE \(schema).own (id int)")
        for isForced in [false, true] { #expect(throws: CocoaError.self) { try destroy(isForced: isForced) } }
        #expect(try objects() == ["own"])
    }

    private func destroy(isForced: Bool = false) throws {
        try NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel()).destroyPersistentStore(
            at: server.url, type: .postgreSQL, options: [NSPersistentStoreForceDestroyOption: isForced])
    }

    @Test func `operations for files are rejected`() throws {
        let coordinator = try PostgresStores.coordinator(of: NSManagedObjectModel(), at: server)
        let store = try #require(coordinator.persistentStores.first)
        let other = try PostgresStores.options()
        let error = #expect(throws: CocoaError.self) {
            try coordinator.replacePersistentStore(
                at: other.url, withPersistentStoreFrom: server.url, type: .postgreSQL)
        }
        #expect(error?.code == .persistentStoreInvalidType, "\(String(describing: error))")
        #expect(!coordinator.setURL(other.url, for: store) && coordinator.persistentStores == [store])
    }

    @Test func `a store moves to another schema, into a file and into memory`() throws {
        let coordinator = try PostgresStores.coordinator(of: ReadingModel.make(), at: server)
        let context = GraphLibrary.context(coordinator)
        _ = try ReadingModel.fill(context)
        try context.save()
        let (other, folder) = (try PostgresStores.options(), try StoreFolder())
        let file = folder.url("Moved.sqlite")
        var store = try #require(coordinator.persistentStores.first)
        let before = try contents(of: coordinator)
        #expect(before.count == 46)
        for (url, type) in [
            (other.url, .postgreSQL), (file, .sqlite), (file, .inMemory),
        ] as [(URL, NSPersistentStore.StoreType)] {
            let moved = try coordinator.migratePersistentStore(store, to: url, type: type)
            #expect(coordinator.persistentStores == [moved] && moved.type == type.rawValue)
            #expect(moved.identifier != store.identifier)
            #expect(try Set(contents(of: coordinator)).symmetricDifference(before) == [], "\(type)")
            store = moved
        }
        // The store stays at its former URL, where no other one can be moved to.
        #expect(throws: CocoaError.self) {
            try coordinator.migratePersistentStore(store, to: server.url, type: .postgreSQL)
        }
        #expect(coordinator.persistentStores == [store])
        let opened = try PostgresStores.coordinator(of: ReadingModel.make(), at: server)
        #expect(try Set(contents(of: opened)).symmetricDifference(before) == [])
        let copied = try #require(opened.persistentStores.first)
        try opened.migratePersistentStore(copied, to: folder.url("Memory"), type: .inMemory)
        #expect(try Set(contents(of: opened)).symmetricDifference(before) == [])
    }

    /// Returns a line for each object of a coordinator's stores, with its values and the names of related objects.
    private func contents(of coordinator: NSPersistentStoreCoordinator) throws -> [String] {
        let context = GraphLibrary.context(coordinator)
        return try ["Person", "Book", "Tag"].flatMap { entity in
            try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity)).map { object in
                let values = object.entity.attributesByName.keys.sorted().map { name in
                    let value = object.value(forKey: name)
                    // A dictionary has no order.
                    let parts = (value as? [String: Any]).map { "\($0.sorted { $0.key < $1.key })" }
                    return "\(name) \((value as? Data)?.base64EncodedString() ?? parts ?? "\(value ?? "-")")"
                }
                let links = object.entity.relationshipsByName.keys.sorted().map { name in
                    let value = object.value(forKey: name)
                    let members = (value as? NSOrderedSet)?.array as? [NSManagedObject]
                    let set = (value as? Set<NSManagedObject>)?.map { "\($0.objectID.reference.key)" }.sorted()
                    let one = (value as? NSManagedObject).map { "\($0.objectID.reference.key)" }
                    return "\(name) \(members?.map { "\($0.objectID.reference.key)" } ?? set ?? one.map { [$0] } ?? [])"
                }
                return (["\(object.entity.name ?? "") \(object.objectID.reference.key)"] + values + links)
                    .joined(separator: "; ")
            }
        }.sorted()
    }

    @Test func `a coordinator knows a store by its URL without secrets`() throws {
        let coordinator = NSPersistentStoreCoordinator(managedObjectModel: NSManagedObjectModel())
        let plain = server.url.absoluteString
        let user = try PostgresServer.shared().user
        let url = try #require(
            URL(string: plain.replacing("postgres://\(user)@", with: "postgres://\(user):s3cret@") + "&connections=2"))
        let store = try coordinator.addPersistentStore(type: .postgreSQL, at: url)
        #expect(store.url == server.url && !(store.url?.absoluteString.contains("s3cret") ?? true))
        #expect((store.objectStore as? PostgresStore)?.serverOptions.address.connections == 2)
        #expect(coordinator.persistentStore(for: server.url) === store)
        #expect(coordinator.persistentStore(for: try PostgresStores.options().url) == nil)
        let error = #expect(throws: CocoaError.self) { try coordinator.addPersistentStore(type: .postgreSQL, at: url) }
        #expect(error?.localizedDescription.contains("already open") == true)
        #expect(error?.localizedDescription.contains("s3cret") == false)
    }

    @Test func `stores over the same tables hear of each other's commits, by whichever address`() throws {
        let one = try PostgresStores.store(of: BookshopModel.model, at: server)
        let host = try PostgresServer.shared().folder.path
        let user = try PostgresServer.shared().user
        let address = try PostgresOptions(
            "host=\(host),/nowhere port=5432 user=\(user) dbname=postgres schema=\(schema)")
        let other = try PostgresStores.store(of: BookshopModel.model, at: address)
        let third = try PostgresStores.store(of: BookshopModel.model)
        #expect(one.commits === other.commits && one.commits !== third.commits)
        let heard = Locked(0)
        let end = one.listen(concerning: nil) { _ in heard.withLock { $0 += 1 } }
        other.commits.willCommit()
        other.commits.willCommit()
        #expect(one.isCommitting)
        other.commits.announce(.unknown)
        #expect(one.isCommitting && heard.withLock { $0 } == 1)
        other.commits.didNotCommit()
        #expect(!one.isCommitting)
        end()
        other.commits.announce(.unknown)
        #expect(heard.withLock { $0 } == 1)
    }
}
#endif
