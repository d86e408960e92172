import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

/// A writer that copies the cells of rows directly from the statement to the output.
///
/// The actual content of a cell determines its form, not the type in the model: a damaged store is shown as it is.
struct RowWriter {
    let columns: [ValueColumn]
    let blobs: BlobStyle
    /// The entity names by number, starting at 1.
    private let entityNames: [String]
    private let session: any StoreSession
    private let missingFiles: MissingFiles

    init(
        _ columns: [ValueColumn], blobs: BlobStyle, model: CompiledModel, session: any StoreSession,
        missingFiles: MissingFiles
    ) {
        self.columns = columns
        self.blobs = blobs
        entityNames = model.entities.map(\.name)
        self.session = session
        self.missingFiles = missingFiles
    }

    /// Writes a cell as JSON.
    func writeJSON(_ column: ValueColumn, of row: any ProjectionCursor, to sink: ByteSink) throws {
        let cell = column.cell
        let type = row.type(cell)
        if type == .null { return sink.write("null" as StaticString) }
        switch (column.kind, type) {
        case (.boolean, .integer):
            let number = row.int64(cell)
            if number == 0 || number == 1 { return sink.write(number == 1 ? "true" as StaticString : "false") }
            sink.write(number: number)
        case (.object, _):
            sink.write(UInt8(ascii: "\""))
            writeObject(cell, of: row, to: sink)
            sink.write(UInt8(ascii: "\""))
        case (.date, .integer), (.date, .real):
            sink.write(UInt8(ascii: "\""))
            DateText.write(row.double(cell), to: sink)
            sink.write(UInt8(ascii: "\""))
        case (.float, .real):
            let number = Float(row.double(cell))
            if number.isFinite { sink.write(number.description) } else { sink.writeJSON(number.description) }
        case (_, .integer): sink.write(number: row.int64(cell))
        case (_, .real): sink.writeJSON(row.double(cell))
        case (.decimal, .text):
            row.withText(cell) { bytes in
                guard let bytes = bytes.map(Self.digits) else { return }
                // A string that contains a number is written as a number, with all its digits.
                if Self.isNumber(bytes) { sink.write(bytes) } else { sink.writeJSON(utf8: bytes) }
            }
        case (_, .text):
            row.withText(cell) { if let bytes = $0 { sink.writeJSON(utf8: bytes) } }
        case (_, .blob), (_, .null): try writeBlobJSON(column, of: row, to: sink)
        }
    }

    private func writeBlobJSON(_ column: ValueColumn, of row: any ProjectionCursor, to sink: ByteSink) throws {
        do {
            try withBytes(column, of: row) { bytes in
                if column.kind == .uuid, let uuid = UUID(bytes: bytes) { return sink.writeJSON(uuid.uuidString) }
                switch blobs {
                case .base64: sink.writeJSON(blobs.text(bytes))
                case .hash: sink.write("{\"bytes\":\(bytes.count),\"sha256\":\"\(BlobStyle.sha256(bytes))\"}")
                }
            }
        } catch let missing as MissingFile {
            sink.write("{\"\(StoredForm.missing.rawValue)\":\"\(missing.name.uuidString)\"}")
        }
    }

    /// Writes a cell as a CSV field. NULL is an empty field, and an empty string is a quoted one.
    func writeCSV(_ column: ValueColumn, of row: any ProjectionCursor, to sink: ByteSink) throws {
        let cell = column.cell
        let type = row.type(cell)
        switch (column.kind, type) {
        case (_, .null): return
        case (.boolean, .integer):
            let number = row.int64(cell)
            if number == 0 || number == 1 { return sink.write(number == 1 ? "true" as StaticString : "false") }
            sink.write(number: number)
        case (.object, _): writeObject(cell, of: row, to: sink)
        case (.date, .integer), (.date, .real): DateText.write(row.double(cell), to: sink)
        case (.float, .real): sink.write(Float(row.double(cell)).description)
        case (_, .integer): sink.write(number: row.int64(cell))
        case (_, .real): sink.write(row.double(cell).description)
        case (.decimal, .text):
            row.withText(cell) { if let bytes = $0.map(Self.digits) { CSVText.write(bytes, to: sink) } }
        case (_, .text): row.withText(cell) { if let bytes = $0 { CSVText.write(bytes, to: sink) } }
        case (_, .blob):
            // CSV cannot represent a missing file: the field is empty, and the file is counted at the end.
            do { sink.write(try blobText(column, of: row)) } catch is MissingFile {}
        }
    }

    /// Returns a cell as human-readable text.
    func text(_ column: ValueColumn, of row: any ProjectionCursor) throws -> String {
        let cell = column.cell
        let type = row.type(cell)
        if type == .null { return "" }
        let sink = ByteSink()
        if column.kind == .object {
            writeObject(cell, of: row, to: sink)
            return sink.text
        }
        if type == .text, column.kind != .decimal { return row.text(cell) ?? "" }
        if type == .blob, column.kind != .uuid, blobs == .hash {
            do {
                return try withBytes(column, of: row) { "<\($0.count) bytes>" }
            } catch is MissingFile {
                return "<missing file>"
            }
        }
        try writeCSV(column, of: row, to: sink)
        return sink.text
    }

    private func blobText(_ column: ValueColumn, of row: any ProjectionCursor) throws -> String {
        try withBytes(column, of: row) { bytes in
            (column.kind == .uuid ? UUID(bytes: bytes) : nil)?.uuidString ?? blobs.text(bytes)
        }
    }

    /// Calls a closure with the bytes of a cell, including those in an external file.
    private func withBytes<Result>(
        _ column: ValueColumn, of row: any ProjectionCursor, _ body: (UnsafeRawBufferPointer) throws -> Result
    ) throws -> Result {
        try row.withBlob(column.cell) { bytes in
            let bytes = bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
            guard column.kind == .external else { return try body(bytes) }
            return try missingFiles.content(of: bytes, session).get().withUnsafeBytes(body)
        }
    }

    private func writeObject(_ cell: Int, of row: any ProjectionCursor, to sink: ByteSink) {
        let number = row.int64(cell + 1)
        if number > 0, number <= entityNames.count {
            sink.write(entityNames[Int(number) - 1])
        } else {
            // A key without a row has no entity.
            sink.write("?" as StaticString)
        }
        sink.write("/p" as StaticString)
        sink.write(number: row.int64(cell))
    }

    /// Returns the string of a decimal without the suffix that prevents SQLite from converting it to a number.
    static func digits(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        guard bytes.last == DecimalColumn.suffix.asciiValue else { return bytes }
        return UnsafeBufferPointer(rebasing: bytes.dropLast())
    }

    private static func isNumber(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let digits = bytes.first == UInt8(ascii: "-") ? bytes.dropFirst() : bytes[...]
        guard let first = digits.first, (0x30...0x39).contains(first),
            first != 0x30 || digits.count == 1 || digits.dropFirst().first == UInt8(ascii: ".")
        else { return false }
        let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count <= 2 && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { (0x30...0x39).contains($0) } }
    }
}
