import Foundation
import SwormPredicates

// Unsafe, like `value(_:)`: both addresses must be those of values of the struct that the offset belongs to.
extension FieldRead {
    /// Creates the field of a value that is an attribute itself.
    init(of attribute: AttributeMapping) {
        self.init(kind: attribute.kind, isOptional: attribute.isOptional, offset: 0)
    }

    /// Returns whether a store holds the same for two values. Strings are compared by their bytes.
    @inline(__always)
    func isSame(_ one: UnsafeRawPointer, as other: UnsafeRawPointer) -> Bool {
        @inline(__always)
        func equal<Value: Equatable>(_ type: Value.Type) -> Bool {
            (one + offset).assumingMemoryBound(to: Value.self).pointee
                == (other + offset).assumingMemoryBound(to: Value.self).pointee
        }
        if kind == .string {
            return isOptional
                ? haveSameBytes(one, and: other, as: String?.self) : haveSameBytes(one, and: other, as: String.self)
        }
        if !isOptional {
            switch kind {
            case .bool: return equal(Bool.self)
            case .int, .int64: return equal(Int64.self)
            case .int16: return equal(Int16.self)
            case .int32: return equal(Int32.self)
            case .float: return equal(Float.self)
            case .double: return equal(Double.self)
            case .decimal: return equal(Decimal.self)
            case .date: return equal(Date.self)
            case .string: return false
            case .data: return equal(Data.self)
            case .uuid: return equal(UUID.self)
            case .url: return equal(URL.self)
            }
        }
        switch kind {
        case .bool: return equal(Bool?.self)
        case .int, .int64: return equal(Int64?.self)
        case .int16: return equal(Int16?.self)
        case .int32: return equal(Int32?.self)
        case .float: return equal(Float?.self)
        case .double: return equal(Double?.self)
        case .decimal: return equal(Decimal?.self)
        case .date: return equal(Date?.self)
        case .string: return false
        case .data: return equal(Data?.self)
        case .uuid: return equal(UUID?.self)
        case .url: return equal(URL?.self)
        }
    }

    /// Returns whether the property is nil.
    func isNull(_ start: UnsafeRawPointer) -> Bool { isOptional && value(start) == .null }

    @inline(__always)
    private func haveSameBytes<Value: BytesComparable>(
        _ one: UnsafeRawPointer, and other: UnsafeRawPointer, as type: Value.Type
    ) -> Bool {
        let one = (one + offset).assumingMemoryBound(to: Value.self)
        let other = (other + offset).assumingMemoryBound(to: Value.self)
        // Small strings, and strings in the same memory, have the same representation.
        if memcmp(one, other, MemoryLayout<Value>.size) == 0 { return true }
        return one.pointee.hasSameBytes(as: other.pointee)
    }
}

private protocol BytesComparable {
    func hasSameBytes(as other: Self) -> Bool
}

extension String: BytesComparable {
    fileprivate func hasSameBytes(as other: String) -> Bool {
        let same = utf8.withContiguousStorageIfAvailable { one in
            other.utf8.withContiguousStorageIfAvailable { other in
                guard let first = one.baseAddress, let second = other.baseAddress else {
                    return one.count == other.count
                }
                return one.count == other.count && memcmp(first, second, one.count) == 0
            }
        }
        return (same ?? nil) ?? utf8.elementsEqual(other.utf8)
    }
}

extension String?: BytesComparable {
    fileprivate func hasSameBytes(as other: String?) -> Bool {
        guard let self, let other else { return self == nil && other == nil }
        return self.hasSameBytes(as: other)
    }
}
