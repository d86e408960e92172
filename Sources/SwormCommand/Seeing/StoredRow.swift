import Foundation
import SwormRows
import SwormStore

/// A row of values in memory, for writers that read the rows of a store.
final class StoredRow: ProjectionCursor {
    let columns: [ProjectedColumn] = []
    private let values: [StoredValue]
    /// The memory of the bytes that the last call has returned.
    private var memory: UnsafeMutableBufferPointer<UInt8>?

    init(_ values: [StoredValue]) { self.values = values }

    deinit { memory?.deallocate() }

    func next() throws -> Bool { false }

    func type(_ column: Int) -> StorageClass {
        switch values[column] {
        case .null: .null
        case .integer: .integer
        case .real: .real
        case .text: .text
        case .blob, .uuid: .blob
        }
    }

    func int64(_ column: Int) -> Int64 {
        switch values[column] {
        case .integer(let number): number
        case .real(let number): Int64(exactly: number.rounded(.towardZero)) ?? 0
        default: 0
        }
    }

    func double(_ column: Int) -> Double {
        switch values[column] {
        case .integer(let number): Double(number)
        case .real(let number): number
        default: 0
        }
    }

    func textBytes(_ column: Int) -> UnsafeBufferPointer<UInt8>? {
        guard case .text(let text) = values[column] else { return nil }
        return retain(text.utf8)
    }

    func blobBytes(_ column: Int) -> UnsafeRawBufferPointer? {
        switch values[column] {
        case .blob(let data): UnsafeRawBufferPointer(retain(data))
        case .uuid(let uuid): UnsafeRawBufferPointer(withUnsafeBytes(of: uuid.uuid) { retain($0) })
        default: nil
        }
    }

    private func retain(_ bytes: some Collection<UInt8>) -> UnsafeBufferPointer<UInt8> {
        memory?.deallocate()
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        memory = copy
        return UnsafeBufferPointer(copy)
    }
}
