import Foundation

/// The pages of a database file whose trees may be damaged, including those of its log.
///
/// Bounds are checked before anything is read, because every number in the file may be wrong.
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
    /// Whether the file has pointer map pages. Stores of Core Data have them, so this is assumed if the header cannot
    /// be read.
    let hasMaps: Bool
    /// The encoding of strings.
    let encoding: String.Encoding

    init(_ url: URL) throws {
        main = try Data(contentsOf: url, options: .alwaysMapped)
        log = (try? Data(contentsOf: URL(fileURLWithPath: url.path + "-wal"), options: .alwaysMapped)) ?? Data()
        let header = [UInt8](main.prefix(100))
        let isHeader = header.count == 100 && header.starts(with: "SQLite format 3\0".utf8)
        let said = header.number(at: 16, size: 2) == 1 ? 65_536 : Int(header.number(at: 16, size: 2))
        let isSound = said >= 512 && said <= 65_536 && said & (said - 1) == 0
        pageSize = isSound ? said : Self.standardPageSize
        let reserved = isSound && header.count > 20 ? Int(header[20]) : 0
        usableSize = pageSize - reserved >= 480 ? pageSize - reserved : pageSize
        hasMaps = !isHeader || header.number(at: 52, size: 4) > 0
        encoding =
            switch isHeader ? header.number(at: 56, size: 4) : 1 {
            case 2: .utf16LittleEndian
            case 3: .utf16BigEndian
            default: .utf8
            }
        count = (main.count + pageSize - 1) / pageSize
        // The size in the header is only valid if the last writer updated it.
        let size = Int(header.number(at: 28, size: 4))
        if isHeader, size > 0, header.number(at: 24, size: 4) == header.number(at: 92, size: 4) {
            count = min(count, size)
        }
        readLog()
    }

    /// Returns the content of a page, or nil if it is not completely in the file.
    func page(_ number: Int) -> [UInt8]? {
        guard number >= 1, number <= count else { return nil }
        let (data, start) = logged[number].map { (log, $0) } ?? (main, (number - 1) * pageSize)
        guard start + pageSize <= data.count else { return nil }
        let first = data.startIndex + start
        return [UInt8](data[first..<first + pageSize])
    }

    /// Finds the pages of the complete transactions in the log. The log ends at the first frame with a wrong checksum.
    private mutating func readLog() {
        guard log.count >= 32 else { return }
        let header = [UInt8](log.prefix(32))
        guard header[0] == 0x37, header[1] == 0x7F, header[2] == 0x06, header[3] & 0xFE == 0x82,
            Int(header.number(at: 8, size: 4)) == pageSize
        else { return }
        var sum = LogChecksum(isBigEndian: header[3] & 1 == 1)
        sum.add(header[0..<24])
        guard sum.agrees(with: header, at: 24) else { return }
        var pending: [Int: Int] = [:]
        var highest = 0
        var start = 32
        while start + 24 + pageSize <= log.count {
            let first = log.startIndex + start
            let frame = [UInt8](log[first..<first + 24])
            // Frames of an earlier pass over the log have other salts.
            guard frame[8..<16] == header[16..<24] else { break }
            sum.add(frame[0..<8])
            sum.add([UInt8](log[first + 24..<first + 24 + pageSize])[...])
            guard sum.agrees(with: frame, at: 16) else { break }
            let number = Int(frame.number(at: 0, size: 4))
            pending[number] = start + 24
            highest = max(highest, number)
            let size = Int(frame.number(at: 4, size: 4))
            if size > 0 {
                logged.merge(pending) { $1 }
                pending = [:]
                count = min(size, max(count, highest))
            }
            start += 24 + pageSize
        }
    }
}

/// The cumulative checksum of a log's frames.
private struct LogChecksum {
    let isBigEndian: Bool
    private var sums: (UInt32, UInt32) = (0, 0)

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    mutating func add(_ bytes: ArraySlice<UInt8>) {
        var (one, two) = sums
        bytes.withUnsafeBytes { buffer in
            for start in stride(from: 0, to: buffer.count - 7, by: 8) {
                let first = buffer.loadUnaligned(fromByteOffset: start, as: UInt32.self)
                let second = buffer.loadUnaligned(fromByteOffset: start + 4, as: UInt32.self)
                one = one &+ (isBigEndian ? UInt32(bigEndian: first) : UInt32(littleEndian: first)) &+ two
                two = two &+ (isBigEndian ? UInt32(bigEndian: second) : UInt32(littleEndian: second)) &+ one
            }
        }
        sums = (one, two)
    }

    func agrees(with bytes: [UInt8], at start: Int) -> Bool {
        bytes.number(at: start, size: 4) == UInt64(sums.0) && bytes.number(at: start + 4, size: 4) == UInt64(sums.1)
    }
}

extension [UInt8] {
    /// Returns a big-endian number of up to eight bytes, or 0 beyond the end.
    func number(at start: Int, size: Int) -> UInt64 {
        guard start >= 0, size >= 0, start + size <= count else { return 0 }
        return self[start..<start + size].reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Returns a number of one to nine bytes and the position after it, or nil beyond the end.
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
