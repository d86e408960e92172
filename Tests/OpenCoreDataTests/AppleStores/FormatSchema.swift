import Foundation
@testable import OpenCoreData

/// The tables and indexes that a new store of a model must have, written from the rules of the format alone.
struct FormatSchema {
    let model: PlainModel

    static let systemTables = [
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "CREATE TABLE Z_METADATA (Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)",
        "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)",
    ]

    var statements: [String] {
        let roots = model.entities.filter { $0.parent == nil }
        return roots.flatMap { [table(of: $0)] + joins(of: $0).map(\.table) } + roots.flatMap { indexes(of: $0) }
            + Self.systemTables
    }

    private func family(_ root: PlainModel.Entity) -> [PlainModel.Entity] {
        model.entities.filter { root.family.contains($0.number) }
    }

    // MARK: Tables

    private static let groups: [(types: [NSAttributeType], column: String)] = [
        ([.decimalAttributeType], "DECIMAL"), ([.stringAttributeType], "VARCHAR"), ([.URIAttributeType], "VARCHAR"),
        ([.UUIDAttributeType], "BLOB"), ([.transformableAttributeType], "BLOB"), ([.binaryDataAttributeType], "BLOB"),
    ]

    private static let integers: Set<NSAttributeType> = [
        .integer16AttributeType, .integer32AttributeType, .integer64AttributeType, .booleanAttributeType,
    ]

    private func own(_ entity: PlainModel.Entity) -> [PlainModel.Attribute] {
        entity.attributes.filter { $0.declaring == entity.name && !$0.isTransient }
    }

    /// The columns of keys that an entity's rows have: its own to-ones, then the one-way to-manys that lead to it.
    private func keyColumns(_ entity: PlainModel.Entity) -> [(key: String, entity: String?)] {
        let toOnes = entity.relationships.filter { $0.declaring == entity.name && !$0.column.isEmpty }
        return toOnes.map { ($0.column, model.entityColumn(of: $0)) } + oneWays(to: entity).map { ($0, nil) }
    }

    private func oneWays(to entity: PlainModel.Entity) -> [String] {
        model.entities.flatMap { owner in
            owner.relationships.filter {
                $0.declaring == owner.name && $0.destination == entity.name && $0.isToMany && $0.inverse == nil
                    && !$0.description.isTransient
            }.map { "Z\(owner.number)\(PlainModel.upper($0.name))" }
        }
    }

    private func table(of root: PlainModel.Entity) -> String {
        let members = family(root)
        var columns = ["Z_PK INTEGER PRIMARY KEY", "Z_ENT INTEGER", "Z_OPT INTEGER"]
        for entity in members {
            columns += own(entity).filter { Self.integers.contains($0.type) }.map { "\($0.column) INTEGER" }
            for (key, entity) in keyColumns(entity) {
                columns.append("\(key) INTEGER")
                if let entity { columns.append("\(entity) INTEGER") }
            }
        }
        for entity in members {
            for relationship in entity.relationships where relationship.declaring == entity.name {
                guard !relationship.column.isEmpty, let inverse = model.inverse(of: relationship), inverse.isOrdered
                else {
                    continue
                }
                columns.append("Z_FOK_\(relationship.column.dropFirst()) INTEGER")
            }
        }
        for entity in members {
            for attribute in own(entity) {
                switch attribute.type {
                case .doubleAttributeType, .floatAttributeType: columns.append("\(attribute.column) FLOAT")
                case .dateAttributeType: columns.append("\(attribute.column) TIMESTAMP")
                default: continue
                }
            }
        }
        for (types, type) in Self.groups {
            for entity in members {
                columns += own(entity).filter { types.contains($0.type) }.map { "\($0.column) \(type)" }
            }
        }
        return "CREATE TABLE \(root.table) ( \(columns.joined(separator: ", ")) )"
    }

    private func joins(of root: PlainModel.Entity) -> [(table: String, index: String)] {
        family(root).flatMap { entity in
            entity.relationships.filter { $0.declaring == entity.name && $0.isToMany && !$0.description.isTransient }
                .compactMap { join(entity, $0) }
        }
    }

    private func join(
        _ owner: PlainModel.Entity, _ relationship: PlainModel.Relationship
    ) -> (table: String, index: String)? {
        guard let inverse = model.inverse(of: relationship), inverse.isToMany, let other = model[inverse.declaring],
            let destination = model[relationship.destination]
        else { return nil }
        let name = "Z_\(owner.number)\(PlainModel.upper(relationship.name))"
        if other.name == owner.name, inverse.name == relationship.name {
            return (
                "CREATE TABLE \(name) ( \(name) INTEGER, REFLEXIVE INTEGER, PRIMARY KEY (\(name), REFLEXIVE) )",
                "CREATE INDEX \(name)_REFLEXIVE_INDEX ON \(name) (REFLEXIVE, \(name))"
            )
        }
        guard owns(relationship, over: inverse) else { return nil }
        let own = column("Z_\(owner.number)\(PlainModel.upper(inverse.name))", by: relationship)
        let far = column("Z_\(destination.number)\(PlainModel.upper(relationship.name))", by: inverse)
        var columns = ["\(own) INTEGER", "\(far) INTEGER"]
        if inverse.isOrdered { columns.append("Z_FOK_\(own.dropFirst(2)) INTEGER") }
        if relationship.isOrdered { columns.append("Z_FOK_\(far.dropFirst(2)) INTEGER") }
        return (
            "CREATE TABLE \(name) ( \(columns.joined(separator: ", ")), PRIMARY KEY (\(own), \(far)) )",
            "CREATE INDEX \(name)_\(far)_INDEX ON \(name) (\(far), \(own))"
        )
    }

    /// Whether a join table is named after the first of two relationships. Between those of one entity either may be; here it
    /// is the first by name.
    private func owns(_ one: PlainModel.Relationship, over two: PlainModel.Relationship) -> Bool {
        guard let owner = model[one.declaring], let other = model[two.declaring] else { return false }
        if owner.name == other.name { return one.name < two.name }
        let (mine, others) = (owner.family.count > 1, other.family.count > 1)
        return mine != others ? mine : owner.number < other.number
    }

    /// The columns of join tables by the name that they would have alone, each with the relationship of the objects whose
    /// keys it holds.
    private func columns(named name: String) -> [PlainModel.Relationship] {
        model.entities.flatMap { owner in
            owner.relationships.filter { $0.declaring == owner.name && !$0.description.isTransient }.compactMap { one in
                guard let two = model.inverse(of: one), one.isToMany, two.isToMany,
                    !(one.name == two.name && one.declaring == two.declaring)
                else { return nil }
                // The keys of the objects that have the relationship are in a column that is named after its inverse.
                let number = owns(one, over: two) ? owner.number : model[two.destination]?.number ?? 0
                return "Z_\(number)\(PlainModel.upper(two.name))" == name ? one : nil
            }
        }
    }

    /// A name that several join tables have is numbered, in the order of the relationships' names.
    private func column(_ name: String, by relationship: PlainModel.Relationship) -> String {
        let place = columns(named: name).map(\.name).sorted().firstIndex(of: relationship.name) ?? 0
        return place == 0 ? name : "\(name)\(place)"
    }

    // MARK: Indexes

    private func indexes(of root: PlainModel.Entity) -> [String] {
        let table = root.table
        let members = family(root)
        var result = members.flatMap { keyColumns($0) }.map {
            "CREATE INDEX \(table)_\($0.key)_INDEX ON \(table) (\($0.key))"
        }
        if members.count > 1 { result.append("CREATE INDEX \(table)_Z_ENT_INDEX ON \(table) (Z_ENT)") }
        result += joins(of: root).map(\.index)
        for entity in members {
            for name in flagged(entity) {
                guard let column = column(name, entity) else { continue }
                result.append("CREATE INDEX Z_\(entity.name)_\(name) ON \(table) (\(column) COLLATE BINARY ASC)")
            }
            for index in entity.description.indexes {
                if index.elements.count == 1, let only = index.elements.first?.propertyName,
                    entity.relationship(only) != nil
                {
                    continue
                }
                let columns = index.elements.compactMap { element -> String? in
                    let name = element.propertyName ?? ""
                    let column = name == "self" ? "Z_PK" : name == "entity" ? "Z_ENT" : self.column(name, entity)
                    return column.map { "\($0) COLLATE BINARY \(element.isAscending ? "ASC" : "DESC")" }
                }
                result.append(
                    "CREATE INDEX Z_\(entity.name)_\(index.name) ON \(table) (\(columns.joined(separator: ", ")))")
            }
            for names in entity.description.compoundIndexNames {
                let columns = names.compactMap { column($0, entity) }.map { "\($0) COLLATE BINARY ASC" }
                result.append(
                    "CREATE INDEX Z_\(entity.name)_\(names.joined(separator: "_")) ON \(table) (\(columns.joined(separator: ", ")))"
                )
            }
            for names in entity.description.uniquenessNames {
                let columns = names.compactMap { column($0, entity) }.map { "\($0) COLLATE BINARY ASC" }
                result.append(
                    "CREATE UNIQUE INDEX Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_")) ON \(table) (\(columns.joined(separator: ", ")))"
                )
            }
        }
        return result
    }

    /// The attributes that are indexed by themselves: those that the model flags, and, since the model compiler flags
    /// them too, those that are the only element of a fetch index, in the order of these.
    private func flagged(_ entity: PlainModel.Entity) -> [String] {
        let alone = entity.description.indexes.compactMap { index -> String? in
            guard index.elements.count == 1, let name = index.elements.first?.propertyName else { return nil }
            return entity.attributes.contains { $0.name == name } ? name : nil
        }
        let plain = entity.attributes.filter { $0.description.isIndexed && !$0.isTransient }.map(\.name)
        return alone + plain.filter { !alone.contains($0) }
    }

    private func column(_ name: String, _ entity: PlainModel.Entity) -> String? {
        let column = entity.attributes.first { $0.name == name }?.column ?? entity.relationship(name)?.column
        return column.flatMap { $0.isEmpty ? nil : $0 }
    }
}
