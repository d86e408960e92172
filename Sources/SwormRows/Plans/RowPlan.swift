import Foundation

/// The destination of one column: the offset of a stored property and the property's type. It is a trivial value, so
/// that the loop over a row's fields copies and retains nothing.
package struct RowOp: Sendable, Hashable {
    package var column: Int32
    package var kind: FieldKind
    /// Whether the column is a binary column whose first byte is a marker: 1 for data that follows, 2 for a reference
    /// to a file.
    package var isExternal: Bool
    /// The offset of the property, from `MemoryLayout<T>.offset(of:)` of a writable key path whose value has exactly
    /// the kind's type.
    package var offset: Int

    package init(column: Int32, kind: FieldKind, offset: Int, isExternal: Bool = false) {
        self.column = column
        self.kind = kind
        self.isExternal = isExternal
        self.offset = offset
    }
}

/// A plan that converts the rows of a statement to values of one type. It is created once for a type and a list of
/// columns.
package struct RowPlan<T>: Sendable {
    /// A closure that sets a property without an offset: a computed property, a property of a class, or a type without
    /// a `FieldKind`.
    package struct Custom: Sendable {
        let column: Int32
        package let apply: @Sendable (inout T, borrowing ColumnView) throws -> Void

        package init(column: Int32, apply: @escaping @Sendable (inout T, borrowing ColumnView) throws -> Void) {
            self.column = column
            self.apply = apply
        }
    }

    package let layout: RowLayout

    /// Whether a column may name a file that holds its data, so that reading needs an `ExternalReader`.
    package var hasExternal: Bool { layout.hasExternal }

    /// Creates a plan for values that can start as copies of one template.
    package init(ops: [RowOp], customs: [Custom] = [], template: T) where T: Sendable {
        self.init(ops: ops, customs: customs, makesEach: false) { template }
    }

    /// Creates a plan that creates its values with `make`. It is called once for each decoding and the value is copied
    /// for each row; for a class, or with `makesEach`, it is called once for each row.
    package init(
        ops: [RowOp], customs: [Custom] = [], makesEach: Bool = false, make: @escaping @Sendable () -> T
    ) {
        self.init(
            ops: ops, customs: customs, variants: nil, makesEach: makesEach, createsVariants: false, make: make)
    }

    /// Creates a plan for rows of several kinds.
    ///
    /// - Parameters:
    ///   - ops: The columns that all rows have in common.
    ///   - variants: The kinds of rows.
    ///   - isAssigning: Whether the values are created first, also without common columns.
    ///   - make: Creates a value, into which the common columns and then the value of a variant are written. Without common
    ///     columns, the variants create the values.
    package init(
        ops: [RowOp], variants: RowVariants, isAssigning: Bool = false, make: @escaping @Sendable () -> T
    ) {
        self.init(
            ops: ops, customs: [], variants: variants, makesEach: false, createsVariants: ops.isEmpty && !isAssigning,
            make: make)
    }

    private init(
        ops: [RowOp], customs: [Custom], variants: RowVariants?, makesEach: Bool, createsVariants: Bool,
        make: @escaping @Sendable () -> T
    ) {
        let isClass = T.self is AnyObject.Type
        let mistake = RowLayout.mistake(in: ops, of: T.self, size: isClass ? 0 : MemoryLayout<T>.size)
        let start: RowLayout.Start
        if createsVariants {
            start = .variants
        } else if makesEach || isClass {
            start = .made
        } else if mistake == nil, variants == nil, RowLayout.covers(ops, size: MemoryLayout<T>.size) {
            // `init` may set a property without an op, so the bytes come from a real value.
            start = .bytes(withUnsafeBytes(of: make()) { Array($0) })
        } else {
            start = .copied
        }
        // The loop over the rows is not generic; these closures retain the type. They accept any address as one of T:
        // only `RowReader` calls them, with memory that was allocated with T's own stride and alignment.
        layout = RowLayout(
            ops: ops,
            customs: customs.map { custom in
                RowLayout.Custom(column: custom.column) { place, view in
                    try custom.apply(&place.assumingMemoryBound(to: T.self).pointee, view)
                }
            },
            stride: MemoryLayout<T>.stride,
            alignment: MemoryLayout<T>.alignment,
            start: start,
            make: { place in place.initializeMemory(as: T.self, to: make()) },
            copy: { source, place in
                place.initializeMemory(as: T.self, from: source.assumingMemoryBound(to: T.self), count: 1)
            },
            destroy: { place in place.assumingMemoryBound(to: T.self).deinitialize(count: 1) },
            variants: variants, mistake: mistake)
    }
}
