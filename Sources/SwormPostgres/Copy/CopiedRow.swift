#if PostgreSQL
/// A row that COPY has read, whose bytes are valid while the row is borrowed.
package struct CopiedRow: ~Copyable {
    private static let header = Array("PGCOPY\n".utf8) + [0xFF, 0x0D, 0x0A, 0]
    /// The values; nil for NULL.
    private let values: [UnsafeRawBufferPointer?]

    /// Reads a message of COPY.
    ///
    /// - Returns: Nil for the message that ends the rows.
    /// - Throws: ``ServerError`` for bytes of another form.
    init?(_ bytes: UnsafeRawBufferPointer, hasHeader: Bool) throws(ServerError) {
        var offset = 0
        func number<Value: FixedWidthInteger>(_ type: Value.Type) throws(ServerError) -> Int {
            guard bytes.count - offset >= MemoryLayout<Value>.size else { throw Self.malformed }
            defer { offset += MemoryLayout<Value>.size }
            return Int(Value(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Value.self)))
        }
        if hasHeader {
            guard bytes.count >= Self.header.count, bytes.prefix(Self.header.count).elementsEqual(Self.header) else {
                throw Self.malformed
            }
            offset = Self.header.count
            // Flags, and a part that later versions may add.
            _ = try number(Int32.self)
            let extra = try number(Int32.self)
            guard extra >= 0, extra <= bytes.count - offset else { throw Self.malformed }
            offset += extra
        }
        let count = try number(Int16.self)
        if count == -1 { return nil }
        guard count >= 0 else { throw Self.malformed }
        var values: [UnsafeRawBufferPointer?] = []
        values.reserveCapacity(count)
        for _ in 0..<count {
            let length = try number(Int32.self)
            guard length != -1 else {
                values.append(nil)
                continue
            }
            guard length >= 0, length <= bytes.count - offset else { throw Self.malformed }
            values.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
            offset += length
        }
        self.values = values
    }

    /// The number of values.
    package var count: Int { values.count }

    /// Calls the closure with the bytes of a value in the form of its type; nil for NULL.
    package func withBytes<R>(_ column: Int, body: (UnsafeRawBufferPointer?) throws -> R) rethrows -> R {
        try body(values.indices.contains(column) ? values[column] : nil)
    }

    private static var malformed: ServerError {
        ServerError(.server, "the server sent a row of COPY in an unknown form")
    }
}
#endif
