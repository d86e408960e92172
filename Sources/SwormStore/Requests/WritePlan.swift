package import SwormPredicates
import SwormSQLite
package import SwormRows

/// A plan for writing values of one type as rows of an entity: the counterpart of `RowPlan`. It is created once for a
/// type.
package struct WritePlan<T>: Sendable {
    /// The source of one attribute's value.
    package struct Field: Sendable {
        let slot: Int
        let kind: FieldKind
        /// The offset of the property in the memory of a struct; below zero if the closure must read it.
        let offset: Int

        /// Creates a field for a stored property of a struct.
        ///
        /// - Parameter offset: From `MemoryLayout<T>.offset(of:)` of a key path whose value has exactly the kind's
        ///   type.
        package init(slot: Int, kind: FieldKind, offset: Int) {
            self.slot = slot
            self.kind = kind
            self.offset = offset
        }

        /// Creates a field that the closure reads.
        package init(slot: Int) { self.init(slot: slot, kind: .custom, offset: -1) }
    }

    package let layout: WriteLayout

    /// Creates a plan for an entity.
    ///
    /// - Parameters:
    ///   - entity: The number of the entity in the store's model.
    ///   - fields: The attributes that have values. All other attributes get their defaults.
    ///   - read: Reads the field with an index. It is called for fields without an offset, and for values that need
    ///     conversion or a closer check.
    package init(entity: Int, fields: [Field], read: @escaping @Sendable (T, Int) throws -> AttributeValue) {
        // The closure accepts any address as one of T. `RowBatch` only passes addresses of values of the plan's type.
        layout = WriteLayout(
            entity: entity,
            fields: fields.map { WriteLayout.Field(slot: $0.slot, kind: $0.kind, offset: $0.offset) },
            stride: MemoryLayout<T>.stride,
            read: { place, index in try read(place.assumingMemoryBound(to: T.self).pointee, index) })
    }
}

/// A plan without its generic type, so that the loop over the rows is not generic. The closure retains the type.
package struct WriteLayout: Sendable {
    struct Field: Sendable {
        let slot: Int
        let kind: FieldKind
        let offset: Int
    }

    package let entity: Int
    let fields: [Field]
    let stride: Int
    let read: @Sendable (UnsafeRawPointer, Int) throws -> AttributeValue
}

/// Values to write as rows of an entity, or of several entities of one hierarchy, bypassing the objects of a context.
package struct RowBatch {
    /// A closure that receives a number of values that are adjacent in memory: the index of their layout, the address of the
    /// first, and their number.
    package typealias Taker = (_ layout: Int, _ start: UnsafeRawPointer, _ count: Int) throws -> Void

    /// The layouts of the values, one for each entity.
    package let layouts: [WriteLayout]
    /// Passes the values on, part by part. It must be called at most once.
    private(set) var handOver: (Taker) throws -> Void
    /// The author of the changes, for the history.
    package var author: String?
    /// The name of the context that makes the changes, for the history.
    package var contextName: String?
    /// The handling of a value to insert whose unique attributes another row has.
    package var takenValues = TakenValues.reject

    /// The number of the entity of the rows, or of one of its super-entities.
    package let entity: Int

    /// A number of values of which there are at least as many. For a collection, it is the number of values.
    package let expectedCount: Int

    package static var partSize: Int { 256 }

    /// Creates a batch. Values that are contiguous in memory are read in place; other values are copied a few at a
    /// time.
    package init<T>(_ values: some Sequence<T>, plan: WritePlan<T>) {
        layouts = [plan.layout]
        entity = plan.layout.entity
        expectedCount = values.underestimatedCount
        handOver = { take in
            let stride = MemoryLayout<T>.stride
            let isDone: Void? = try values.withContiguousStorageIfAvailable { buffer in
                // The values are passed in parts, so that the work can be stopped between them.
                for start in Swift.stride(from: 0, to: buffer.count, by: 16 * Self.partSize) {
                    guard let base = buffer.baseAddress else { return }
                    let count = min(16 * Self.partSize, buffer.count - start)
                    try take(0, UnsafeRawPointer(base) + start * stride, count)
                }
            }
            if isDone == nil { try Self.handOverParts(of: values, take) }
        }
    }

    /// Creates a batch of rows of several entities.
    ///
    /// - Parameters:
    ///   - layouts: The layouts of the values, one for each entity of a hierarchy.
    ///   - entity: The number of an entity of the hierarchy.
    ///   - expectedCount: A number of values of which there are at least as many.
    ///   - handOver: Passes the values on, in their order.
    package init(
        of layouts: [WriteLayout], in entity: Int, expecting expectedCount: Int = 0,
        handOver: @escaping (Taker) throws -> Void
    ) {
        self.expectedCount = expectedCount
        self.layouts = layouts
        self.entity = entity
        self.handOver = handOver
    }

    /// Calls a closure before each part. If it throws, no further part follows.
    package mutating func beforeEachPart(_ check: @escaping () throws -> Void) {
        let handOver = handOver
        self.handOver = { take in
            try handOver { layout, start, count in
                try check()
                try take(layout, start, count)
            }
        }
    }

    private static func handOverParts<T>(of values: some Sequence<T>, _ take: Taker) throws {
        // `count` is always the number of initialized values, which must be deinitialized.
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
            try take(0, part, count)
            part.deinitialize(count: count)
            count = 0
        }
        if count > 0 { try take(0, part, count) }
    }
}

/// The handling of values whose unique attributes already belong to a row.
package struct UpsertRule: Sendable {
    /// The attribute names of a uniqueness constraint.
    var constraint: [String]
    /// The slots of the attributes to update in an existing row, or nil to ignore such rows.
    var updates: [Int]?

    package init(constraint: [String], updates: [Int]?) {
        self.constraint = constraint
        self.updates = updates
    }
}

/// The result of writing values that bypass the objects of a context.
package struct BatchCounts: Sendable {
    package var inserted = 0
    package var updated = 0
    package var ignored = 0
    /// The keys of the inserted rows, in the order of the values.
    package var keys: [Range<Int64>] = []
    /// The keys of the inserted and the updated rows, each once, in the order of the values; nil for a batch that rejects
    /// values that another row has.
    package var written: [Int64]?
}
