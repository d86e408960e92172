import Foundation
import SwormSQLite
import SwormStore

/// The inference of a model from the tables of a store that contains no model.
///
/// Columns determine the types of attributes; indexes and numbers in names determine relationships. The names of tables
/// and columns are in upper case, so the names of properties are in lower case. An integer column may also be a key: it
/// is treated as one if it has an index, all its values are keys of one table, and the names are similar.
struct ModelInference {
    private struct Entity {
        let number: Int64
        let name: String
        let parent: Int64
    }

    /// A column that refers to another row.
    private struct Reference {
        let owner: Int64
        let column: String
        let destination: Int64
    }

    private(set) var notes: [String] = []
    private let connection: StoreConnection
    private let columns: [String: [String]]
    private let types: [String: [String: String]]
    private let entities: [Entity]
    private let hashes: [String: Data]
    private let indexes: Set<String>
    private var descriptions: [Int64: NSEntityDescription] = [:]
    private var properties: [Int64: [NSPropertyDescription]] = [:]

    /// The first number of the framework's own entities, which are used for history.
    private static let firstOwnNumber: Int64 = 16_000

    init(_ connection: StoreConnection, inspection: StoreInspection) throws {
        self.connection = connection
        columns = inspection.columns
        types = inspection.types
        hashes = inspection.metadata.versionHashes
        var entities: [Entity] = []
        try connection.rows("SELECT Z_ENT, Z_NAME, Z_SUPER FROM Z_PRIMARYKEY ORDER BY Z_ENT") { row in
            guard let name = row.text(1), !name.isEmpty, row.int64(0) > 0, row.int64(0) < Self.firstOwnNumber else {
                return
            }
            entities.append(Entity(number: row.int64(0), name: name, parent: row.int64(2)))
        }
        guard !entities.isEmpty, entities.count <= 10_000 else {
            throw CoreDataError(
                NSPersistentStoreIncompatibleSchemaError,
                "No model can be inferred from the store: Z_PRIMARYKEY names no entities.")
        }
        self.entities = entities
        indexes = inspection.indexes
    }

    mutating func model() throws -> NSManagedObjectModel {
        for entity in entities {
            let description = NSEntityDescription()
            description.name = entity.name
            descriptions[entity.number] = description
        }
        var parents: [ObjectIdentifier: NSEntityDescription] = [:]
        for entity in entities where entity.parent != 0 {
            guard let description = descriptions[entity.number], let parent = descriptions[entity.parent] else {
                continue
            }
            parents[ObjectIdentifier(description)] = parent
        }
        let all = entities.compactMap { descriptions[$0.number] }
        if let issue = ModelLinks.faultOfInheritance(all, parents: parents) {
            throw CoreDataError(NSPersistentStoreIncompatibleSchemaError, issue.message)
        }
        ModelLinks.inherit(all, parents: parents)
        for entity in entities where entity.parent == 0 { try addColumns(of: entity) }
        for table in columns.keys.sorted() { addJoin(table) }
        for entity in entities {
            descriptions[entity.number]?.properties =
                (properties[entity.number] ?? []).sorted { VersionHash.precedes($0.name, $1.name) }
        }
        let model = NSManagedObjectModel()
        model.entities = all
        model.storeHashes = hashes
        return model
    }

    // MARK: Columns

    private mutating func addColumns(of root: Entity) throws {
        let table = "Z" + SQLName.uppercased(root.name)
        guard let names = columns[table] else {
            notes.append("'\(root.name)' has no table.")
            return
        }
        for column in names where !["Z_PK", "Z_ENT", "Z_OPT"].contains(column) && !column.hasPrefix("Z_FOK_") {
            if let numbered = NumberedName(column), numbered.prefix == "Z" {
                addNumbered(numbered, root: root)
            } else if column.hasPrefix("Z"), column.count > 1 {
                try addPlain(column, in: table, columns: names, to: root)
            }
        }
    }

    /// Adds a property from a numbered name. `Z3_OWNER` is the entity of a to-one relationship's destination, `Z3PARTS`
    /// the key of an owner without an inverse.
    private mutating func addNumbered(_ name: NumberedName, root: Entity) {
        let owner = Int64(name.number)
        guard !name.rest.hasPrefix("_"), descriptions[owner] != nil, !name.rest.isEmpty else { return }
        let relationship = relationship(name.rest, to: root.number, isToMany: true)
        add(relationship, to: owner)
    }

    private mutating func addPlain(_ column: String, in table: String, columns names: [String], to root: Entity) throws
    {
        let stem = String(column.dropFirst())
        let kind = types[table]?[column]?.uppercased() ?? ""
        if kind == "INTEGER",
            let destination = try destination(of: column, stem: stem, in: table, columns: names, root: root)
        {
            add(relationship(stem, to: destination, isToMany: false), to: root.number)
            return
        }
        let attribute = NSAttributeDescription()
        attribute.name = stem.lowercased()
        switch kind {
        case "INTEGER": attribute.attributeType = .integer64AttributeType
        case "FLOAT": attribute.attributeType = .doubleAttributeType
        case "TIMESTAMP": attribute.attributeType = .dateAttributeType
        case "DECIMAL": attribute.attributeType = .decimalAttributeType
        case "VARCHAR": attribute.attributeType = .stringAttributeType
        case "BLOB": attribute.attributeType = .binaryDataAttributeType
        default:
            notes.append("The column '\(table).\(column)' has the unknown type '\(kind)' and was ignored.")
            return
        }
        add(attribute, to: root.number)
    }

    /// Returns the entity that a column refers to; nil for a plain number.
    private mutating func destination(
        of column: String, stem: String, in table: String, columns names: [String], root: Entity
    ) throws -> Int64? {
        for name in names {
            if let numbered = NumberedName(name), numbered.prefix == "Z", numbered.rest == "_" + stem,
                descriptions[Int64(numbered.number)] != nil
            {
                return Int64(numbered.number)
            }
        }
        // Every foreign key has an index of this name, and hardly any other column has one.
        guard indexes.contains("\(table)_\(column)_INDEX") else { return nil }
        var fitting: [Entity] = []
        for entity in entities where entity.parent == 0 && entities.allSatisfy({ $0.parent != entity.number }) {
            if try leads(from: table, column: column, to: entity) { fitting.append(entity) }
        }
        // Small keys exist in many tables, so the values alone prove nothing.
        let named = fitting.filter { entity in
            let name = SQLName.uppercased(entity.name)
            return stem.hasPrefix(name) || stem.hasSuffix(name)
        }
        // A name that is the suffix of a longer matching name is a weaker match.
        let longest = named.map(\.name.count).max() ?? 0
        let best = named.filter { $0.name.count == longest }
        if let only = best.first, best.count == 1 { return only.number }
        notes.append(
            "The column '\(table).\(column)' looks like a relationship, but its destination is unknown. It is treated as a number."
        )
        return nil
    }

    private func leads(from table: String, column: String, to entity: Entity) throws -> Bool {
        let destination = "Z" + SQLName.uppercased(entity.name)
        guard columns[destination] != nil else { return false }
        let (from, to) = (SQLName.quoted(table), SQLName.quoted(destination))
        let key = SQLName.quoted(column)
        let count = try connection.integer(
            "SELECT EXISTS (SELECT 1 FROM \(from) AS a WHERE a.\(key) IS NOT NULL AND NOT EXISTS "
                + "(SELECT 1 FROM \(to) AS b WHERE b.Z_PK = a.\(key)))")
        return count == 0
    }

    // MARK: Joins

    /// Adds the relationships of a join table, `Z_1TAGS (Z_1BOOKS, Z_2TAGS)`, which are to-many on both sides.
    private mutating func addJoin(_ table: String) {
        guard let name = NumberedName(table), name.prefix == "Z_", let names = columns[table] else { return }
        let keys = names.filter { !$0.hasPrefix("Z_FOK_") }
        let owner = Int64(name.number)
        guard keys.count == 2, descriptions[owner] != nil else { return }
        func isOrdered(_ column: String) -> Bool { names.contains("Z_FOK_" + column.dropFirst(2)) }
        guard let other = keys.first(where: { NumberedName($0)?.rest == name.rest && $0 != "REFLEXIVE" }) else {
            return
        }
        if keys.contains("REFLEXIVE") {
            let own = relationship(name.rest, to: owner, isToMany: true)
            own.inverseRelationship = own
            add(own, to: owner)
            return
        }
        guard let back = keys.first(where: { $0 != other }), let destination = NumberedName(other),
            let inverse = NumberedName(back), descriptions[Int64(destination.number)] != nil
        else { return }
        let forth = relationship(name.rest, to: Int64(destination.number), isToMany: true)
        let reverse = relationship(inverse.rest, to: owner, isToMany: true)
        forth.isOrdered = isOrdered(other)
        reverse.isOrdered = isOrdered(back)
        forth.inverseRelationship = reverse
        reverse.inverseRelationship = forth
        add(forth, to: owner)
        add(reverse, to: Int64(destination.number))
    }

    // MARK: Parts

    private func relationship(_ stem: String, to destination: Int64, isToMany: Bool) -> NSRelationshipDescription {
        let relationship = NSRelationshipDescription()
        relationship.name = stem.lowercased()
        relationship.destinationEntity = descriptions[destination]
        relationship.maxCount = isToMany ? 0 : 1
        return relationship
    }

    private mutating func add(_ property: NSPropertyDescription, to entity: Int64) {
        guard ModelNames.issue(of: property.name) == nil, !ModelNames.isReserved(propertyName: property.name),
            !(properties[entity] ?? []).contains(where: { $0.name == property.name })
        else {
            notes.append(
                "The property '\(property.name)' has the name of another property or of a method, and was ignored.")
            return
        }
        properties[entity, default: []].append(property)
    }
}
