#if PostgreSQL
import Foundation
import SwormRows

/// A reader that builds the rows of a result in the memory of an array. It is not generic: it uses a plan without its
/// type.
struct ResultReader {
    let layout: RowLayout
    let result: PostgresResult
    /// The bytes of a template, or the value from which rows are copied.
    let template: UnsafeRawPointer?
    let size: Int
    var filler: ResultFiller
    let hasCustoms: Bool
    let variants: ResultVariantReader?
    /// Whether the plan of the row's kind initializes the memory of a row.
    let createsVariants: Bool
    /// The row that is read next.
    private(set) var row: Int32 = 0
    private let end: Int32

    init(
        _ layout: RowLayout, of result: PostgresResult, ops: UnsafeBufferPointer<FieldOp>,
        template: UnsafeRawPointer?
    ) {
        self.layout = layout
        self.result = result
        self.template = template
        hasCustoms = !layout.customs.isEmpty
        variants = layout.variants.map { ResultVariantReader($0, of: result) }
        createsVariants = if case .variants = layout.start { true } else { false }
        end = Int32(clamping: result.rowCount)
        if case .bytes(let bytes) = layout.start {
            size = bytes.count
            filler = ResultFiller(result, ops: ops, initializes: true)
        } else {
            size = 0
            filler = ResultFiller(result, ops: ops, initializes: false)
        }
    }

    var isEnded: Bool { row == end }

    /// Reads at most `room` rows into memory, and returns the number of initialized rows. It stops early at the end
    /// and at a failure.
    ///
    /// Unsafe: the memory must have space for `room` values of the plan's type, aligned and not initialized. The
    /// caller must deinitialize the counted values, even after a failure; the rest of the memory holds no values.
    mutating func read(into start: UnsafeMutableRawPointer, room: Int) -> Int {
        var memory = start
        var count = 0
        let variants = variants
        while count < room, row < end {
            if createsVariants {
                guard let variants, fill(memory, with: variants) else { return count }
                count += 1
            } else if filler.initializes {
                // A type without stored properties has no bytes.
                if let template { memcpy(memory, template, size) }
                // A row that fails is deinitialized, so it counts only if it is complete.
                guard filler.fill(memory, row: row) else { return count }
                count += 1
            } else {
                prepare(memory)
                // From here on the array owns the value, even after a failure.
                count += 1
                guard filler.fill(memory, row: row) else { return count }
            }
            if hasCustoms, !createsVariants, !applyCustoms(memory, row: row) { return count }
            if let variants, !createsVariants, !fill(memory, with: variants) { return count }
            memory += layout.stride
            row += 1
        }
        return count
    }

    /// Reads a row into memory that holds no value. Returns false, and leaves no value, if a column does not fit.
    ///
    /// Unsafe: see ``read(into:room:)``.
    mutating func fillRow(_ memory: UnsafeMutableRawPointer, row: Int32) -> Bool {
        self.row = row
        if createsVariants { return variants.map { fill(memory, with: $0) } ?? false }
        if filler.initializes {
            if let template { memcpy(memory, template, size) }
            // A row that fails is deinitialized by the filler.
            guard filler.fill(memory, row: row) else { return false }
        } else {
            prepare(memory)
            guard filler.fill(memory, row: row) else {
                layout.destroy(memory)
                return false
            }
        }
        if hasCustoms, !applyCustoms(memory, row: row) {
            layout.destroy(memory)
            return false
        }
        if let variants, !fill(memory, with: variants) {
            layout.destroy(memory)
            return false
        }
        return true
    }

    private mutating func fill(_ memory: UnsafeMutableRawPointer, with variants: ResultVariantReader) -> Bool {
        if variants.fill(memory, row: row) { return true }
        filler.failure = variants.failure
        return false
    }

    /// Creates the value into which the columns are then written.
    private func prepare(_ memory: UnsafeMutableRawPointer) {
        if case .copied = layout.start, let template { layout.copy(template, memory) } else { layout.make(memory) }
    }

    /// Calls the closures of the plan with a complete value.
    private mutating func applyCustoms(_ memory: UnsafeMutableRawPointer, row: Int32) -> Bool {
        do {
            for custom in layout.customs {
                try result.withView(row: row, column: custom.column) { try custom.apply(memory, $0) }
            }
            return true
        } catch {
            filler.failure = (error as? DecodingFailure).map { result.completed($0, row: row) } ?? error
            return false
        }
    }
}

extension RowLayout {
    /// Returns a column that rows of the layout, of whatever kind, are read from and that a result lacks.
    private func missingColumn(of count: Int) -> Int32? {
        for op in ops where op.column < 0 || op.column >= count { return op.column }
        for custom in customs where custom.column < 0 || custom.column >= count { return custom.column }
        guard let variants else { return nil }
        if variants.column < 0 || variants.column >= count { return variants.column }
        for variant in variants.variants { if let column = variant.layout.missingColumn(of: count) { return column } }
        return nil
    }

    /// Calls the body with a reader of a result, and with the template from which its rows start.
    func withReader(of result: PostgresResult, _ body: (inout ResultReader) throws -> Void) throws {
        if let mistake { throw ServerError(.misuse, mistake) }
        if let missing = missingColumn(of: result.columnCount) {
            throw ServerError(
                .misuse, "a plan reads column \(missing) of a result that has \(result.columnCount) columns")
        }
        let ops = ops.map { FieldOp($0, of: result) }
        try ops.withUnsafeBufferPointer { ops in
            switch start {
            case .bytes(let bytes):
                try bytes.withUnsafeBytes { bytes in
                    var reader = ResultReader(self, of: result, ops: ops, template: bytes.baseAddress)
                    try body(&reader)
                }
            case .copied:
                let template = UnsafeMutableRawPointer.allocate(byteCount: max(1, stride), alignment: alignment)
                make(template)
                defer {
                    destroy(template)
                    template.deallocate()
                }
                var reader = ResultReader(self, of: result, ops: ops, template: template)
                try body(&reader)
            case .made, .variants:
                var reader = ResultReader(self, of: result, ops: ops, template: nil)
                try body(&reader)
            }
        }
    }
}
#endif
