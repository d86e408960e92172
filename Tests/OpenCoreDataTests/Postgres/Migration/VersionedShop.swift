#if PostgreSQL
import Foundation
import SwormPredicates
import TestSupport

@testable import OpenCoreData
@testable import SwormStore

/// A model of a shop in several versions.
final class VersionedShop {
    var entities: [NSEntityDescription]
    let author = Build.entity("Author", [Build.attribute("name", optional: false)])
    let book = Build.entity("Book")
    let tag = Build.entity("Tag", [Build.attribute("label")])

    /// The first version.
    init() {
        entities = [author, book, tag]
        book.properties = [
            Build.attribute("title", optional: false),
            Build.attribute("year", .integer32AttributeType, optional: false) { $0.defaultValue = -5 },
            Build.attribute("price", .decimalAttributeType), Build.attribute("note"),
            Build.attribute("published", .dateAttributeType),
        ]
        let (books, bookAuthor) = (Build.toMany("books", book) { $0.isOrdered = true }, Build.toOne("author", author))
        let (tags, tagged) = (Build.toMany("tags", tag), Build.toMany("books", book))
        Build.connect(books, bookAuthor)
        Build.connect(tags, tagged)
        author.properties += [books]
        book.properties += [bookAuthor, tags]
        tag.properties += [tagged]
    }

    /// Returns a version that a closure has changed.
    static func version(_ change: (VersionedShop) -> Void = { _ in }) -> NSManagedObjectModel {
        let shop = VersionedShop()
        change(shop)
        let model = NSManagedObjectModel()
        model.entities = shop.entities
        return model
    }

    func attribute(_ name: String, of entity: NSEntityDescription? = nil) -> NSAttributeDescription {
        (entity ?? book).attributesByName[name] ?? NSAttributeDescription()
    }

    func relationship(_ name: String, of entity: NSEntityDescription? = nil) -> NSRelationshipDescription {
        (entity ?? book).relationshipsByName[name] ?? NSRelationshipDescription()
    }

    /// Gives a property another name, by which the old one is found.
    func rename(_ property: NSPropertyDescription, to name: String) {
        property.renamingIdentifier = property.name
        property.name = name
    }

    func remove(_ name: String, of entity: NSEntityDescription? = nil) {
        (entity ?? book).properties.removeAll { $0.name == name }
    }

    func index(_ name: String, of entity: NSEntityDescription? = nil) {
        let property = attribute(name, of: entity)
        (entity ?? book).indexes.append(
            NSFetchIndexDescription(
                name: "by\(name.capitalized)",
                elements: [NSFetchIndexElementDescription(property: property, collationType: .binary)]))
    }
}

/// The clock of migrations in tests, whose pauses call a closure instead of waiting.
final class PausedClock: MigrationClock {
    private let pauses = Locked<[Duration]>([])
    private let time: Locked<ContinuousClock.Instant>
    private let action: @Sendable (Int) -> Void

    /// - Parameter action: Gets the number of the pause, from 1 on.
    init(_ action: @escaping @Sendable (Int) -> Void) {
        time = Locked(.now)
        self.action = action
    }

    var now: ContinuousClock.Instant { time.withLock { $0 } }
    var durations: [Duration] { pauses.withLock { $0 } }

    func pause(for duration: Duration) {
        time.withLock { $0 = $0.advanced(by: duration) }
        action(
            pauses.withLock { pauses in
                pauses.append(duration)
                return pauses.count
            })
    }
}

extension PostgresStores {
    /// A database of the tests of migrations. An index that is created without a lock waits for all transactions of its
    /// database.
    private static let migrationDatabase = Result {
        try run("CREATE DATABASE migrations TEMPLATE template0")
        return "migrations"
    }

    /// Returns the options of a store in a new schema of a database without other tests.
    static func migrationServer() throws -> PostgresOptions {
        try options(schema: PostgresServer.shared().newSchema(), database: migrationDatabase.get())
    }

    /// Returns the options of a store in that database whose connections have a name.
    static func migrationServer(schema: String, applicationName name: String) throws -> PostgresOptions {
        let server = try PostgresServer.shared()
        return try PostgresOptions(
            "host=\(server.folder.path) port=\(server.port) user=\(server.user) dbname=\(migrationDatabase.get()) schema=\(schema) application_name='\(name)'"
        )
    }

    @discardableResult
    static func runMigrated(_ sql: String) throws -> [String?] { try run(sql, database: migrationDatabase.get()) }

    /// Returns the options for opening a store with a model, and for migrating it.
    static func migrationOptions(_ model: NSManagedObjectModel, timeout: Double = 60) throws -> StoreOptions {
        var options = StoreOptions()
        options.busyTimeout = timeout
        let cache = try model.storeCache()
        options.modelCache = cache
        options.serverMapping = { try ModelMapping.inferred(fromCache: $0, toCache: cache) }
        return options
    }

    /// Opens a store with a model, and migrates it as far as the options allow.
    static func store(
        _ model: NSManagedObjectModel, at server: PostgresOptions, timeout: Double = 60
    ) throws -> PostgresStore {
        try store(of: model.compiled(), at: server, migrationOptions(model, timeout: timeout))
    }

    static func state(of server: PostgresOptions) throws -> ServerMigrationState {
        let text =
            try runMigrated("SELECT migration::text FROM \(SQLName.alwaysQuoted(server.schema))._sworm")[0] ?? "{}"
        return try JSONDecoder().decode(ServerMigrationState.self, from: Data(text.utf8))
    }
}
#endif
