#if PostgreSQL
package import Foundation
package import SwormPostgres

/// The options for opening a store on a server, beside those of all stores.
package struct PostgresOptions: Sendable {
    /// The changes of a store's tables that opening it may make.
    package enum SchemaChanges: Sendable, Hashable {
        /// None: a missing store is an error, and so is one with another model.
        case never
        /// Those that keep the tables usable for programs with the older model.
        case additive
        /// All that a migration needs.
        case all
    }

    /// How dates are stored unless an attribute determines it.
    package enum Dates: Sendable, Hashable {
        /// `timestamptz`, rounded to the microsecond.
        case timestamps
        /// As doubles, the seconds since 2001.
        case doubles
    }

    package var address: PostgresAddress
    /// The schema that has all tables and functions of the store.
    package var schema: String
    package var changes = SchemaChanges.additive
    package var dates = Dates.timestamps
    /// Whether the store keeps a history that has the changes of other programs too, by triggers.
    package var recordsOtherPrograms = false
    /// Whether triggers raise the versions of rows that other programs change.
    package var raisesForeignVersions = false
    /// Whether conditions without an exact form on the server are rejected instead of being evaluated in memory.
    package var refusesEvaluationInMemory = false
    /// The clock of migrations.
    package var clock: any MigrationClock = SystemMigrationClock()

    package init(address: PostgresAddress, schema: String) {
        self.address = address
        self.schema = schema
    }
}

extension PostgresOptions {
    /// Creates the options of a store from its URL. A password that is not in the URL is looked up in the ways of libpq.
    ///
    /// - Throws: ``CoreDataError``, which contains no part of the URL.
    package init(url: URL) throws {
        try self.init(url.absoluteString)
    }

    /// Creates the options of a store from an address as a URI or in libpq's keyword form.
    ///
    /// - Throws: ``CoreDataError``, which contains no part of the text.
    package init(_ text: String) throws {
        do {
            let address = try PostgresAddress(text)
            self.init(address: address, schema: address.schema)
        } catch {
            throw CoreDataError(NSPersistentStoreOpenError, "Cannot open the store: \(error.message).", cause: error)
        }
    }

    /// The store in messages: the address without secrets, and the schema.
    package var place: String { "\(address) (schema \(schema))" }

    /// The URL by which a coordinator knows the store, without the password and the parameters of the connection.
    package var url: URL {
        var address = address
        var query: [String] = []
        func add(_ name: String, value: String) {
            let allowed = CharacterSet.alphanumerics.union(["-", "_", ".", "~"])
            query.append("\(name)=\(value.addingPercentEncoding(withAllowedCharacters: allowed) ?? "")")
        }
        if address.hosts.count > 1 {
            // A URL has one host.
            add(
                "host", value: address.hosts.map { $0.name.isEmpty ? $0.address ?? "" : $0.name }.joined(separator: ",")
            )
            if address.hosts.contains(where: { $0.port != nil }) {
                add("port", value: address.hosts.map { $0.port.map(String.init) ?? "" }.joined(separator: ","))
            }
            address.hosts = []
        }
        add("schema", value: schema)
        // All parts are encoded, so that the text is a URL.
        return URL(string: "\(address)?\(query.joined(separator: "&"))") ?? URL(filePath: "/dev/null")
    }

    /// Throws an error for a schema that no server can have.
    func check() throws {
        let reason: String? =
            if schema.isEmpty {
                "its name is empty"
            } else if schema.utf8.count > 63 {
                "its name is longer than 63 bytes, and a server would cut it"
            } else if schema.utf8.contains(0) {
                "its name contains U+0000"
            } else if schema.hasPrefix("pg_") || schema == "information_schema" {
                "the name is reserved for the server's own tables"
            } else {
                nil
            }
        guard let reason else { return }
        throw CoreDataError(
            NSPersistentStoreOpenError, "The schema '\(schema)' cannot have a store: \(reason). Choose another name.")
    }

    /// Runs a closure and translates the errors of the driver.
    func translating<Result>(while action: String, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ServerError {
            throw CoreDataError(error, while: action, place: place)
        }
    }
}

/// Options of a store on a server as a value of a dictionary of options.
///
/// @unchecked: the superclass has no state, and the options are Sendable.
package final class PostgresOptionsBox: NSObject, @unchecked Sendable {
    package let options: PostgresOptions

    package init(_ options: PostgresOptions) { self.options = options }

    // The options of a store are printed by applications.
    package override var description: String { options.place }
}
#endif
