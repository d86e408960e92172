import Foundation
import OpenCoreData
import SwormStore

/// The address of a store on a server as an operand. It may contain a password, which no message shows.
enum ServerOperand {
    /// Returns whether an operand is an address, and not a path.
    static func isAddress(_ operand: String) -> Bool {
        ["postgres://", "postgresql://"].contains { operand.lowercased().hasPrefix($0) }
    }

    /// Returns an operand as messages may show it.
    static func shown(_ operand: String) -> String {
        guard isAddress(operand) else { return operand }
        #if PostgreSQL
        if let options = try? PostgresOptions(operand) { return options.place }
        #endif
        return "the address of a server"
    }

    #if PostgreSQL
    /// Returns the options of the store at an address.
    static func options(_ operand: String) throws -> PostgresOptions { try PostgresOptions(operand) }

    /// Returns the model of a store on a server.
    ///
    /// - Parameter option: The model that the user names; nil for the copy in the store.
    /// - Returns: The model, and a description of its source for the user.
    static func model(
        of server: PostgresOptions, option: URL?
    ) throws -> (model: NSManagedObjectModel, source: String) {
        let (archive, hashes) = try PostgresMigrations.model(of: server, options: StoreOptions())
        if let option { return try StoreModelChoice.model(hashes: hashes, of: "'\(server.place)'", option: option) }
        guard let archive else {
            throw ToolError(
                .modelNeeded, "'\(server.place)' has no copy of its model", hint: "name the model: --model PATH")
        }
        return (
            try StoredModel.model(inCache: archive, source: "The model cache of '\(server.place)'").model,
            "the store's own copy"
        )
    }
    #else
    static var unavailable: ToolError {
        ToolError(
            .usage, "this sworm-tool is built without stores on PostgreSQL servers",
            hint: "build it with the trait PostgreSQL: swift build --traits PostgreSQL")
    }
    #endif

    /// Throws an error for an address, where only a file can be named.
    static func refuse(_ operand: String) throws {
        guard isAddress(operand) else { return }
        throw ToolError(
            .usage, "\(shown(operand)) is a store on a server, and this command works on files only",
            hint: "copy the store into a file first: sworm-tool copy ADDRESS Copy.sqlite")
    }
}
