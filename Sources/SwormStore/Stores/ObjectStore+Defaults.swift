package import SwormRows

// The behaviour of a store in which writers wait for each other, and variants of calls.
extension ObjectStore {
    package func beginTransaction(
        locking rows: FetchSpecification, _ token: InterruptToken?
    ) throws -> any StoreTransaction {
        let transaction = try beginTransaction(token)
        do { try transaction.lock(rows) } catch {
            transaction.end()
            throw error
        }
        return transaction
    }

    package func save(
        _ request: SaveRequest, continuing view: any StoreSession, token: InterruptToken?
    ) throws -> SaveResult {
        view.end()
        return try save(request, token: token)
    }

    package func beginSerializableTransaction(_ token: InterruptToken?) throws -> any StoreTransaction {
        try beginTransaction(token)
    }
}

// Stores with one kind of views, and calls without a token.
extension ObjectStore {
    package func beginReading(_ token: InterruptToken?) throws -> any StoreSession { try beginSession(token) }
    package func beginSession() throws -> any StoreSession { try beginSession(nil) }
    func reserveKeys(root: Int, count: Int) throws -> Int64 { try reserveKeys(root: root, count: count, nil) }
    @discardableResult
    package func save(_ request: SaveRequest) throws -> SaveResult { try save(request, token: nil) }
    func beginTransaction() throws -> any StoreTransaction { try beginTransaction(nil) }
}
