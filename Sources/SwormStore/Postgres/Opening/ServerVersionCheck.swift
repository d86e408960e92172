#if PostgreSQL
import Foundation
import SwormPredicates

/// The comparison of a model with the one that a store on a server was written with.
struct ServerVersionCheck {
    let model: CompiledModel
    let record: ServerRecord

    /// Returns the error that lists every entity that differs, or nil if the store has the model's version.
    func error(place: String) -> CoreDataError? {
        let (own, stored) = (model.versionHashes, record.currentHashes)
        var differences: [CoreDataError] = []
        for name in Set(own.keys).union(stored.keys).sorted() {
            guard let difference = difference(own[name], stored: stored[name], of: name) else { continue }
            differences.append(
                CoreDataError(
                    NSPersistentStoreIncompatibleVersionHashError, "'\(name)' \(difference).", entity: name))
        }
        guard !differences.isEmpty else { return nil }
        let list = differences.map { String($0.message.dropLast()) }.joined(separator: "; ")
        return CoreDataError(
            NSPersistentStoreIncompatibleVersionHashError,
            "The store '\(place)' was written with another model: \(list). Open it with the model that it was written with, or migrate the store.",
            details: differences)
    }

    private func difference(_ own: Data?, stored: Data?, of name: String) -> String? {
        switch (own, stored) {
        case (let own?, let stored?): own == stored ? nil : "has changed: \(properties(of: name))"
        case (_?, nil): "is in the model only"
        case (nil, _?): "is in the store only"
        case (nil, nil): nil
        }
    }

    /// Returns the properties that were added or removed, as far as the names that the store has given show them.
    private func properties(of name: String) -> String {
        guard let entity = model.entity(named: name) else { return "" }
        let own = Set(
            entity.attributes.filter { $0.owner == entity.number && !$0.isTransient && $0.type != .undefined }.map(
                \.name)
                + entity.relationships.filter { $0.owner == entity.number && !$0.isToMany && !$0.isTransient }
                .map(\.name))
        let prefix = name + "."
        let stored = Set(
            record.names.columns.keys.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
                .filter { !$0.hasPrefix("_") })
        let parts =
            own.subtracting(stored).sorted().map { "'\($0)' is in the model only" }
            + stored.subtracting(own).sorted().map { "'\($0)' is in the store only" }
        guard parts.isEmpty else { return parts.joined(separator: ", ") }
        return
            "its columns are the same, but types, names, optionality, destinations, inverses or hash modifiers differ"
    }
}
#endif
