#if PostgreSQL
/// The form of arrays in messages: a header, the lengths of the dimensions, and the elements with their lengths.
enum WireArray {
    /// Appends an array of one dimension without its length. Returns false if an element cannot be written.
    static func write<Element>(
        _ elements: some Collection<Element>, of type: PostgresType, to buffer: inout WireBuffer,
        write: (inout WireBuffer, Element) -> Bool
    ) -> Bool {
        writeHeader(count: elements.count, of: type, to: &buffer)
        for element in elements where !write(&buffer, element) { return false }
        return true
    }

    /// Appends the header of an array whose elements follow.
    static func writeHeader(count: Int, of type: PostgresType, to buffer: inout WireBuffer) {
        buffer.put(count == 0 ? 0 : 1 as Int32)
        // Whether there are NULLs is a hint that the server computes itself.
        buffer.put(0 as Int32)
        buffer.put(type.rawValue)
        guard count > 0 else { return }
        buffer.put(Int32(clamping: count))
        buffer.put(1 as Int32)
    }

    /// Returns the elements, nil for each that is NULL; nil for bytes of another form, for more than one dimension, and if
    /// an element cannot be read.
    static func elements<Element>(
        _ bytes: UnsafeRawBufferPointer, of type: PostgresType, read: (UnsafeRawBufferPointer) -> Element?
    ) -> [Element?]? {
        var offset = 0
        func number() -> Int? {
            guard bytes.count - offset >= 4 else { return nil }
            defer { offset += 4 }
            return Int(Int32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self)))
        }
        guard let dimensions = number(), number() != nil, let found = number(),
            UInt32(truncatingIfNeeded: found) == type.rawValue
        else { return nil }
        if dimensions == 0 { return offset == bytes.count ? [] : nil }
        // Each element takes four bytes at least, so that a wrong number of them reserves no memory.
        guard dimensions == 1, let count = number(), number() != nil, count >= 0, count <= (bytes.count - offset) / 4
        else { return nil }
        var elements: [Element?] = []
        elements.reserveCapacity(count)
        for _ in 0..<count {
            guard let length = number() else { return nil }
            if length == -1 {
                elements.append(nil)
                continue
            }
            guard length >= 0, length <= bytes.count - offset,
                let element = read(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + length]))
            else { return nil }
            elements.append(element)
            offset += length
        }
        return offset == bytes.count ? elements : nil
    }
}
#endif
