#if PostgreSQL
import Foundation

/// Bytes that grow, in the form of messages: parameters, arrays and the rows of COPY.
package struct WireBuffer: ~Copyable {
    private(set) var start: UnsafeMutableRawPointer
    private(set) var count = 0
    private var capacity: Int

    package init(capacity: Int = 256) {
        self.capacity = max(16, capacity)
        start = .allocate(byteCount: self.capacity, alignment: 8)
    }

    deinit { start.deallocate() }

    package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: start, count: count) }

    /// Removes the bytes from an offset on.
    mutating func removeAll(from offset: Int = 0) { count = min(count, max(0, offset)) }

    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if more > capacity - count { grow(by: more) }
    }

    @inline(never)
    private mutating func grow(by more: Int) {
        capacity = max(capacity * 2, count + more)
        let moved = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 8)
        moved.copyMemory(from: start, byteCount: count)
        start.deallocate()
        start = moved
    }

    @inline(__always)
    mutating func put<Value: FixedWidthInteger>(_ value: Value) {
        reserve(MemoryLayout<Value>.size)
        (start + count).storeBytes(of: value.bigEndian, as: Value.self)
        count += MemoryLayout<Value>.size
    }

    @inline(__always)
    mutating func put(_ bytes: UnsafeRawBufferPointer) {
        reserve(bytes.count)
        if let source = bytes.baseAddress { memcpy(start + count, source, bytes.count) }
        count += bytes.count
    }

    // MARK: Values, with their length before them

    /// The length of a value that is NULL.
    @inline(__always)
    mutating func putNull() { put(-1 as Int32) }

    @inline(__always)
    mutating func putValue<Value: FixedWidthInteger>(_ value: Value) {
        put(Int32(MemoryLayout<Value>.size))
        put(value)
    }

    @inline(__always)
    mutating func putValue(_ value: Bool) { putValue(value ? 1 : 0 as UInt8) }

    @inline(__always)
    mutating func putValue(_ value: Double) { putValue(value.bitPattern) }

    @inline(__always)
    mutating func putValue(_ value: Float) { putValue(value.bitPattern) }

    /// Appends bytes as a value. Returns false and appends nothing if they are too long for a message.
    @inline(__always)
    mutating func putValue(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard bytes.count <= Self.longestValue else { return false }
        put(Int32(truncatingIfNeeded: bytes.count))
        put(bytes)
        return true
    }

    /// Appends a string. Returns false and appends nothing if it contains NUL, which the server cannot store.
    @inline(__always)
    mutating func putValue(text bytes: UnsafeRawBufferPointer) -> Bool {
        if let start = bytes.baseAddress, memchr(start, 0, bytes.count) != nil { return false }
        return putValue(bytes)
    }

    mutating func putValue(_ value: String) -> Bool {
        var value = value
        return value.withUTF8 { putValue(text: UnsafeRawBufferPointer($0)) }
    }

    mutating func putValue(_ value: UUID) { _ = withUnsafeBytes(of: value.uuid) { putValue($0) } }

    /// Appends a date as a `timestamptz`. Returns false and appends nothing if it is out of range.
    mutating func putTimestamp(_ date: Date) -> Bool {
        guard let microseconds = Wire.microseconds(date.timeIntervalSinceReferenceDate) else { return false }
        putValue(microseconds)
        return true
    }

    /// Appends a value of unknown length, which the body writes, and returns whether the body could write it. If not,
    /// nothing is appended.
    mutating func putValue(written body: (inout WireBuffer) -> Bool) -> Bool {
        let offset = count
        put(0 as Int32)
        guard body(&self), count - offset - 4 <= Self.longestValue else {
            removeAll(from: offset)
            return false
        }
        let length = Int32(truncatingIfNeeded: count - offset - 4)
        (start + offset).storeBytes(of: length.bigEndian, as: Int32.self)
        return true
    }

    /// The length of the longest value, which is that of a message of one gibibyte without its frame.
    static let longestValue = 0x3FFF_FF00
}
#endif
