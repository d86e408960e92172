import Foundation
import OpenCoreData
import SwormStore

/// A search for the model that a store was written with. All commands use it.
enum StoreModelChoice {
    /// The option that names a model, for the option tables of the commands.
    static let option = OptionSpec(
        "model", value: "PATH",
        summary: "The model that the store was written with: an .xcdatamodeld, .xcdatamodel, .momd or .mom. "
            + "Of several versions, the matching one is used. The default is the copy in the store.")

    /// Returns the model of a store.
    ///
    /// - Parameters:
    ///   - store: The file of the store.
    ///   - option: The model that the user names; nil for none.
    /// - Returns: The model, and a description of its source for the user.
    /// - Throws: ``ToolError`` with the code `modelMismatch` if the given model has no version for the store.
    static func model(
        for store: URL, option: URL?
    ) throws -> (model: NSManagedObjectModel, source: String) {
        guard let option else {
            let stored = try StoredModel(ofStoreAt: store)
            switch stored.source {
            case .cache: return (stored.model, "the store's own copy")
            case .inferred: return (stored.model, "inferred from the tables; use --model for the real model")
            }
        }
        let hashes = try StoreInspector(url: store).metadata.versionHashes
        guard !hashes.isEmpty else {
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "the metadata of '\(store.lastPathComponent)' has no version hashes, so the model cannot be checked"
            )
        }
        return try model(hashes: hashes, of: "'\(store.lastPathComponent)'", option: option)
    }

    /// Returns the version of a model that has the given hashes, for a store that will be created from a dump.
    ///
    /// - Parameter store: The name, in messages, of the file that contains the hashes.
    static func model(
        hashes: [String: Data], of store: String, option: URL
    ) throws -> (model: NSManagedObjectModel, source: String) {
        let (versions, unreadable) = try self.versions(at: option)
        if let fitting = versions.first(where: { $0.model.entityVersionHashesByName == hashes }) {
            return (fitting.model, source(option, version: fitting.name, of: versions.count))
        }
        // A store can also contain the entities of one configuration only.
        for version in versions {
            for configuration in version.model.configurations
            where version.model.isConfiguration(
                withName: configuration, compatibleWithStoreMetadata: [StoreMetadataKey.versionHashes: hashes])
            {
                throw ToolError(
                    .modelMismatch,
                    "the store holds the configuration '\(configuration)' of '\(version.name)' only, which is not "
                        + "supported yet", hint: "use a model that contains only the entities of that configuration")
            }
        }
        var error = mismatch(store, hashes: hashes, versions: versions, url: option)
        // The matching version may be one of the unreadable ones.
        for version in unreadable {
            error.message += "; the version '\(version.name)' cannot be read: \(version.error.message)"
        }
        throw error
    }

    /// - Throws: An error if no version of the model can be read.
    static func requireReadable(_ option: URL) throws { _ = try versions(at: option) }

    /// Returns the versions of a model, or the model that is cached in another store.
    private static func versions(at url: URL) throws -> (
        readable: [(name: String, model: NSManagedObjectModel)], unreadable: [(name: String, error: CoreDataError)]
    ) {
        try FilePath.checkModel(url)
        guard FileKind(path: url.path) == .file, FilePath.isDatabase(url) else {
            return try NSManagedObjectModel.readVersions(at: url)
        }
        return ([(url.lastPathComponent, try StoredModel(ofStoreAt: url).model)], [])
    }

    /// Returns the model at a path, without a store to match: the current version, or the model that is cached in
    /// another store.
    static func model(at url: URL) throws -> (model: NSManagedObjectModel, source: String) {
        try FilePath.checkModel(url)
        if FileKind(path: url.path) == .file, FilePath.isDatabase(url) {
            let stored = try StoredModel(ofStoreAt: url)
            guard stored.source == .cache else {
                throw ToolError(
                    .modelNeeded, "'\(url.lastPathComponent)' has no copy of the model that it was written with",
                    hint: "use the model itself: an .xcdatamodeld, .momd or .mom")
            }
            return (stored.model, url.lastPathComponent)
        }
        let model = try NSManagedObjectModel.load(contentsOf: url)
        let name = (try? NSManagedObjectModel.currentVersionName(at: url)) ?? url.lastPathComponent
        let count = (try? NSManagedObjectModel.versions(at: url).count) ?? 1
        return (model, source(url, version: name, of: count))
    }

    /// Returns the model of the store that the first argument names, or the model in that file.
    static func model(of arguments: Arguments) throws -> (model: NSManagedObjectModel, source: String) {
        let path = arguments.operands[0]
        guard FilePath.isModel(path) else {
            return try model(for: FilePath.store(path), option: arguments.url("model"))
        }
        try rejectOption(arguments)
        return try model(at: Arguments.url(path))
    }

    /// Returns the versions of the model that the first argument names, or the model of that store.
    static func versions(of arguments: Arguments) throws -> (
        readable: [(name: String, model: NSManagedObjectModel)], unreadable: [(name: String, error: CoreDataError)]
    ) {
        guard FilePath.isModel(arguments.operands[0]) else {
            let (model, source) = try model(of: arguments)
            return ([(source, model)], [])
        }
        try rejectOption(arguments)
        return try versions(at: Arguments.url(arguments.operands[0]))
    }

    private static func rejectOption(_ arguments: Arguments) throws {
        guard arguments.value("model") != nil else { return }
        throw ToolError(
            .usage, "'\(arguments.operands[0])' is a model itself, and --model names the model of a store",
            hint: "omit --model")
    }

    private static func source(_ url: URL, version: String, of count: Int) -> String {
        count > 1 ? "\(url.lastPathComponent), version \(version)" : url.lastPathComponent
    }

    private static func mismatch(
        _ store: String, hashes: [String: Data], versions: [(name: String, model: NSManagedObjectModel)], url: URL
    ) -> ToolError {
        let scored = versions.map { version -> (String, Int) in
            let own = version.model.entityVersionHashesByName
            let names = Set(own.keys).union(hashes.keys)
            return (version.name, names.filter { own[$0] != hashes[$0] }.count)
        }
        let nearest = scored.min { $0.1 < $1.1 }
        let names = scored.map(\.0).joined(separator: ", ")
        var message = "\(store) was written with none of the versions of "
        message += "'\(url.lastPathComponent)' (\(names))"
        if let nearest, let version = versions.first(where: { $0.name == nearest.0 }) {
            let own = version.model.entityVersionHashesByName
            let differing = Set(own.keys).union(hashes.keys).filter { own[$0] != hashes[$0] }.sorted()
            message +=
                "; the closest version is '\(nearest.0)', which differs in \(differing.prefix(5).joined(separator: ", "))"
            if differing.count > 5 { message += " and \(differing.count - 5) more" }
        }
        return ToolError(
            .modelMismatch, message, hint: "use the model of the application that wrote the store")
    }
}
