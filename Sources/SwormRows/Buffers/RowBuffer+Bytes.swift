package import Foundation

extension RowBuffer {
    /// Calls the closure with the bytes of a string or a blob, which are valid for its duration. The bytes are empty
    /// if the cell holds another kind.
    @inlinable
    package func withBytes<R>(row: Int, cell: Int, _ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
        try body(span(row: row, cell: cell))
    }

    /// Returns the string, or an empty string if the cell holds none. Each call creates a string: use the bytes for
    /// comparisons.
    package func text(row: Int, cell: Int) -> String {
        guard tag(row: row, cell: cell) == .text else { return "" }
        return String(decoding: span(row: row, cell: cell), as: UTF8.self)
    }

    /// Returns the bytes of a blob, or empty data if the cell holds none.
    package func data(row: Int, cell: Int) -> Data {
        guard tag(row: row, cell: cell) == .blob else { return Data() }
        return Data(span(row: row, cell: cell))
    }

    /// Returns the blob of 16 bytes as a UUID, or nil if the cell holds something else.
    package func uuid(row: Int, cell: Int) -> UUID? {
        tag(row: row, cell: cell) == .blob ? UUID(bytes: span(row: row, cell: cell)) : nil
    }

    /// Returns the number as a decimal: an integer, a real by its shortest text, or a string. Returns nil if the cell
    /// holds no number.
    package func decimal(row: Int, cell: Int) -> Decimal? {
        switch tag(row: row, cell: cell) {
        case .integer: Decimal(int64(row: row, cell: cell))
        case .real: DecimalText.decimal(double(row: row, cell: cell))
        case .text: DecimalText.decimal(text(row: row, cell: cell))
        case .blob, .null: nil
        }
    }

    /// Compares the bytes of a string or a blob with other bytes, byte by byte, with a prefix first. The result is
    /// below, at or above zero.
    package func compareBytes(row: Int, cell: Int, to other: UnsafeRawBufferPointer) -> Int {
        Self.compare(span(row: row, cell: cell), other)
    }

    /// Compares the bytes of two cells.
    package func compareBytes(row: Int, cell: Int, toRow otherRow: Int, cell otherCell: Int) -> Int {
        Self.compare(span(row: row, cell: cell), span(row: otherRow, cell: otherCell))
    }

    /// Returns whether the bytes of a string or a blob equal the given bytes.
    package func hasBytes(row: Int, cell: Int, equalTo other: UnsafeRawBufferPointer) -> Bool {
        let own = span(row: row, cell: cell)
        return own.count == other.count && Self.compare(own, other) == 0
    }

    @usableFromInline
    func span(row: Int, cell: Int) -> UnsafeRawBufferPointer {
        let index = index(row: row, cell: cell)
        guard tags[index] == StorageClass.text.rawValue || tags[index] == StorageClass.blob.rawValue else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        // The builder wrote an offset and a length that are within the bytes. The object must outlive the pointer.
        let payload = payloads[index]
        return UnsafeRawBufferPointer(
            start: bytes + Int(payload >> 32), count: Int(truncatingIfNeeded: payload & 0xFFFF_FFFF))
    }

    private static func compare(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Int {
        let common = min(left.count, right.count)
        if common > 0, let leftBase = left.baseAddress, let rightBase = right.baseAddress {
            let order = memcmp(leftBase, rightBase, common)
            if order != 0 { return Int(order) }
        }
        return left.count - right.count
    }
}
