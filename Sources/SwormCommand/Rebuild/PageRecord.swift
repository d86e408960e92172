import Foundation
import OpenCoreData
import SwormStore

/// The values of a row, read from its record.
struct PageRecord {
    /// The values; nil for NULL.
    var values: [ExactValue?]

    /// Returns the overflow pages of a record, or nil if one of them does not exist or must not be used.
    static func furtherPages(
        of cell: TablePage.Cell, in file: PageFile, mayUse: (Int) -> Bool = { _ in true }
    ) -> [Int]? {
        var pages: [Int] = []
        var next = cell.overflow
        var seen: Set<Int> = []
        var count = cell.local.count
        while count < cell.size {
            guard mayUse(next), seen.insert(next).inserted, let page = file.page(next) else { return nil }
            pages.append(next)
            count += file.usableSize - 4
            next = Int(page.number(at: 0, size: 4))
        }
        // A chain that continues after the end of the record belongs to another record.
        return cell.overflow == 0 || next == 0 ? pages : nil
    }

    /// Returns the bytes of a record including its overflow pages, or nil if one of these does not exist.
    static func bytes(of cell: TablePage.Cell, on page: [UInt8], _ further: [Int], in file: PageFile) -> [UInt8]? {
        var bytes = [UInt8](page[cell.local])
        for number in further {
            guard let page = file.page(number) else { return nil }
            bytes += page[4..<min(file.usableSize, 4 + cell.size - bytes.count)]
        }
        return bytes
    }

    /// Creates a record from its bytes, or returns nil if they are not a valid record.
    ///
    /// - Parameter isPart: Whether bytes are missing at the end. Values in them are empty, or zero.
    init?(_ bytes: [UInt8], encoding: String.Encoding, isPart: Bool = false) {
        guard let (size, first) = bytes.variableNumber(at: 0), size >= first, size <= bytes.count else { return nil }
        var kinds: [Int64] = []
        var position = first
        while position < size {
            guard let (kind, next) = bytes.variableNumber(at: position), kind >= 0, kind != 10, kind != 11 else {
                return nil
            }
            kinds.append(kind)
            position = next
        }
        guard position == size, kinds.count <= 32_767 else { return nil }
        values = []
        values.reserveCapacity(kinds.count)
        for kind in kinds {
            var length = Self.length(of: kind)
            if length > bytes.count - position {
                guard isPart else { return nil }
                length = 0
                position = bytes.count
            }
            values.append(Self.value(kind, in: bytes, at: position..<position + length, encoding: encoding))
            position += length
        }
        guard isPart || position == bytes.count else { return nil }
    }

    private static func length(of kind: Int64) -> Int {
        switch kind {
        case 0, 8, 9: 0
        case 1...4: Int(kind)
        case 5: 6
        case 6, 7: 8
        default: Int(clamping: (kind - 12) / 2)
        }
    }

    private static func value(_ kind: Int64, in bytes: [UInt8], at range: Range<Int>, encoding: String.Encoding)
        -> ExactValue?
    {
        switch kind {
        case 0: return nil
        case 8, 9: return .integer(kind - 8)
        case 1...7 where range.isEmpty: return .integer(0)
        case 1...6:
            let width = range.count * 8
            let number = Int64(bitPattern: bytes.number(at: range.lowerBound, size: range.count) << (64 - width))
            return .integer(number >> (64 - width))
        case 7: return .real(Double(bitPattern: bytes.number(at: range.lowerBound, size: 8)))
        case _ where kind % 2 == 0: return .blob(Data(bytes[range]))
        case _ where encoding == .utf8: return .text(Data(bytes[range]))
        default: return .text(Data((String(bytes: bytes[range], encoding: encoding) ?? "").utf8))
        }
    }
}
