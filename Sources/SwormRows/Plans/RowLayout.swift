import Foundation

/// A row plan without its type.
package final class RowLayout: Sendable {
    package struct Custom: Sendable {
        package let column: Int32
        package let apply: @Sendable (UnsafeMutableRawPointer, borrowing ColumnView) throws -> Void
    }

    /// What a row is before its columns are read.
    package enum Start: Sendable {
        /// Plain bytes, over which the fields are written as new memory. Only where no reference lies outside the fields.
        case bytes([UInt8])
        /// A copy of one value, whose fields are assigned.
        case copied
        /// A value of its own.
        case made
    }

    package let ops: [RowOp]
    package let customs: [Custom]
    package let stride: Int
    package let alignment: Int
    package let start: Start
    package let make: @Sendable (UnsafeMutableRawPointer) -> Void
    package let copy: @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void
    package let destroy: @Sendable (UnsafeMutableRawPointer) -> Void
    package let hasExternal: Bool
    /// Why the plan cannot be used.
    package let mistake: String?

    init(
        ops: [RowOp], customs: [Custom], stride: Int, alignment: Int, start: Start,
        make: @escaping @Sendable (UnsafeMutableRawPointer) -> Void,
        copy: @escaping @Sendable (UnsafeRawPointer, UnsafeMutableRawPointer) -> Void,
        destroy: @escaping @Sendable (UnsafeMutableRawPointer) -> Void, mistake: String?
    ) {
        self.ops = ops
        self.customs = customs
        self.stride = stride
        self.alignment = alignment
        self.start = start
        self.make = make
        self.copy = copy
        self.destroy = destroy
        hasExternal = ops.contains(where: \.isExternal)
        self.mistake = mistake
    }

    /// Whether every gap between the fields is too small for a reference, so that all that is not a field is plain bytes.
    static func covers(_ ops: [RowOp], size: Int) -> Bool {
        var end = 0
        for op in ops.sorted(by: { $0.offset < $1.offset }) {
            // Two ops for one place: the second would write new memory over a live value.
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
