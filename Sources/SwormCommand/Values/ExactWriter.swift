import Foundation
import OpenCoreData
import SwormSQLite
import SwormRows
import SwormStore

/// A writer of JSON values that can be parsed as exactly the same values.
struct ExactWriter {
    let blobs: BlobStyle
    let session: any StoreSession
    let missingFiles: MissingFiles

    /// Returns a value as JSON. A value that is not of the column's kind, or that an import could not reproduce, is
    /// written as the content of the column: see ``StoredForm``.
    func text(_ column: ValueColumn, of row: any ProjectionCursor) throws -> String {
        let cell = column.cell
        switch (column.kind, row.type(cell)) {
        case (_, .null): return "null"
        case (.boolean, .integer):
            return row.int64(cell) == 0 ? "false" : row.int64(cell) == 1 ? "true" : "\(row.int64(cell))"
        case (.date, .integer), (.date, .real):
            let seconds = row.double(cell)
            if row.type(cell) == .integer, Int64(exactly: seconds) != row.int64(cell) {
                return Self.stored(as: .integer, "\(row.int64(cell))")
            }
            return DateText.exact(seconds).map { "\"\($0)\"" } ?? Self.number(seconds)
        // A decimal is a string, so that JSON parsers do not convert it to a double.
        case (.decimal, .integer): return "\"\(row.int64(cell))\""
        case (.decimal, .real):
            let number = row.double(cell)
            guard let decimal = DecimalColumn.number(from: number), DecimalColumn.store(decimal) == .real(number) else {
                return Self.stored(as: .real, Self.number(number))
            }
            return "\"\(decimal)\""
        case (.decimal, .text):
            return row.withText(cell) { bytes in
                let bytes = bytes ?? UnsafeBufferPointer(start: nil, count: 0)
                let digits = String(decoding: RowWriter.digits(bytes), as: UTF8.self)
                if let number = DecimalText.number(digits), case .text(let kept)? = DecimalColumn.store(number),
                    kept.utf8.elementsEqual(bytes)
                {
                    return "\"\(digits)\""
                }
                return stored(bytes)
            }
        case (.integer, .integer), (.number, .integer), (.float, .integer): return "\(row.int64(cell))"
        case (.number, .real), (.float, .real): return Self.number(row.double(cell))
        case (.text, .text):
            return row.withText(cell) { bytes in
                let bytes = bytes ?? UnsafeBufferPointer(start: nil, count: 0)
                guard bytes.isASCII || String(validating: bytes, as: UTF8.self) != nil else { return stored(bytes) }
                return quoted { $0.writeJSON(utf8: bytes, isValid: true) }
            }
        case (let kind, .blob):
            return try row.withBlob(cell) { bytes in
                let bytes = bytes ?? UnsafeRawBufferPointer(start: nil, count: 0)
                if kind == .uuid, let uuid = UUID(bytes: bytes) { return "\"\(uuid.uuidString)\"" }
                switch kind {
                case .external:
                    switch try missingFiles.content(of: bytes, session) {
                    case .success(let content): return content.withUnsafeBytes(blob)
                    case .failure(let missing): return Self.stored(as: .missing, "\"\(missing.name.uuidString)\"")
                    }
                case .blob: return blob(bytes)
                default: return blobs == .hash ? blob(bytes) : Self.stored(as: .blob, blob(bytes))
                }
            }
        case (_, .integer): return Self.stored(as: .integer, "\(row.int64(cell))")
        case (_, .real): return Self.stored(as: .real, Self.number(row.double(cell)))
        case (_, .text):
            return row.withText(cell) { stored($0 ?? UnsafeBufferPointer(start: nil, count: 0)) }
        }
    }

    private func stored(_ text: UnsafeBufferPointer<UInt8>) -> String {
        guard text.isASCII || String(validating: text, as: UTF8.self) != nil else {
            return Self.stored(as: .text64, "\"\(Data(text).base64EncodedString())\"")
        }
        return Self.stored(as: .text, quoted { $0.writeJSON(utf8: text, isValid: true) })
    }

    private static func stored(as form: StoredForm, _ content: String) -> String { "{\"\(form.rawValue)\":\(content)}" }

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
