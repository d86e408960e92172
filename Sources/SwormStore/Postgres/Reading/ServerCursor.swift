#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

/// A cursor over the rows of a projection on a server. Values have the forms in which a file stores them.
final class ServerCursor: ProjectionCursor {
    let columns: [ProjectedColumn]
    private let projection: ProjectionSpecification
    private let session: PostgresSession
    private let connection: PostgresConnection
    // Optional, so that the rows are given up before the session is.
    private var rows: ProjectedRows?
    private var portion: PostgresResult?
    /// The row of the portion that is read next.
    private var row = 0
    private var values: [StoredValue] = []
    /// The bytes of the values that were asked for, which are valid until the next row.
    private var bytes: [UnsafeMutableRawBufferPointer] = []

    init(_ projection: ProjectionSpecification, session: PostgresSession) throws {
        self.projection = projection
        let connection = try session.lease.beginUse()
        do {
            let rows = try session.read(on: connection) { try ProjectedRows(projection, in: session, on: $0) }
            columns = rows.columns
            self.rows = rows
        } catch {
            session.lease.endUse()
            throw error
        }
        self.session = session
        self.connection = connection
    }

    deinit {
        freeBytes()
        portion = nil
        rows = nil
        session.lease.endUse()
    }

    func next() throws -> Bool {
        freeBytes()
        return try session.read(on: connection) { _ in
            do {
                while row >= portion?.rowCount ?? 0 {
                    portion = try rows?.next()
                    row = 0
                    guard portion != nil else {
                        values = []
                        return false
                    }
                }
                values = try portion?.storedValues(row) ?? []
                row += 1
                return true
            } catch {
                throw session.store.model.named(error, in: projection, columns: columns)
            }
        }
    }

    private func freeBytes() {
        for buffer in bytes { buffer.deallocate() }
        bytes = []
    }

    private func value(_ column: Int) -> StoredValue { values.indices.contains(column) ? values[column] : .null }

    func type(_ column: Int) -> StorageClass {
        switch value(column) {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob, .uuid: .blob
        }
    }

    func int64(_ column: Int) -> Int64 {
        switch value(column) {
        case .integer(let number): number
        case .real(let number):
            number.isNaN ? 0 : Int64(exactly: number.rounded(.towardZero)) ?? (number < 0 ? .min : .max)
        case .text(let text): NSString(string: text).longLongValue
        case .null, .blob, .uuid: 0
        }
    }

    func double(_ column: Int) -> Double {
        switch value(column) {
        case .integer(let number): Double(number)
        case .real(let number): number
        case .text(let text): NSString(string: text).doubleValue
        case .null, .blob, .uuid: 0
        }
    }

    func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>? {
        let copied: UnsafeRawBufferPointer?
        switch value(column) {
        case .null: copied = nil
        case .integer(let number): copied = keep("\(number)".utf8)
        case .real(let number): copied = keep("\(number)".utf8)
        case .text(let text): copied = keep(text.utf8)
        case .blob, .uuid: copied = blobBytes(column)
        }
        return copied?.bindMemory(to: UInt8.self)
    }

    func blobBytes(_ column: Int) -> UnsafeRawBufferPointer? {
        switch value(column) {
        case .null: nil
        case .blob(let data): keep(data)
        case .uuid(let uuid): keep(withUnsafeBytes(of: uuid.uuid) { Array($0) })
        case .integer, .real, .text: textBytes(column).map { UnsafeRawBufferPointer($0) }
        }
    }

    /// Copies bytes into memory that is valid until the next row.
    private func keep(_ content: some Collection<UInt8>) -> UnsafeRawBufferPointer {
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: content.count, alignment: 1)
        buffer.copyBytes(from: content)
        bytes.append(buffer)
        return UnsafeRawBufferPointer(buffer)
    }
}
#endif
