/// A slot for a statement that is used repeatedly, which finds the prepared statement without a lookup by its text.
///
/// A slot belongs to one connection. It does not prevent the statement from being removed from the connection's cache.
package final class StatementSlot {
    let sql: String
    fileprivate weak var prepared: PreparedStatement?

    package init(_ sql: String) { self.sql = sql }
}

extension Connection {
    /// Returns the statement of a slot that was created for this connection. See ``statement(_:)``.
    package func statement(_ slot: StatementSlot) throws -> Statement {
        if let prepared = slot.prepared, !prepared.isInUse {
            prepared.isInUse = true
            return Statement(prepared, of: self)
        }
        let statement = try statement(slot.sql)
        if statement.prepared.isCached { slot.prepared = statement.prepared }
        return statement
    }
}
