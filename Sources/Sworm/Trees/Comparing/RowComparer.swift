import SwormPredicates

/// The comparison of values with stored ones, in memory.
///
/// Unsafe: the addresses must be those of values of the type that the comparer was created for.
final class RowComparer {
    typealias Comparison = (UnsafeRawPointer, UnsafeRawPointer) throws -> Bool

    private let fields: ContiguousArray<FieldRead>
    private let readings: [Comparison]
    private let keyFields: ContiguousArray<FieldRead>
    private let keyReadings: [Comparison]
    /// The number of bytes from one value to the next.
    let stride: Int
    /// Returns the key of a value; nil if a part of it is nil.
    let key: (UnsafeRawPointer) throws -> SaveKey?

    /// - Parameters:
    ///   - fields: The properties that are compared in place.
    ///   - readings: The comparisons of properties that must be read.
    ///   - keyFields: The properties among those in place that identify a value.
    ///   - keyReadings: The comparisons of read properties that identify a value. They return false for nil.
    init(
        stride: Int, fields: [FieldRead], readings: [Comparison], keyFields: [FieldRead], keyReadings: [Comparison],
        key: @escaping (UnsafeRawPointer) throws -> SaveKey?
    ) {
        self.stride = stride
        self.key = key
        self.fields = ContiguousArray(fields)
        self.readings = readings
        self.keyFields = ContiguousArray(keyFields)
        self.keyReadings = keyReadings
    }

    func isSame(_ one: UnsafeRawPointer, as other: UnsafeRawPointer) throws -> Bool {
        for field in fields where !field.isSame(one, as: other) { return false }
        for isSame in readings where try !isSame(one, other) { return false }
        return true
    }

    /// Returns whether each value has the key of the stored value with the same index.
    func areInOrder<Value>(_ values: [Value], of addresses: ValueAddresses) throws -> Bool {
        try values.withUnsafeBufferPointer { buffer in
            guard let start = buffer.baseAddress.map(UnsafeRawPointer.init) else { return true }
            return try buffer.indices.allSatisfy { index in
                guard let stored = addresses[index] else { return false }
                return try isSameKey(start + index * stride, as: stored)
            }
        }
    }

    /// Returns whether two values have the same key. Nil identifies nothing.
    func isSameKey(_ one: UnsafeRawPointer, as other: UnsafeRawPointer) throws -> Bool {
        for field in keyFields where !field.isSame(one, as: other) || field.isNull(one) { return false }
        for isSame in keyReadings where try !isSame(one, other) { return false }
        return true
    }
}

extension EntityMapping {
    /// Returns the comparison of values of the type.
    ///
    /// - Parameter keys: The indices of the attributes that identify a value.
    func comparer(keys: [Int]) -> RowComparer {
        var (fields, keyFields): ([FieldRead], [FieldRead]) = ([], [])
        var (readings, keyReadings): ([RowComparer.Comparison], [RowComparer.Comparison]) = ([], [])
        for index in attributes.indices {
            if let field = comparedField(index) {
                fields.append(field)
                if keys.contains(index) { keyFields.append(field) }
                continue
            }
            // Unsafe: see `RowComparer`.
            func values(_ one: UnsafeRawPointer, and other: UnsafeRawPointer) throws -> (
                AttributeValue?, AttributeValue
            ) {
                let given = one.assumingMemoryBound(to: T.self).pointee
                return (
                    try writtenValue(index, of: given),
                    try value(index, of: other.assumingMemoryBound(to: T.self).pointee)
                )
            }
            readings.append { one, other in
                let (one, other) = try values(one, and: other)
                return one.map { $0.isStoredSame(as: other) } ?? true
            }
            if keys.contains(index) {
                keyReadings.append { one, other in
                    let (one, other) = try values(one, and: other)
                    return one.map { $0 != .null && $0.isStoredSame(as: other) } ?? false
                }
            }
        }
        return RowComparer(
            stride: MemoryLayout<T>.stride, fields: fields, readings: readings, keyFields: keyFields,
            keyReadings: keyReadings, key: key(keys))
    }

    /// Returns a closure that returns the key of a value.
    private func key(_ keys: [Int]) -> (UnsafeRawPointer) throws -> SaveKey? {
        let fields = keys.compactMap { comparedField($0) }
        if fields.count == keys.count { return { place in SaveKey(fields.map { $0.value(place) }) } }
        return { place in
            let value = place.assumingMemoryBound(to: T.self).pointee
            return SaveKey(try keys.map { try self.writtenValue($0, of: value) })
        }
    }
}
