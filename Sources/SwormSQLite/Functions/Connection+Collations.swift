import CSwormSQLite

extension Connection {
    /// A function that compares the UTF-8 bytes of two strings. The result is below, at or above zero.
    package typealias Comparison = (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int

    /// Adds a collation to SQL, or replaces the one with that name. The comparison must be a total order, and must not
    /// retain the connection.
    package func addCollation(_ name: String, _ compare: @escaping Comparison) throws {
        // SQLite releases the box through the last argument after it has accepted the collation.
        let box = Unmanaged.passRetained(ComparisonBox(compare))
        let code = sqlite3_create_collation_v2(
            pointer, name, SQLITE_UTF8, box.toOpaque(),
            { data, leftCount, left, rightCount, right in
                guard let data else { return 0 }
                let box = Unmanaged<ComparisonBox>.fromOpaque(data).takeUnretainedValue()
                let order = box.compare(
                    UnsafeRawBufferPointer(start: left, count: left == nil ? 0 : Int(leftCount)),
                    UnsafeRawBufferPointer(start: right, count: right == nil ? 0 : Int(rightCount)))
                return Int32(order.signum())
            },
            { box in
                if let box { Unmanaged<ComparisonBox>.fromOpaque(box).release() }
            })
        if code != SQLITE_OK {
            // Unlike for functions, the caller must release the box if SQLite rejects a collation.
            box.release()
            throw failure(code)
        }
    }
}

private final class ComparisonBox {
    let compare: Connection.Comparison
    init(_ compare: @escaping Connection.Comparison) { self.compare = compare }
}
