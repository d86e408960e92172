import Foundation

/// The pages of a database file whose trees may be broken, with those of the log beside it.
///
/// Nothing is taken from the file without a look at its bounds: every number in it may be wrong.
struct PageFile {
    private static let standardPageSize = 4096

    private let main: Data
    private let log: Data
    /// The positions of pages in the log, by page number.
    private var logged: [Int: Int] = [:]
    let pageSize: Int
    /// The bytes of a page that SQLite uses.
    let usableSize: Int
    private(set) var count: Int
    /// Whether some pages are maps of the use of pages. Stores of Core Data's have such maps; that is assumed where
    /// the header cannot be read.
    let hasMaps: Bool

    init(_ url: URL) throws {
        main = try Data(contentsOf: url, options: .alwaysMapped)
        log = (try? Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"), options: .alwaysMapped)) ?? Data()
        let header = [UInt8](main.prefix(100))
        func number(_ start: Int) -> Int {
            start + 1 < header.count ? Int(header[start]) << 8 | Int(header[start + 1]) : 0
        }
        let said = number(16) == 1 ? 65_536 : number(16)
        let isSound = said >= 512 && said <= 65_536 && said & (said - 1) == 0
        pageSize = isSound ? said : Self.standardPageSize
        let reserved = isSound && header.count > 20 ? Int(header[20]) : 0
        usableSize = pageSize - reserved >= 480 ? pageSize - reserved : pageSize
        hasMaps = !header.starts(with: "SQLite format 3\0".utf8) || header.number(at: 52, size: 4) > 0
        count = (main.count + pageSize - 1) / pageSize
        readLog()
    }

    /// The content of a page; nil for one that is not there as a whole.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        let (data, start) = logged[number].map { (log, $0) } ?? (main, (number - 1) * pageSize)
        guard start + pageSize <= data.count else { return nil }
        let first = data.startIndex + start
        return [UInt8](data[first..<first + pageSize])
    }

    /// Finds the pages of the transactions that the log has as a whole.
    private mutating func readLog() {
        let log = log
        func bytes(_ start: Int, _ count: Int) -> [UInt8] {
            start + count <= log.count ? [UInt8](log[log.startIndex + start..<log.startIndex + start + count]) : []
        }
        let header = bytes(0, 32)
        guard header.count == 32, header[0] == 0x37, header[1] == 0x7F, header[2] == 0x06, header[3] & 0xFE == 0x82,
            Int(header.number(at: 8, size: 4)) == pageSize
        else { return }
        var pending: [Int: Int] = [:]
        var start = 32
        while case let frame = bytes(start, 24), frame.count == 24, start + 24 + pageSize <= log.count {
            // Frames of an earlier round of the log have other salts.
            guard frame[8..<16] == header[16..<24] else { break }
            pending[Int(frame.number(at: 0, size: 4))] = start + 24
            let size = Int(frame.number(at: 4, size: 4))
            if size > 0 {
                logged.merge(pending) { $1 }
                pending = [:]
                count = max(count, min(size, count + logged.count))
            }
            start += 24 + pageSize
        }
    }
}

extension [UInt8] {
    /// A number of up to eight bytes, the highest first; 0 beyond the end.
    func number(at start: Int, size: Int) -> UInt64 {
        guard start >= 0, size >= 0, start + size <= count else { return 0 }
        return self[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// A number of one to nine bytes, and the position behind it; nil beyond the end.
    func variableNumber(at start: Int) -> (value: Int64, end: Int)? {
        var value: UInt64 = 0
        for index in 0..<9 {
            let position = start + index
            guard position >= 0, position < count else { return nil }
            if index == 8 { return (Int64(bitPattern: value << 8 | UInt64(self[position])), position + 1) }
            value = value << 7 | UInt64(self[position] & 0x7F)
            if self[position] < 0x80 { return (Int64(bitPattern: value), position + 1) }
        }
        return nil
    }
}
