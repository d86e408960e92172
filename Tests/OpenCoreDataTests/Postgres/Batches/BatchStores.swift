#if PostgreSQL
import Foundation
import SwormPredicates
import SwormRows
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// A context over a store in memory, which writes like a file, and one over a store on a server, with the same content.
final class BatchStores {
    let file: NSManagedObjectContext
    let server: NSManagedObjectContext
    private let coordinators: [NSPersistentStoreCoordinator]

    /// The outcome of a call.
    enum Outcome<Value: Equatable>: Equatable, CustomStringConvertible {
        case value(Value)
        case failure(code: Int, entity: String?, key: String?, message: String)

        var description: String {
            switch self {
            case .value(let value): "\(value)"
            case .failure(let code, let entity, let key, let message):
                "\(code) \(entity ?? "-").\(key ?? "-"): \(message)"
            }
        }
    }

    init(
        _ model: @autoclosure () throws -> NSManagedObjectModel = GraphLibrary.model(), keepsHistory: Bool = false,
        _ fill: (NSManagedObjectContext) throws -> Void = { _ in }
    ) throws {
        let options: [AnyHashable: Any] = keepsHistory ? [NSPersistentHistoryTrackingKey: NSNumber(value: true)] : [:]
        coordinators = [
            try GraphLibrary.coordinator(model: try model(), options: options),
            try PostgresStores.coordinator(of: try model(), options: options),
        ]
        (file, server) = (GraphLibrary.context(coordinators[0]), GraphLibrary.context(coordinators[1]))
        for context in [file, server] {
            try fill(context)
            try context.save()
        }
    }

    var store: PostgresStore {
        get throws { try #require(coordinators[1].persistentStores.first?.objectStore as? PostgresStore) }
    }

    /// Calls a closure with both contexts, and expects the same result, or errors of the same kind about the same property.
    ///
    /// - Parameters:
    ///   - comparesMessages: Whether the messages of errors must be the same, too, except for keys: each store gives its own.
    ///   - constraints: The names of constraints of which any one may be named if several are violated: each database names
    ///     that whose index it checks first.
    /// - Returns: The outcome over the server.
    @discardableResult
    func both<Value: Equatable>(
        comparesMessages: Bool = false, constraints: Set<String> = [], _ comment: @autoclosure () -> String = "",
        sourceLocation: SourceLocation = #_sourceLocation, _ body: (NSManagedObjectContext) throws -> Value
    ) -> Outcome<Value> {
        let (one, other) = (outcome(file, body), outcome(server, body))
        var (shown, found) =
            comparesMessages
            ? (one.withoutKeys, other.withoutKeys) : (one.withoutMessage, other.withoutMessage)
        if let one = one.takenConstraint, let other = other.takenConstraint, constraints.isSuperset(of: [one, other]) {
            (shown, found) = (shown.withoutProperty, found.withoutProperty)
        }
        #expect(shown == found, "file: \(one)\nserver: \(other)\n\(comment())", sourceLocation: sourceLocation)
        return other
    }

    private func outcome<Value>(
        _ context: NSManagedObjectContext, _ body: (NSManagedObjectContext) throws -> Value
    ) -> Outcome<Value> {
        do {
            return .value(try body(context))
        } catch {
            guard let own = error.asCoreData else {
                return .failure(code: 0, entity: nil, key: nil, message: "\(error)")
            }
            let first = own.flattened[0]
            return .failure(code: first.errorCode, entity: first.entity, key: first.key, message: own.message)
        }
    }

    /// Expects that both stores have the same content.
    ///
    /// - Returns: Whether they have.
    @discardableResult
    func expectSame(_ comment: @autoclosure () -> String = "", sourceLocation: SourceLocation = #_sourceLocation) throws
        -> Bool
    {
        let (one, other) = (try content(file), try content(server))
        let (onlyOne, onlyOther) = (one.filter { !other.contains($0) }, other.filter { !one.contains($0) })
        #expect(
            one == other,
            "file: \(onlyOne.joined(separator: "\n"))\nserver: \(onlyOther.joined(separator: "\n"))\n\(comment())",
            sourceLocation: sourceLocation)
        return one == other
    }

    /// The transactions of both histories, without the keys of objects, which each store gives.
    func histories(after numbers: [Int64]) throws -> (lines: [[[String]]], numbers: [Int64]) {
        var (lines, last) = ([[[String]]](), numbers)
        for (index, coordinator) in coordinators.enumerated() {
            let store = try #require(coordinator.persistentStores.first?.objectStore)
            let transactions = try store.waitForHistory(after: numbers[index])
            last[index] = transactions.last?.number ?? numbers[index]
            lines.append(transactions.map { $0.lines(store.model) { _ in 0 } })
        }
        return (lines, last)
    }

    // MARK: Content

    /// Returns all objects with their versions, values and links. Keys are left out, because each store gives its own.
    func content(_ context: NSManagedObjectContext) throws -> [String] {
        let fresh = GraphLibrary.context(try #require(context.persistentStoreCoordinator))
        let store = try #require(context.persistentStoreCoordinator?.persistentStores.first?.objectStore)
        let session = try store.beginSession()
        defer { session.end() }
        var lines: [String] = []
        for entity in store.model.entities where !entity.isAbstract {
            var request = FetchSpecification(entity: entity.number)
            request.includesSubentities = false
            let shape = RowShape(model: store.model, entity: entity.number)
            let rows = try session.rows(request, shape: shape)
            var versions: [Int64: Int64] = [:]
            for row in 0..<rows.count {
                versions[rows.int64(row: row, cell: RowShape.primaryKeyCell)] = rows.int64(
                    row: row, cell: RowShape.versionCell)
            }
            for object in try fresh.all(entity.name) where object.compiledEntity.number == entity.number {
                let version = versions[try #require(fresh.locate(object.objectID)?.0.key)] ?? -1
                let links = entity.relationships.enumerated().map { slot, relationship in
                    "\(relationship.name): \(Self.members(relationship, of: object))"
                }
                lines.append("\(Self.label(object)) v\(version) \(links.joined(separator: ", "))")
            }
        }
        return lines.sorted()
    }

    private static func members(_ relationship: CompiledRelationship, of object: NSManagedObject) -> String {
        if relationship.isTransient { return "" }
        guard relationship.isToMany else { return object.object(relationship.name).map(label) ?? "nil" }
        if relationship.isOrdered {
            return
                "\((object.value(forKey: relationship.name) as? NSOrderedSet)?.array.compactMap { ($0 as? NSManagedObject).map(label) } ?? [])"
        }
        return "\(object.set(relationship.name).map(label).sorted())"
    }

    private static func label(_ object: NSManagedObject) -> String {
        // A link whose destination was deleted without a delete rule.
        guard let context = object.managedObjectContext, (try? context.existingObject(with: object.objectID)) != nil
        else {
            return "gone"
        }
        let entity = object.compiledEntity
        let values = entity.attributes.enumerated().filter { !$1.isTransient }.map { slot, attribute -> String in
            switch object.attribute(slot) {
            case .null: "\(attribute.name)=nil"
            case .data(let data): "\(attribute.name)=\(data.count) bytes \(data.prefix(8).hexadecimal)"
            case let value: "\(attribute.name)=\(value.asStored)"
            }
        }
        return "\(entity.name)(\(values.joined(separator: ", ")))"
    }
}

extension BatchStores.Outcome {
    fileprivate var withoutMessage: Self {
        guard case .failure(let code, let entity, let key, _) = self else { return self }
        return .failure(code: code, entity: entity, key: key, message: "")
    }

    fileprivate var takenConstraint: String? {
        guard case .failure(NSManagedObjectConstraintMergeError, _, let key?, _) = self else { return nil }
        return key
    }

    fileprivate var withoutProperty: Self {
        guard case .failure(let code, let entity, _, _) = self else { return self }
        return .failure(code: code, entity: entity, key: nil, message: "")
    }

    fileprivate var withoutKeys: Self {
        guard case .failure(let code, let entity, let key, let message) = self else { return self }
        return .failure(
            code: code, entity: entity, key: key, message: message.replacing(/\bkey [0-9]+/, with: "key of a row"))
    }

    var code: Int? { if case .failure(let code, _, _, _) = self { code } else { nil } }
    var message: String { if case .failure(_, _, _, let message) = self { message } else { "" } }
    var value: Value? { if case .value(let value) = self { value } else { nil } }
}

// Plans for structs.
struct BatchField<T> {
    let name: String
    let kind: FieldKind
    let offset: Int
    let read: @Sendable (T) throws -> AttributeValue

    /// A stored property.
    init<Value>(
        _ name: String, _ keyPath: any WritableKeyPath<T, Value> & Sendable, isRead: Bool = false,
        _ read: @escaping @Sendable (Value) throws -> AttributeValue
    ) {
        self.name = name
        kind = isRead ? .custom : FieldKind(Value.self)
        offset = isRead ? -1 : MemoryLayout<T>.offset(of: keyPath) ?? -1
        self.read = { try read($0[keyPath: keyPath]) }
    }
}

extension WritePlan {
    init(_ entity: CompiledEntity, _ fields: [BatchField<T>]) throws {
        let places = try fields.map { field -> Field in
            guard case .attribute(let slot)? = entity.slot(named: field.name) else { throw POSIXError(.EINVAL) }
            return field.kind.isPlain && field.offset >= 0
                ? Field(slot: slot, kind: field.kind, offset: field.offset) : Field(slot: slot)
        }
        self.init(entity: entity.number, fields: places) { value, index in try fields[index].read(value) }
    }
}

extension NSManagedObjectContext {
    func compiled(_ entity: String) throws -> CompiledEntity { try #require(compiledModel?.entity(named: entity)) }

    /// Inserts rows from structs.
    @discardableResult
    func insert<T>(
        _ values: some Sequence<T>, as entity: String, _ fields: [BatchField<T>], taken: TakenValues = .reject
    ) throws -> Int {
        var batch = RowBatch(values, plan: try WritePlan(compiled(entity), fields))
        batch.takenValues = taken
        return try insertRows(batch).count
    }

    /// Inserts or updates rows from structs. Returns the numbers of inserted, updated and ignored values.
    func upsert<T>(
        _ values: some Sequence<T>, as entity: String, _ fields: [BatchField<T>], on constraint: [String],
        updating names: [String]?
    ) throws -> [Int]? {
        let plan = try compiled(entity)
        let slots = names?.compactMap { name -> Int? in
            if case .attribute(let slot)? = plan.slot(named: name) { slot } else { nil }
        }
        let counts = try upsertRows(
            RowBatch(values, plan: WritePlan(plan, fields)), by: [UpsertRule(constraint: constraint, updates: slots)])
        return counts.map { [$0.inserted, $0.updated, $0.ignored] }
    }
}
#endif
