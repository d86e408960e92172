import Foundation
import SwormPredicates

/// The offset and type of a property in the memory of a struct. It consists of plain bytes, so that a loop over fields
/// copies no references.
struct FieldRead: Sendable {
    let kind: PrimitiveKind
    let isOptional: Bool
    /// The byte offset of the property, or a negative number if the property must be read through its key path.
    let offset: Int

    init(kind: PrimitiveKind, isOptional: Bool, offset: Int) {
        (self.kind, self.isOptional, self.offset) = (kind, isOptional, offset)
    }

    init(_ attribute: AttributeMapping, isClass: Bool) {
        kind = attribute.kind
        isOptional = attribute.isOptional
        offset = isClass ? -1 : attribute.directOffset ?? -1
    }

    /// Returns the value of the property.
    ///
    /// Unsafe: the address must be that of a value of the struct that the offset belongs to. The offset comes from
    /// `MemoryLayout.offset(of:)` for a key path to exactly the kind's type, or an optional of it.
    @inline(__always)
    func value(_ start: UnsafeRawPointer) -> AttributeValue {
        @inline(__always)
        func load<Value>(_ type: Value.Type) -> Value {
            (start + offset).assumingMemoryBound(to: Value.self).pointee
        }
        if !isOptional {
            switch kind {
            case .bool: return .bool(load(Bool.self))
            case .int: return .int(Int64(load(Int.self)))
            case .int16: return .int(Int64(load(Int16.self)))
            case .int32: return .int(Int64(load(Int32.self)))
            case .int64: return .int(load(Int64.self))
            case .float: return .double(Double(load(Float.self)))
            case .double: return .double(load(Double.self))
            case .decimal: return .decimal(load(Decimal.self))
            case .date: return .date(load(Date.self))
            case .string: return .string(load(String.self))
            case .data: return .data(load(Data.self))
            case .uuid: return .uuid(load(UUID.self))
            case .url: return .url(load(URL.self))
            }
        }
        let value: AttributeValue? =
            switch kind {
            case .bool: load(Bool?.self).map { .bool($0) }
            case .int: load(Int?.self).map { .int(Int64($0)) }
            case .int16: load(Int16?.self).map { .int(Int64($0)) }
            case .int32: load(Int32?.self).map { .int(Int64($0)) }
            case .int64: load(Int64?.self).map { .int($0) }
            case .float: load(Float?.self).map { .double(Double($0)) }
            case .double: load(Double?.self).map { .double($0) }
            case .decimal: load(Decimal?.self).map { .decimal($0) }
            case .date: load(Date?.self).map { .date($0) }
            case .string: load(String?.self).map { .string($0) }
            case .data: load(Data?.self).map { .data($0) }
            case .uuid: load(UUID?.self).map { .uuid($0) }
            case .url: load(URL?.self).map { .url($0) }
            }
        return value ?? .null
    }
}

/// Finds attributes by the offsets of their properties, because a key path returns its offset quickly, and computing
/// its hash is slow.
struct FieldOffsets: Sendable {
    private struct Field: Sendable {
        let type: ObjectIdentifier
        let index: Int
    }

    /// The index in `fields` for every offset, or -1. Properties at large offsets of a very large struct are found by
    /// their key paths.
    private let places: ContiguousArray<Int32>
    private let fields: ContiguousArray<Field>

    init<T>(_ table: [AttributeLine<T>]) {
        var places: ContiguousArray<Int32> = []
        var fields: ContiguousArray<Field> = []
        for (index, line) in table.enumerated() where line.size > 0 {
            guard let offset = line.offset, offset < 4096, let keyPath = line.keyPath else { continue }
            while places.count <= offset { places.append(-1) }
            // Two lines with the same offset are an issue of the table. The first one counts, as in all lookups.
            guard places[offset] < 0 else { continue }
            places[offset] = Int32(fields.count)
            fields.append(Field(type: ObjectIdentifier(type(of: keyPath as AnyKeyPath).valueType), index: index))
        }
        self.places = places
        self.fields = fields
    }

    /// Returns the index of the attribute that a key path refers to, or nil if only the key path itself can identify
    /// it.
    ///
    /// A struct and its first property have the same offset, so the type must match too.
    func index<T>(of keyPath: PartialKeyPath<T>) -> Int? {
        guard let offset = MemoryLayout<T>.offset(of: keyPath), offset < places.count, places[offset] >= 0 else {
            return nil
        }
        let field = fields[Int(places[offset])]
        return field.type == ObjectIdentifier(type(of: keyPath).valueType) ? field.index : nil
    }
}
