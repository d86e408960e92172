package import SwormPredicates
import SwormSQLite
package import SwormRows

/// How values of one type become rows of an entity: what `RowPlan` is for reading. Made once for a type.
package struct WritePlan<T>: Sendable {
    /// Where the value of one attribute comes from.
    package struct Field: Sendable {
        package let slot: Int
        let kind: FieldKind
        /// Where the property lies in the memory of a struct; below zero where it must be read by the closure.
        let offset: Int

        /// A property that lies in the memory of a struct.
        ///
        /// - Parameter offset: From `MemoryLayout<T>.offset(of:)` of a key path whose value has exactly the kind's type.
        package init(slot: Int, kind: FieldKind, offset: Int) {
            self.slot = slot
            self.kind = kind
            self.offset = offset
        }

        /// Whatever the closure reads.
        package init(slot: Int) { self.init(slot: slot, kind: .custom, offset: -1) }
    }

    package let layout: WriteLayout

    /// - Parameters:
    ///   - entity: The number of the entity in the store's model.
    ///   - fields: The attributes that have values. The others get their defaults.
    ///   - read: Reads the field with an index. It is called for what has no offset, and for what needs a closer look.
    package init(entity: Int, fields: [Field], read: @escaping @Sendable (T, Int) throws -> AttributeValue) {
        // The closure may take any address for one of T: `RowBatch` gives it none but those of values of the plan's type.
        layout = WriteLayout(
            entity: entity,
            fields: fields.map { WriteLayout.Field(slot: $0.slot, kind: $0.kind, offset: $0.offset) },
            stride: MemoryLayout<T>.stride,
            read: { place, index in try read(place.assumingMemoryBound(to: T.self).pointee, index) })
    }
}

/// A plan without its type, so that the loop over the rows is not generic. The type lives on in the closure.
package struct WriteLayout: Sendable {
    package struct Field: Sendable {
        let slot: Int
        let kind: FieldKind
        let offset: Int
    }

    package let entity: Int
    let fields: [Field]
    let stride: Int
    let read: @Sendable (UnsafeRawPointer, Int) throws -> AttributeValue
}

/// Values on their way into rows of an entity, past the objects of a context.
package struct RowBatch {
    /// Takes some values that lie one behind the other, by the address of the first.
    package typealias Taker = (UnsafeRawPointer, Int) throws -> Void

    package let layout: WriteLayout
    /// Hands the values over, part by part. It may be called once.
    private(set) var handOver: (Taker) throws -> Void
    /// Who writes, for the history.
    package var author: String?
    /// The context that writes, for the history.
    package var contextName: String?

    private static var partSize: Int { 256 }

    /// Values are read where they lie, if they lie one behind the other, and else a few at a time.
    package init<T>(_ values: some Sequence<T>, _ plan: WritePlan<T>) {
        layout = plan.layout
        handOver = { take in
            let stride = MemoryLayout<T>.stride
            let isDone: Void? = try values.withContiguousStorageIfAvailable { buffer in
                // In parts, so that somebody can stop it between them.
                for start in Swift.stride(from: 0, to: buffer.count, by: 16 * Self.partSize) {
                    guard let base = buffer.baseAddress else { return }
                    let count = min(16 * Self.partSize, buffer.count - start)
                    try take(UnsafeRawPointer(base) + start * stride, count)
                }
            }
            if isDone == nil { try Self.handOverParts(of: values, take) }
        }
    }

    /// Calls a closure before each part. When it throws, no further part comes.
    package mutating func beforeEachPart(_ check: @escaping () throws -> Void) {
        let handOver = handOver
        self.handOver = { take in
            try handOver { start, count in
                try check()
                try take(start, count)
            }
        }
    }

    private static func handOverParts<T>(of values: some Sequence<T>, _ take: Taker) throws {
        // `count` tells at every moment how many values there are to give back.
        let part = UnsafeMutablePointer<T>.allocate(capacity: partSize)
        var count = 0
        defer {
            part.deinitialize(count: count)
            part.deallocate()
        }
        for value in values {
            (part + count).initialize(to: value)
            count += 1
            guard count == partSize else { continue }
            try take(part, count)
            part.deinitialize(count: count)
            count = 0
        }
        if count > 0 { try take(part, count) }
    }
}

/// What to do about values whose unique attributes a row has already.
package struct UpsertRule: Sendable {
    /// The names of attributes of a uniqueness constraint.
    package var constraint: [String]
    /// The slots of the attributes that an existing row gets; nil to leave such rows alone.
    package var updates: [Int]?

    package init(constraint: [String], updates: [Int]?) {
        self.constraint = constraint
        self.updates = updates
    }
}

/// What became of values that were written past the objects of a context.
package struct BatchCounts: Sendable {
    package var inserted = 0
    package var updated = 0
    package var ignored = 0
    /// The keys of the inserted rows, in the order of the values.
    package var keys: [Range<Int64>] = []
}
