#if PostgreSQL
/// The names and numbers that a store on a server has once given to the parts of its model.
///
/// The store keeps them in its metadata, so that they do not change with the order of entities and properties when the
/// model changes. The names of entities and properties consist of letters, digits and underscores; a period separates
/// them, and the elements of composite attributes.
package struct PostgresNames: Sendable, Hashable, Codable {
    /// The columns of a join table.
    package struct Join: Sendable, Hashable, Codable {
        /// The column of the keys of the entity that the table is named after.
        package var own: String?
        /// The column of the keys of the other entity.
        package var other: String?
        /// The column with the order of the other entity's objects.
        package var order: String?
        /// The column with the order of the objects of the entity that the table is named after.
        package var inverseOrder: String?
    }

    /// The numbers in the columns `_entity`, by entity name.
    package var numbers: [String: Int] = [:]
    /// The tables, by the name of the root entity; the join tables, by `Entity.relationship`.
    package var tables: [String: String] = [:]
    /// The columns, by `Entity.property`, ``order(of:in:)`` and ``owner(of:in:)``.
    package var columns: [String: String] = [:]
    /// The columns of join tables, by `Entity.relationship` of the side that the table is named after.
    package var joins: [String: Join] = [:]

    package init() {}

    // MARK: Numbers

    /// A number that no entity has: the one after the highest, or the lowest one if the column has no higher ones.
    var freeNumber: Int {
        let highest = numbers.values.max() ?? 0
        guard highest >= Int(Int16.max) else { return highest + 1 }
        let taken = Set(numbers.values)
        return (1...taken.count + 1).first { !taken.contains($0) } ?? taken.count + 1
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        numbers = try values.decode([String: Int].self, forKey: .numbers)
        tables = try values.decode([String: String].self, forKey: .tables)
        columns = try values.decode([String: String].self, forKey: .columns)
        joins = try values.decode([String: Join].self, forKey: .joins)
        guard numbers.values.allSatisfy({ (1...Int(Int16.max)).contains($0) }) else {
            throw DecodingError.dataCorrupted(
                .init(
                    codingPath: decoder.codingPath,
                    debugDescription: "An entity has a number that its column cannot have."))
        }
    }

    // MARK: Parts of a model

    /// Returns the key of a property in ``columns``, ``tables`` and ``joins``.
    package static func property(_ name: String, of entity: String) -> String { "\(entity).\(name)" }

    /// Returns the key of the column that has the order of an entity's objects in a to-many relationship.
    ///
    /// - Parameters:
    ///   - link: The name of the to-one relationship that is the inverse, or the owner and the name of a relationship
    ///     without an inverse.
    ///   - entity: The entity of the objects.
    static func order(of link: String, in entity: String) -> String { "\(entity)._order/\(link)" }

    /// Returns the key of the column that has the owner of an entity's objects in a relationship without an inverse.
    static func owner(of link: String, in entity: String) -> String { "\(entity)._owner/\(link)" }

    // MARK: Names on a server

    /// The tables that are not the model's.
    static let ownTables: Set<String> = [
        "_sworm", "_sworm_writer", "_sworm_outcome", "_sworm_history", "_sworm_transaction", "_sworm_change",
    ]
    /// The start of the names of such tables, in this version and in later ones.
    static let ownPrefix = "_sworm"

    /// The columns that no property can have: those of all tables, and those that a server adds to each table.
    static let ownColumns: Set<String> = [
        "_key", "_entity", "_version", "tableoid", "xmin", "cmin", "xmax", "cmax", "ctid",
    ]

    /// Returns the names that a table takes in its schema, with those of the index and the sequence of its key.
    static func relations(ofTable name: String) -> [String] {
        [name, shortened(name + "_pkey"), shortened(name + "__key_seq")]
    }

    /// The longest name in bytes. A server cuts longer names, and two of them can become one.
    private static let longest = 63

    /// Returns a name that is not cut: a longer one becomes its beginning and a hash of the whole name.
    package static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let digits = Array("0123456789abcdef".utf8)
        let hash = SHA2.sha256(Array(name.utf8)).prefix(4).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        var start = String.UnicodeScalarView()
        var count = 0
        for scalar in name.unicodeScalars {
            count += UTF8.width(scalar)
            if count > longest - hash.count - 1 { break }
            start.append(scalar)
        }
        return String(start) + "_" + String(decoding: hash, as: UTF8.self)
    }

    /// Returns the first of some names that can be used, or the last one with the lowest number behind it that makes it
    /// one.
    static func free(_ candidates: [String], isFree: (String) -> Bool) -> String {
        for candidate in candidates {
            let name = shortened(candidate)
            if isFree(name) { return name }
        }
        let last = candidates.last ?? ""
        var number = 1
        while true {
            let name = shortened("\(last)_\(number)")
            if isFree(name) { return name }
            number += 1
        }
    }
}
#endif
