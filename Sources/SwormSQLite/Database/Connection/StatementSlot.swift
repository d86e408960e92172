/// A statement that is asked for again and again: finds the prepared one without a search by its text.
///
/// It belongs to one connection. It does not keep the statement from leaving the connection's cache.
package final class StatementSlot {
    package let sql: String
    fileprivate weak var prepared: PreparedStatement?

    package init(_ sql: String) { self.sql = sql }
}

extension Connection {
    /// The statement of a slot that was made for this connection; as ``statement(_:)``.
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
