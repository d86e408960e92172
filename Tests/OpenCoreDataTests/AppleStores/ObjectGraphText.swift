import Foundation
@testable import OpenCoreData
import Testing

/// Objects and their relations as plain text, made from SQL or through managed objects, to be compared.
struct ObjectGraphText: Equatable {
    struct Node: Equatable {
        var attributes: [String: String] = [:]
        /// The objects at the far end; sorted where the relationship has no order.
        var links: [String: [String]] = [:]
    }

    /// By the end of the object's URI: `Entity/p12`.
    var nodes: [String: Node] = [:]

    /// The relationships, as `Entity.name`, whose join tables have rows that lead nowhere. Objects say nothing of them.
    private(set) var looseJoins: Set<String> = []

    static func == (one: ObjectGraphText, other: ObjectGraphText) -> Bool { one.nodes == other.nodes }

    /// The text of a value whose external file is missing, as are those of stores that were published without them.
    static let missingFile = "in a missing file"

    /// The links that lead to no object, as `Entity/p12.name`.
    ///
    /// Apple's own rows have such: Core Data leaves a key behind where a relationship has no inverse.
    var danglingLinks: [String] {
        nodes.flatMap { key, node in
            node.links.flatMap { name, ends in ends.filter { nodes[$0] == nil }.map { _ in "\(key).\(name)" } }
        }.sorted()
    }

    /// What differs, in a few lines.
    func differences(from other: ObjectGraphText) -> [String] {
        guard self != other else { return [] }
        var lines: [String] = []
        for key in Set(nodes.keys).union(other.nodes.keys).sorted() {
            guard let left = nodes[key] else {
                lines.append("\(key) is missing")
                continue
            }
            guard let right = other.nodes[key] else {
                lines.append("\(key) is there")
                continue
            }
            for name in Set(left.attributes.keys).union(right.attributes.keys).sorted()
            where left.attributes[name] != right.attributes[name] {
                let texts = [left, right].map { String(($0.attributes[name] ?? "missing").prefix(80)) }
                lines.append("\(key).\(name): \(texts[0]), not \(texts[1])")
            }
            for name in Set(left.links.keys).union(right.links.keys).sorted()
            where left.links[name] != right.links[name] {
                lines.append(
                    "\(key).\(name): \((left.links[name] ?? []).prefix(8)), not \((right.links[name] ?? []).prefix(8))")
            }
        }
        return Array(lines.prefix(12))
    }
}

// MARK: From SQL

extension ObjectGraphText {
    init(_ store: PlainStore, _ model: PlainModel) throws {
        var owners: [String: [Int64: PlainModel.Entity]] = [:]
        for entity in model.entities where owners[entity.table] == nil {
            var found: [Int64: PlainModel.Entity] = [:]
            for row in try #require(store.rows[entity.table]) {
                let number = Int(try #require(row["Z_ENT"]?.integer))
                let own = try #require(model.entities.first { $0.number == number })
                #expect(own.table == entity.table)
                found[try #require(row["Z_PK"]?.integer)] = own
            }
            owners[entity.table] = found
        }
        func name(_ key: Int64, _ destination: PlainModel.Entity) -> String? {
            owners[destination.table]?[key].map { "\($0.name)/p\(key)" }
        }
        for entity in model.entities where entity.parent == nil {
            for row in store.rows[entity.table] ?? [] {
                let key = try #require(row["Z_PK"]?.integer)
                let own = try #require(owners[entity.table]?[key])
                var node = Node()
                for attribute in own.attributes {
                    if attribute.isTransient {
                        node.attributes[attribute.name] = Self.defaultText(attribute)
                    } else {
                        let cell = try #require(row[attribute.column], "\(entity.table) has no \(attribute.column)")
                        node.attributes[attribute.name] = try Self.text(cell, attribute, store)
                    }
                }
                for relationship in own.relationships where !relationship.isToMany {
                    guard !relationship.description.isTransient else {
                        node.links[relationship.name] = []
                        continue
                    }
                    let cell = try #require(row[relationship.column], "\(entity.table) has no \(relationship.column)")
                    let destination = try #require(model[relationship.destination])
                    guard let end = cell.integer else {
                        node.links[relationship.name] = []
                        continue
                    }
                    // A key that leads to no row is named by the entity that it should lead to.
                    var named = destination
                    if let column = model.entityColumn(of: relationship) {
                        let number = try #require(row[column], "\(entity.table) has no \(column)").integer
                        named = try #require(model.entities.first { Int64($0.number) == number })
                        if let row = owners[destination.table]?[end] { #expect(named.number == row.number) }
                    }
                    node.links[relationship.name] = [name(end, destination) ?? "\(named.name)/p\(end)"]
                }
                nodes["\(own.name)/p\(key)"] = node
            }
        }
        for entity in model.entities {
            for relationship in entity.relationships
            where relationship.isToMany && relationship.declaring == entity.name {
                try addMembers(of: relationship, entity, store, model, name)
            }
        }
    }

    private mutating func addMembers(
        of relationship: PlainModel.Relationship, _ entity: PlainModel.Entity, _ store: PlainStore, _ model: PlainModel,
        _ name: (Int64, PlainModel.Entity) -> String?
    ) throws {
        let destination = try #require(model[relationship.destination])
        var members: [Int64: [(order: Int64, key: Int64)]] = [:]
        func add(_ owner: PlainStore.Cell?, _ key: PlainStore.Cell?, _ order: PlainStore.Cell?) throws {
            guard let owner = owner?.integer else { return }
            members[owner, default: []].append((order?.integer ?? 0, try #require(key?.integer)))
        }
        if !relationship.description.isTransient {
            switch try #require(
                model.members(of: relationship, in: store.tables), "\(relationship.name) is kept nowhere")
            {
            case .column(let column, let order):
                for row in store.rows[destination.table] ?? [] {
                    #expect(row[column] != nil && (order == nil || row[order ?? ""] != nil))
                    try add(row[column], row["Z_PK"], order.flatMap { row[$0] })
                }
            case .join(let table, let own, let other, let order):
                for row in store.rows[table] ?? [] {
                    #expect(order == nil || row[order ?? ""] != nil)
                    try add(row[own], row[other], order.flatMap { row[$0] })
                    // With an order each direction has its own row.
                    if other == "REFLEXIVE", order == nil, row[own] != row[other] {
                        try add(row[other], row[own], nil)
                    }
                }
            }
        }
        let owners = Set(model.entities.filter { entity.family.contains($0.number) }.map(\.name))
        for key in nodes.keys where owners.contains(String(key.prefix { $0 != "/" })) {
            let owner = try #require(Int64(key.drop { $0 != "/" }.dropFirst(2)))
            let sorted = (members[owner] ?? []).sorted { ($0.order, $0.key) < ($1.order, $1.key) }
            // A row of a join table that leads nowhere is no member, as in Core Data.
            let names = sorted.compactMap { name($0.key, destination) }
            if names.count < sorted.count { looseJoins.insert("\(relationship.declaring).\(relationship.name)") }
            nodes[key]?.links[relationship.name] = relationship.isOrdered ? names : Array(Set(names)).sorted()
        }
    }

    private static func text(
        _ cell: PlainStore.Cell, _ attribute: PlainModel.Attribute, _ store: PlainStore
    ) throws -> String {
        switch (attribute.type, cell) {
        case (_, .null): return "nil"
        case (.integer16AttributeType, .integer(let value)), (.integer32AttributeType, .integer(let value)),
            (.integer64AttributeType, .integer(let value)):
            return "\(value)"
        case (.booleanAttributeType, .integer(let value)): return value == 0 ? "false" : "true"
        case (.doubleAttributeType, .real(let value)), (.floatAttributeType, .real(let value)),
            (.dateAttributeType, .real(let value)):
            return "\(value)"
        case (.doubleAttributeType, .integer(let value)), (.floatAttributeType, .integer(let value)),
            (.dateAttributeType, .integer(let value)):
            return "\(Double(value))"
        case (.decimalAttributeType, .integer(let value)): return "\(value)"
        case (.decimalAttributeType, .real(let value)): return "\(try #require(Decimal(string: "\(value)")))"
        case (.decimalAttributeType, .text(let value)): return "\(try #require(Decimal(string: value)))"
        case (.stringAttributeType, .text(let value)), (.URIAttributeType, .text(let value)): return "'\(value)'"
        case (.UUIDAttributeType, .blob(let data)):
            return data.count == 16 ? data.map { String(format: "%02X", $0) }.joined() : "no UUID"
        case (.binaryDataAttributeType, .blob(let data)), (.transformableAttributeType, .blob(let data)):
            guard attribute.description.allowsExternalBinaryDataStorage else { return data.base64EncodedString() }
            if data.first == 1 { return data.dropFirst().base64EncodedString() }
            let file = String(decoding: data.dropFirst().prefix(36), as: UTF8.self)
            let folder = try #require(store.externalData)
            guard FileManager.default.fileExists(atPath: folder.path) else { return Self.missingFile }
            return try Data(contentsOf: folder.appendingPathComponent(file)).base64EncodedString()
        default: return "unexpected \(cell)"
        }
    }

    static func defaultText(_ attribute: PlainModel.Attribute) -> String {
        text(attribute.description.defaultValue, attribute.type)
    }
}

// MARK: From managed objects

extension ObjectGraphText {
    /// Fetches every object and reads all of it.
    init(_ context: NSManagedObjectContext, _ model: PlainModel) throws {
        for entity in model.entities where entity.parent == nil {
            for object in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity.name)) {
                let own = try #require(model[object.entity.name ?? ""])
                let key = Self.key(object)
                #expect(nodes[key] == nil, "\(key) was fetched twice")
                nodes[key] = try Node(object, own)
            }
        }
    }

    /// The end of the object's URI, without the work of making the URI.
    static func key(_ object: NSManagedObject) -> String {
        "\(object.objectID.compiledEntity.name)/p\(object.objectID.key)"
    }

    static func text(_ value: Any?, _ type: NSAttributeType) -> String {
        switch (type, value) {
        case (_, nil): return "nil"
        case (.integer16AttributeType, let number as NSNumber), (.integer32AttributeType, let number as NSNumber),
            (.integer64AttributeType, let number as NSNumber):
            return "\(number.int64Value)"
        case (.booleanAttributeType, let number as NSNumber): return number.boolValue ? "true" : "false"
        case (.decimalAttributeType, let number as NSDecimalNumber): return "\(number.decimalValue)"
        case (.doubleAttributeType, let number as NSNumber), (.floatAttributeType, let number as NSNumber):
            return "\(number.doubleValue)"
        case (.dateAttributeType, let date as Date): return "\(date.timeIntervalSinceReferenceDate)"
        case (.stringAttributeType, let text as String): return "'\(text)'"
        case (.URIAttributeType, let url as URL): return "'\(url.absoluteString)'"
        case (.UUIDAttributeType, let uuid as UUID): return uuid.uuidString.filter { $0 != "-" }
        case (.binaryDataAttributeType, let data as Data), (.transformableAttributeType, let data as Data):
            return data.base64EncodedString()
        default: return "unexpected \(String(describing: value))"
        }
    }
}

extension ObjectGraphText.Node {
    init(_ object: NSManagedObject, _ entity: PlainModel.Entity) throws {
        for attribute in entity.attributes {
            let value = object.storedValue(attribute.name, attribute.type)
            attributes[attribute.name] = ObjectGraphText.text(value, attribute.type)
            guard value == nil, attribute.description.allowsExternalBinaryDataStorage else { continue }
            // An object gives nil for a file that is missing, and the context keeps the error.
            do {
                try object.managedObjectContext?.throwReadError()
            } catch let error as CoreDataError where error.errorCode == CocoaError.Code.fileReadNoSuchFile.rawValue {
                attributes[attribute.name] = ObjectGraphText.missingFile
            }
        }
        for relationship in entity.relationships {
            let value = object.value(forKey: relationship.name)
            if !relationship.isToMany {
                #expect(value == nil || value is NSManagedObject)
                links[relationship.name] = (value as? NSManagedObject).map { [ObjectGraphText.key($0)] } ?? []
            } else if relationship.isOrdered {
                let set = try #require(value as? NSOrderedSet)
                links[relationship.name] = set.array.compactMap { $0 as? NSManagedObject }.map(ObjectGraphText.key)
            } else {
                let set = try #require(value as? Set<NSManagedObject>)
                links[relationship.name] = set.map(ObjectGraphText.key).sorted()
            }
        }
    }
}
