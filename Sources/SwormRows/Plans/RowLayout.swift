import Foundation

/// A row plan without its generic type.
package final class RowLayout: Sendable {
    package struct Custom: Sendable {
        package let column: Int32
        package let apply: @Sendable (UnsafeMutableRawPointer, borrowing ColumnView) throws -> Void

        package init(
            column: Int32, apply: @escaping @Sendable (UnsafeMutableRawPointer, borrowing ColumnView) throws -> Void
        ) {
            self.column = column
            self.apply = apply
        }
    }

    /// The content of a row before its columns are read.
    package enum Start: Sendable {
        /// Plain bytes, into which the fields are written as new memory. Only used if no reference is outside the
        /// fields.
        case bytes([UInt8])
        /// A copy of one value, to whose fields values are assigned.
        case copied
        /// A separate value for each row.
        case made
        /// Memory that the plan of the row's kind initializes.
        case variants
    }

    package let ops: [RowOp]
    package let customs: [Custom]
    package let stride: Int
    package let alignment: Int
    package let start: Start
    package let make: @Sendable (UnsafeMutableRawPointer) -> Void
    package let copy: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
    package let destroy: @Sendable (UnsafeMutableRawPointer) -> Void
    /// The kinds of rows, if a column identifies the kind of each row.
    package let variants: RowVariants?
    package let hasExternal: Bool
    /// The reason why the plan cannot be used, if any.
    package let mistake: String?

    init(
        ops: [RowOp], customs: [Custom], stride: Int, alignment: Int, start: Start,
        make: @escaping @Sendable (UnsafeMutableRawPointer) -> Void,
        copy: @escaping @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void,
        destroy: @escaping @Sendable (UnsafeMutableRawPointer) -> Void, variants: RowVariants?, mistake: String?
    ) {
        self.ops = ops
        self.customs = customs
        self.stride = stride
        self.alignment = alignment
        self.start = start
        self.make = make
        self.copy = copy
        self.destroy = destroy
        self.variants = variants
        let parts = variants?.variants ?? []
        hasExternal = ops.contains(where: \.isExternal) || parts.contains { $0.layout.hasExternal }
        self.mistake = mistake ?? parts.lazy.compactMap(\.layout.mistake).first
    }

    /// Returns whether every gap between the fields is too small for a reference, so that everything outside the
    /// fields is plain bytes.
    static func covers(_ ops: [RowOp], size: Int) -> Bool {
        var end = 0
        for op in ops.sorted(by: { $0.offset < $1.offset }) {
            // Two ops must not overlap: the second one would initialize memory that holds a live value.
            guard op.offset >= end, op.offset - end < MemoryLayout<UnsafeRawPointer>.size else { return false }
            end = op.offset + op.kind.size
        }
        return size - end < MemoryLayout<UnsafeRawPointer>.size
    }

    static func mistake(in ops: [RowOp], of type: Any.Type, size: Int) -> String? {
        for op in ops {
            if op.kind == .custom { return "column \(op.column) of \(type) needs a closure, not an offset" }
            if op.offset < 0 || op.offset > size - op.kind.size {
                return "column \(op.column): no stored property of \(type) is at offset \(op.offset)"
            }
            if op.isExternal, op.kind != .data, op.kind != .optionalData {
                return "column \(op.column) of \(type) is external binary, but its property is not Data"
            }
        }
        return nil
    }
}
