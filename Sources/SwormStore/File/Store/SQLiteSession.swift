import Foundation
import SwormSQLite
import SwormRows

/// A read transaction on one connection of a store.
class SQLiteSession: StoreSession {
    let store: SQLiteStore
    let open: OpenStore
    private let number: Int
    let lease: ConnectionLease
    /// The token that stops the session's reads.
    let token: InterruptToken
    private let interruption: SessionInterruption
    var interrupt: @Sendable () -> Void { { [interruption] in interruption.interrupt() } }

    /// - Parameters:
    ///   - connection: A connection that is assigned to the token.
    ///   - giveBack: Called with the connection after a transaction has ended, or nil for a view.
    init(
        store: SQLiteStore, open: OpenStore, connection: StoreConnection, _ token: InterruptToken?,
        giveBack: (@Sendable (StoreConnection) -> Void)? = nil
    ) {
        self.store = store
        self.open = open
        let token = token ?? connection.servedToken ?? InterruptToken()
        self.token = token
        let interruption = SessionInterruption(connection.base.interruptHandle)
        self.interruption = interruption
        let number = store.nextSession()
        self.number = number
        lease = ConnectionLease(connection, token: token, isWriting: giveBack != nil) { connection in
            interruption.disarm()
            open.pool.leases.remove(number)
            if let giveBack { giveBack(connection) } else { open.pool.giveBack(connection) }
            store.sessionEnded(number)
        }
        open.pool.leases.add(lease, number: number)
    }

    deinit { end() }

    func check(_ specification: FetchSpecification) throws {
        _ = try open.compiler.identities(specification)
    }

    func rows(_ specification: FetchSpecification, shape: RowShape) throws -> RowBuffer {
        try read { connection in
            var statement = try connection.shapes.rows(
                specification, shape: shape, by: open.compiler, on: connection.base)
            return try fill(from: &statement, shape: shape)
        }
    }

    func rows(withKeys keys: [Int64], shape: RowShape) throws -> RowBuffer {
        try read { connection in
            let compiled = open.compiler.rows(withKeys: keys, shape: shape)
            var statement = try connection.base.statement(compiled.sql)
            try statement.bind(compiled.bindings)
            return try fill(from: &statement, shape: shape)
        }
    }

    func identities(_ specification: FetchSpecification) throws -> [RowID] {
        try read { connection in
            var statement = try connection.shapes.identities(specification, by: open.compiler, on: connection.base)
            var result: [RowID] = []
            while try statement.step() {
                result.append(
                    try row(statement.int64(1), entity: statement.int64(0), of: specification.entity))
            }
            return result
        }
    }

    func count(_ specification: FetchSpecification) throws -> Int {
        try read { connection in
            var statement = try connection.shapes.count(specification, by: open.compiler, on: connection.base)
            return try statement.step() ? statement.int(0) : 0
        }
    }

    func members(ofRelationship slot: Int, entity: Int, owners: [Int64]) throws -> [StoreMember] {
        let destination = store.model[entity].relationships[slot].destination
        return try read { connection in
            let compiled = try open.compiler.members(ofRelationship: slot, in: entity, owners: owners)
            var statement = try connection.base.statement(compiled.sql)
            try statement.bind(compiled.bindings)
            var result: [StoreMember] = []
            while try statement.step() {
                result.append(
                    StoreMember(
                        owner: statement.int64(0),
                        destination: try row(statement.int64(2), entity: statement.int64(1), of: destination),
                        orderKey: statement.isNull(3) ? nil : statement.int64(3)))
            }
            return result
        }
    }

    func strayMembers(ofRelationship slot: Int, entity: Int) throws -> [(owner: Int64, key: Int64)] {
        guard let sql = open.compiler.strayMembers(ofRelationship: slot, in: entity) else { return [] }
        return try read { connection in
            var statement = try connection.base.statement(sql)
            var result: [(owner: Int64, key: Int64)] = []
            while try statement.step() { result.append((statement.int64(0), statement.int64(1))) }
            return result
        }
    }

    func memberRows(
        ofRelationship slot: Int, entity: Int, owners: [Int64], shape: RowShape, limit: Int
    ) throws -> RowBuffer {
        try read { connection in
            let compiled = try open.compiler.memberRows(
                ofRelationship: slot, in: entity, owners: owners, shape: shape, limit: limit)
            var statement = try connection.base.statement(compiled.sql)
            try statement.bind(compiled.bindings)
            return try fill(from: &statement, shape: shape, more: [CellRule(.integer), CellRule(.integer)])
        }
    }

    func memberRows(
        ofRelationship slot: Int, entity: Int, ownersBetween owners: ClosedRange<Int64>, shape: RowShape,
        expecting count: Int
    ) throws -> RowBuffer? {
        try read { connection in
            let scan = try open.compiler.memberScan(ofRelationship: slot, in: entity, owners: owners, shape: shape)
            guard let scan else { return nil }
            // Keys are assigned consecutively, so the highest key is at least the number of rows. It is found without a
            // scan.
            let table = open.columns[store.model[shape.entity].root - 1].table
            let highest = try connection.integer("SELECT max(Z_PK) FROM \(table)") ?? 0
            guard highest / 2 <= Int64(count) else { return nil }
            var statement = try connection.base.statement(scan.sql)
            try statement.bind(scan.bindings)
            do {
                return try fill(from: &statement, shape: shape, more: [CellRule(.integer)])
            } catch let error as SQLiteError where error.code == SQLiteError.tooBig {
                // Reading in batches needs less memory.
                return nil
            }
        }
    }

    func decode<T>(_ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>) throws -> [T] {
        try read { connection in
            var statement = try connection.shapes.values(
                specification, attributes: attributes, by: open.compiler, on: connection.base)
            do {
                let limit = specification.limit > 0 ? specification.limit : nil
                return try statement.decode(plan, limit: limit, external: externalReader(plan.hasExternal))
            } catch {
                throw store.model.named(error, entity: specification.entity, attributes: attributes)
            }
        }
    }

    func forEach<T>(
        _ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>,
        at first: UnsafeMutablePointer<T>?, body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws {
        try read { connection in
            var statement = try connection.shapes.values(
                specification, attributes: attributes, by: open.compiler, on: connection.base)
            do {
                let limit = specification.limit > 0 ? specification.limit : nil
                try statement.forEach(
                    plan, limit: first == nil ? limit : 1, external: externalReader(plan.hasExternal), at: first, body)
            } catch {
                throw store.model.named(error, entity: specification.entity, attributes: attributes)
            }
        }
    }

    func externalData(_ column: UnsafeRawBufferPointer) throws -> Data { try store.external.data(of: column) }

    func end() { lease.end() }

    /// Ends the view during its use without returning the connection, on which a transaction continues.
    final func handOver() {
        lease.handOver()
        interruption.disarm()
        open.pool.leases.remove(number)
        store.sessionEnded(number)
    }

    // MARK: Parts

    func read<Result>(_ body: (StoreConnection) throws -> Result) throws -> Result {
        let connection = try beginReading()
        defer { endReading() }
        do {
            let result = try body(connection)
            // A function that was interrupted returned an incomplete result.
            if let failure = token.failure { throw failure }
            try checkPlace()
            return result
        } catch {
            throw try readingError(error)
        }
    }

    /// Starts using the connection for a read. The caller must end the use with ``endReading()``.
    func beginReading() throws -> StoreConnection {
        let connection = try lease.beginUse()
        do {
            try prepare(connection)
        } catch {
            lease.endUse()
            throw error
        }
        return connection
    }

    /// Prepares the connection for its next use.
    final func prepare(_ connection: StoreConnection) throws {
        // Observers may have been added or removed since the view began.
        let watch = try store.currentWatch()
        // A single connection may have been used by another view in between.
        connection.serve(token, watch: watch)
        open.pool.touch()
    }

    func endReading() { lease.endUse() }

    /// Returns the cause of a read error: a read during a concurrent write can look like a damaged file.
    func readingError(_ error: any Error) throws -> any Error {
        try checkPlace()
        let error = store.explained(error, token: token)
        return (error as? SQLiteError).map { CoreDataError($0, while: "read", path: open.path) } ?? error
    }

    /// Returns the reader of external files, or nil if the plan has no columns that need it.
    func externalReader(_ isNeeded: Bool) -> Statement.ExternalReader? {
        guard isNeeded else { return nil }
        return store.external.data(of:)
    }

    func checkPlace() throws {
        guard let place = open.place, case .immutable = place.manner, !place.isCurrent else { return }
        throw CoreDataError(
            NSPersistentStoreOperationError,
            "The store '\(place.files.main)' was changed while it was being read. Read it again to see its new state.")
    }

    private func fill(
        from statement: inout Statement, shape: RowShape, more: [CellRule] = []
    ) throws -> RowBuffer {
        do {
            return try RowBuffer.fill(statement: &statement, rules: shape.rules(in: store.model) + more)
        } catch let issue as DecodingFailure {
            let property = shape.property(ofCell: issue.column, in: store.model)
            throw store.model.error(
                issue, entity: property?.entity ?? store.model[shape.entity].name, property: property?.name)
        }
    }

    /// Returns the identity of a row. A file may contain any entity numbers and keys, so they are checked against the
    /// model.
    ///
    /// - Parameter expected: The number of the requested entity.
    private func row(_ key: Int64, entity: Int64, of expected: Int) throws -> RowID {
        let model = store.model
        guard key > 0 else { throw CoreDataError.wrongKey(key, in: model[expected].name) }
        guard let found = model.entity(numbered: entity), model[expected].family.contains(found.number) else {
            throw CoreDataError.wrongEntity(ofRow: key, number: entity, in: model[expected].name)
        }
        return RowID(entity: found.number, key: key)
    }
}
