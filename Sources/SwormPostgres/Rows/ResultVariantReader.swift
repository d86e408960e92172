#if PostgreSQL
import SwormRows

/// A reader of rows of several kinds: it reads each row with the plan of its kind, in memory of its own, and moves the value
/// into the common one.
final class ResultVariantReader {
    /// The reader of one kind of row.
    private struct Part {
        var reader: ResultReader
        let move: @Sendable (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void
        let ops: UnsafeMutableBufferPointer<FieldOp>
        let template: UnsafeMutableRawPointer?
        /// Whether the template is a value, not plain bytes.
        let ownsTemplate: Bool
        /// Memory for one value of the kind.
        let scratch: UnsafeMutableRawPointer
    }

    private let variants: RowVariants
    private let result: PostgresResult
    // A pointer, so that the loop over the rows checks and retains nothing.
    private let parts: UnsafeMutableBufferPointer<Part>
    /// The error that stopped the row, if it was not filled.
    private(set) var failure: (any Error)?

    init(_ variants: RowVariants, of result: PostgresResult) {
        self.variants = variants
        self.result = result
        parts = .allocate(capacity: variants.variants.count)
        for (index, variant) in variants.variants.enumerated() {
            parts.initializeElement(at: index, to: Self.part(variant, of: result))
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

    private static func part(_ variant: RowVariants.Variant, of result: PostgresResult) -> Part {
        let layout = variant.layout
        let ops = UnsafeMutableBufferPointer<FieldOp>.allocate(capacity: layout.ops.count)
        _ = ops.initialize(from: layout.ops.map { FieldOp($0, of: result) })
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
            reader: ResultReader(layout, of: result, ops: UnsafeBufferPointer(ops), template: template),
            move: variant.move, ops: ops, template: template, ownsTemplate: ownsTemplate,
            scratch: .allocate(byteCount: max(1, layout.stride), alignment: layout.alignment))
    }

    /// Reads a row, and moves its value into the memory of the common type. Returns false and sets `failure` if the row is
    /// of an unknown kind, or a column does not fit; the memory is then as it was.
    ///
    /// Unsafe: the address must be that of memory of the common type, which holds a value unless the plan has no columns of
    /// its own.
    func fill(_ memory: UnsafeMutableRawPointer, row: Int32) -> Bool {
        guard let number = result.integer(row, column: variants.column) else {
            failure = result.failure(row: row, column: variants.column, expected: FieldKind.int64.expectation)
            return false
        }
        guard let index = variants.index(of: number) else {
            failure = UnknownRowKind(number: number, rowID: result.rowID(row))
            return false
        }
        let scratch = parts[index].scratch
        guard parts[index].reader.fillRow(scratch, row: row) else {
            failure = parts[index].reader.filler.failure
            return false
        }
        parts[index].move(scratch, memory)
        return true
    }
}
#endif
