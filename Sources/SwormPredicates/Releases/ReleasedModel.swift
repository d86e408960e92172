package import Foundation

/// A record of a version's model: the version hashes and descriptions of its entities and stored properties.
///
/// The test kit and the command line tool write it in the same form, each from the model of its own engine.
package struct ReleasedModel: Codable, Equatable, Sendable {
    package struct Property: Codable, Equatable, Sendable {
        package var hash: Data
        package var says: String

        package init(hash: Data, says: String) {
            self.hash = hash
            self.says = says
        }
    }

    package struct Entity: Codable, Equatable, Sendable {
        package var hash: Data
        package var says: String
        package var properties: [String: Property]

        package init(hash: Data, says: String, properties: [String: Property]) {
            self.hash = hash
            self.says = says
            self.properties = properties
        }
    }

    package var entities: [String: Entity]

    package init(entities: [String: Entity]) { self.entities = entities }

    /// Reads a record.
    ///
    /// - Throws: An error if there is no file, or if it is not a record.
    package init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
    }

    /// The version hashes of the entities, by name.
    package var hashes: [String: Data] { entities.mapValues(\.hash) }

    /// Returns the content of the record's file. Equal records have equal contents.
    package func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(self)
    }
}

extension ReleasedModel {
    /// Returns the differences between this released model and the current one, one line for each entity or property.
    package func differences(to now: ReleasedModel) -> [String] {
        let names = Set(entities.keys).union(now.entities.keys).sorted()
        return names.flatMap { name in
            switch (entities[name], now.entities[name]) {
            case (let old?, let new?): Self.differences(from: old, to: new).map { "'\(name)'\($0)" }
            case (_?, nil): ["'\(name)' was removed"]
            default: ["'\(name)' is new"]
            }
        }
    }

    private static func differences(from old: Entity, to new: Entity) -> [String] {
        guard old.hash != new.hash else { return [] }
        var lines: [String] = []
        if old.says != new.says { lines.append(" was \(old.says), and is now \(new.says)") }
        for name in Set(old.properties.keys).union(new.properties.keys).sorted() {
            switch (old.properties[name], new.properties[name]) {
            case (let old?, let new?):
                if old.says != new.says {
                    lines.append(".\(name) was \(old.says), and is now \(new.says)")
                } else if old.hash != new.hash {
                    lines.append(".\(name) has another version hash")
                }
            case (let old?, nil): lines.append(".\(name) was removed; it was \(old.says)")
            case (_, let new?): lines.append(".\(name) is new; it is \(new.says)")
            default: break
            }
        }
        return lines.isEmpty ? [" has another version hash"] : lines
    }
}
