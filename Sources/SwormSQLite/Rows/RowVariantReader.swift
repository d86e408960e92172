import CSwormSQLite
import SwormRows

/// A reader of rows of several kinds: it reads each row with the plan of its kind, in memory of its own, and moves the value
/// into the common one.
final class RowVariantReader {
    /// The reader of one kind of row.
    private struct Part {
        var reader: RowReader
        let move: @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
        let ops: UnsafeMutableBufferPointer<RowOp>
        let template: UnsafeMutableRawPointer?
        /// Whether the template is a value, not plain bytes.
        let ownsTemplate: Bool
        /// Memory for one value of the kind.
        let scratch: UnsafeMutableRawPointer
    }

    private let variants: RowVariants
    private let statement: OpaquePointer
    // A pointer, so that the loop over the rows checks and retains nothing.
    private let parts: UnsafeMutableBufferPointer<Part>
    /// The error that stopped the row, if it was not filled.
    private(set) var failure: (any Error)?

    init(_ variants: RowVariants, statement: OpaquePointer, external: Statement.ExternalReader?) {
        self.variants = variants
        self.statement = statement
        parts = .allocate(capacity: variants.variants.count)
        for (index, variant) in variants.variants.enumerated() {
            parts.initializeElement(
                at: index, to: Self.part(variant, statement: statement, external: external))
        }
    }

    deinit {
        for part in parts {
            part.ops.deallocate()
            if let template = part.template {
                if part.ownsTemplate { part.reader.layout.destroy(template) }
                template.deallocate()
            }
            part.scratch.deallocate()
        }
        parts.deinitialize()
        parts.deallocate()
    }

    private static func part(
        _ variant: RowVariants.Variant, statement: OpaquePointer, external: Statement.ExternalReader?
    ) -> Part {
        let layout = variant.layout
        let ops = UnsafeMutableBufferPointer<RowOp>.allocate(capacity: layout.ops.count)
        _ = ops.initialize(from: layout.ops)
        var template: UnsafeMutableRawPointer?
        var ownsTemplate = false
        switch layout.start {
        case .bytes(let bytes):
            let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, bytes.count), alignment: layout.alignment)
            memory.copyMemory(from: bytes, byteCount: bytes.count)
            template = memory
        case .copied:
            let memory = UnsafeMutableRawPointer.allocate(byteCount: max(1, layout.stride), alignment: layout.alignment)
            layout.make(memory)
            template = memory
            ownsTemplate = true
        case .made, .variants: break
        }
        return Part(
            reader: RowReader(
                layout, statement: statement, ops: UnsafeBufferPointer(ops), template: template, external: external),
            move: variant.move, ops: ops, template: template, ownsTemplate: ownsTemplate,
            scratch: .allocate(byteCount: max(1, layout.stride), alignment: layout.alignment))
    }

    /// Reads the current row, and moves its value into the memory of the common type. Returns false and sets `failure` if the
    /// row is of an unknown kind, or a column does not fit; the memory is then as it was.
    ///
    /// Unsafe: the address must be that of memory of the common type, which holds a value unless the plan has no columns of
    /// its own.
    func fill(_ row: UnsafeMutableRawPointer) -> Bool {
        let number = sqlite3_column_int64(statement, variants.column)
        guard let index = variants.index(of: number) else {
            failure = UnknownRowKind(number: number, rowID: sqlite3_column_int64(statement, 0))
            return false
        }
        let scratch = parts[index].scratch
        guard parts[index].reader.fillRow(scratch) else {
            failure = parts[index].reader.filler.failure
            return false
        }
        parts[index].move(scratch, row)
        return true
    }
}
