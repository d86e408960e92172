import Foundation
import OpenCoreData
import SwormPredicates
import SwormStore

/// A store that is open for reading, with its model and one session.
final class StoreReader {
    let url: URL
    let model: CompiledModel
    let description: NSManagedObjectModel
    let source: String
    let store: any ObjectStore
    /// The store in messages.
    let name: String
    let session: any StoreSession
    let missingFiles = MissingFiles()

    /// Opens the store that an operand names, with the model that the options name.
    ///
    /// - Parameter allowsServers: Whether the operand may be the address of a store on a server.
    init(
        _ path: String, arguments: Arguments, modelOption: String = "model", allowsServers: Bool = false
    ) throws {
        var options = StoreOptions()
        options.isReadOnly = true
        name = ServerOperand.shown(path)
        #if PostgreSQL
        if allowsServers, ServerOperand.isAddress(path) {
            let server = try ServerOperand.options(path)
            url = server.url
            (description, source) = try ServerOperand.model(of: server, option: arguments.url(modelOption))
            model = try description.compiled()
            store = try server.open(model, options: options)
            session = try store.beginSession()
            return
        }
        #else
        if allowsServers, ServerOperand.isAddress(path) { throw ServerOperand.unavailable }
        #endif
        url = try FilePath.store(path)
        (description, source) = try StoreModelChoice.model(for: url, option: arguments.url(modelOption))
        model = try description.compiled()
        store = try SQLiteStore.open(url: url, model: model, options: options)
        session = try store.beginSession()
    }

    deinit {
        session.end()
        store.close()
    }

    /// Returns the entity with a name, ignoring case.
    func entity(_ name: String) throws -> CompiledEntity {
        if let entity = model.entity(anyCase: name) { return entity }
        throw ToolError(
            .unknownEntity, "the model has no entity '\(name)'",
            hint: nameHint(name, among: model.entities.map(\.name), what: "its entities are"))
    }

    /// Returns the condition of `--where`.
    func predicate(_ arguments: Arguments) throws -> PredicateTree? {
        guard let text = arguments.value("where") else { return nil }
        do {
            return try parsePredicate(text)
        } catch {
            throw ToolError(
                .query, "the condition cannot be parsed: \(ErrorText.message(of: error))",
                hint: "it is a predicate, such as --where 'year > 1860 AND author.name BEGINSWITH \"L\"'")
        }
    }

    /// Runs a closure that can fail because of an unknown name in a request, and adds the nearest name to the error.
    func naming<Result>(_ entity: CompiledEntity, _ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as QueryError {
            let names = entity.attributes.map(\.name) + entity.relationships.map(\.name)
            var hint: String?
            if error.code == .unknownKey {
                // The message quotes the unknown key.
                let parts = error.message.split(separator: "'", omittingEmptySubsequences: false)
                if parts.count > 1 {
                    hint = nameHint(String(parts[1]), among: names, what: "\(entity.name) has")
                }
            }
            switch error.code {
            case .variable: hint = "write the value itself: the command line has no way to substitute variables"
            case .toMany: hint = "for example: --where 'ANY books.year > 1860', --columns books.@count"
            case .typeMismatch:
                hint =
                    "write strings and UUIDs in quotes, and numbers without; for a date: CAST(seconds since 2001, 'NSDate')"
            default: break
            }
            // The error already names its nearest key, which the hint repeats.
            let words = error.description.components(separatedBy: " Did you mean ")
            throw ToolError(.query, words[0], hint: hint)
        }
    }
}

extension CompiledModel {
    /// Returns the entity with a name, or the only one whose name differs in case alone.
    func entity(anyCase name: String) -> CompiledEntity? {
        if let entity = entity(named: name) { return entity }
        let folded = entities.filter { $0.name.lowercased() == name.lowercased() }
        return folded.count == 1 ? folded.first : nil
    }
}
