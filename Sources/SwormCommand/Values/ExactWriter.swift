import Foundation
import OpenCoreData
import SwormSQLite

/// Writes values as JSON from which the very same values can be read again.
struct ExactWriter {
    let blobs: BlobStyle
    let session: any StoreSession

    init(blobs: BlobStyle, session: any StoreSession) {
        self.blobs = blobs
        self.session = session
    }

    func text(_ column: ValueColumn, of row: borrowing Statement) throws -> String {
        let cell = column.cell
        switch (column.kind, row.type(cell)) {
        case (_, .null): return "null"
        case (.boolean, .integer):
            return row.int64(cell) == 0 ? "false" : row.int64(cell) == 1 ? "true" : "\(row.int64(cell))"
        case (.date, .integer), (.date, .real):
            let seconds = row.double(cell)
            return DateText.exact(seconds).map { "\"\($0)\"" } ?? Self.number(seconds)
        // A decimal is a string, so that no reader of JSON makes a double of it.
        case (.decimal, .integer): return "\"\(row.int64(cell))\""
        case (.decimal, .real):
            let number = row.double(cell)
            return DecimalColumn.number(from: number).map { "\"\($0)\"" } ?? Self.number(number)
        case (.decimal, .text):
            return row.withText(cell) { bytes in
                quoted { sink in if let bytes { sink.writeJSON(utf8: RowWriter.digits(bytes)) } }
            }
        case (_, .integer): return "\(row.int64(cell))"
        case (_, .real): return Self.number(row.double(cell))
        case (_, .text):
            return row.withText(cell) { bytes in quoted { sink in if let bytes { sink.writeJSON(utf8: bytes) } } }
        case (let kind, .blob):
            return try row.withBlob(cell) { bytes in
                let bytes = bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
                if kind == .uuid, bytes.count == 16 { return "\"\(bytes.loadUnaligned(as: UUID.self).uuidString)\"" }
                if kind == .external { return try session.externalData(bytes).withUnsafeBytes(blob) }
                return blob(bytes)
            }
        }
    }

    private func blob(_ bytes: UnsafeRawBufferPointer) -> String {
        switch blobs {
        case .base64: "\"\(Data(bytes).base64EncodedString())\""
        case .hash: "{\"bytes\":\(bytes.count),\"sha256\":\"\(BlobStyle.sha256(bytes))\"}"
        }
    }

    private func quoted(_ body: (ByteSink) -> Void) -> String {
        let sink = ByteSink()
        body(sink)
        return sink.text
    }

    private static func number(_ number: Double) -> String {
        number.isFinite ? number.description : "\"\(number)\""
    }
}
