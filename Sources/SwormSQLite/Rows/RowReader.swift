import CSwormSQLite
import Foundation
import SwormRows

/// A reader that steps a statement and builds the rows in the memory of an array. It is not generic: it uses a plan
/// without its type.
struct RowReader {
    let layout: RowLayout
    let statement: OpaquePointer
    /// The bytes of a template, or the value from which rows are copied.
    let template: UnsafeRawPointer?
    let size: Int
    var filler: RowFiller
    let hasCustoms: Bool
    let variants: RowVariantReader?
    /// Whether the plan of the row's kind initializes the memory of a row.
    let createsVariants: Bool
    var isEnded = false
    /// The code of the step that failed.
    var code = SQLITE_DONE

    init(
        _ layout: RowLayout, statement: OpaquePointer, ops: UnsafeBufferPointer<RowOp>, template: UnsafeRawPointer?,
        external: Statement.ExternalReader?
    ) {
        self.layout = layout
        self.statement = statement
        self.template = template
        self.hasCustoms = !layout.customs.isEmpty
        variants = layout.variants.map { RowVariantReader($0, statement: statement, external: external) }
        createsVariants = if case .variants = layout.start { true } else { false }
        if case .bytes(let bytes) = layout.start {
            size = bytes.count
            filler = RowFiller(statement: statement, ops: ops, initialises: true, external: external)
        } else {
            size = 0
            filler = RowFiller(statement: statement, ops: ops, initialises: false, external: external)
        }
    }

    /// Reads at most `room` rows into memory, and returns the number of initialized rows. It stops early at the end
    /// and at a failure.
    ///
    /// Unsafe: the memory must have space for `room` values of the plan's type, aligned and not initialized. The
    /// caller must deinitialize the counted values, even after a failure; the rest of the memory holds no values.
    mutating func read(into start: UnsafeMutableRawPointer, room: Int) -> Int {
        var row = start
        var count = 0
        let variants = variants
        while count < room {
            let code = sqlite3_step(statement)
            guard code == SQLITE_ROW else {
                isEnded = true
                self.code = code
                return count
            }
            if createsVariants {
                guard let variants, fill(row, with: variants) else { return count }
                count += 1
                row += layout.stride
                continue
            }
            if filler.initialises {
                // A type without stored properties has no bytes.
                if let template { memcpy(row, template, size) }
                // A row that fails is deinitialized, so it counts only if it is complete.
                guard filler.fill(row) else { return count }
                count += 1
            } else {
                prepare(row)
                // From here on the array owns the value, even after a failure.
                count += 1
                guard filler.fill(row) else { return count }
            }
            if hasCustoms, !applyCustoms(row) { return count }
            if let variants, !fill(row, with: variants) { return count }
            row += layout.stride
        }
        return count
    }

    /// Writes the columns of the current row into memory that holds no value. Returns false, and leaves no value, if a
    /// column does not fit.
    ///
    /// Unsafe: see ``read(into:room:)``.
    mutating func fillRow(_ row: UnsafeMutableRawPointer) -> Bool {
        if createsVariants { return variants.map { fill(row, with: $0) } ?? false }
        if filler.initialises {
            if let template { memcpy(row, template, size) }
            // A row that fails is deinitialized by the filler.
            guard filler.fill(row) else { return false }
        } else {
            prepare(row)
            guard filler.fill(row) else {
                layout.destroy(row)
                return false
            }
        }
        if hasCustoms, !applyCustoms(row) {
            layout.destroy(row)
            return false
        }
        if let variants, !fill(row, with: variants) {
            layout.destroy(row)
            return false
        }
        return true
    }

    private mutating func fill(_ row: UnsafeMutableRawPointer, with variants: RowVariantReader) -> Bool {
        if variants.fill(row) { return true }
        filler.failure = variants.failure
        return false
    }

    /// Creates the value into which the columns are then written.
    func prepare(_ row: UnsafeMutableRawPointer) {
        if case .copied = layout.start, let template { layout.copy(template, row) } else { layout.make(row) }
    }

    /// Calls the closures of the plan with a complete value.
    mutating func applyCustoms(_ row: UnsafeMutableRawPointer) -> Bool {
        do {
            for custom in layout.customs {
                try custom.apply(row, ColumnView(statement, column: custom.column))
            }
            return true
        } catch {
            if var issue = error as? DecodingFailure {
                issue.rowID = sqlite3_column_int64(statement, 0)
                filler.failure = issue
            } else {
                filler.failure = error
            }
            return false
        }
    }
}

extension RowLayout {
    /// Calls the body with a reader, and with the template from which its rows start.
    func withReader(
        of statement: OpaquePointer, external: Statement.ExternalReader?, _ body: (inout RowReader) throws -> Void
    ) throws {
        if let mistake { throw SQLiteError(code: SQLiteError.misuse, message: mistake) }
        try ops.withUnsafeBufferPointer { ops in
            switch start {
            case .bytes(let bytes):
                try bytes.withUnsafeBytes { bytes in
                    var reader = RowReader(
                        self, statement: statement, ops: ops, template: bytes.baseAddress, external: external)
                    try body(&reader)
                }
            case .copied:
                let template = UnsafeMutableRawPointer.allocate(byteCount: stride, alignment: alignment)
                make(template)
                defer {
                    destroy(template)
                    template.deallocate()
                }
                var reader = RowReader(
                    self, statement: statement, ops: ops, template: template, external: external)
                try body(&reader)
            case .made, .variants:
                var reader = RowReader(self, statement: statement, ops: ops, template: nil, external: external)
                try body(&reader)
            }
        }
    }
}
