import Foundation

/// The lines of a file, one at a time.
final class LineReader {
    private let handle: FileHandle
    private var buffer = Data()
    private var isAtEnd = false
    private(set) var number = 0

    init(_ url: URL) throws {
        do {
            handle = try FileHandle(forReadingFrom: url)
        } catch {
            throw ToolError(.file, "'\(url.path)' cannot be read: \((error as NSError).localizedDescription)")
        }
    }

    deinit { try? handle.close() }

    /// The next line without its end; nil behind the last.
    func next() throws -> Data? {
        while true {
            if let end = buffer.firstIndex(of: 0x0A) {
                let line = Data(buffer[buffer.startIndex..<end])
                buffer = buffer[(end + 1)...]
                number += 1
                return line
            }
            if isAtEnd {
                guard !buffer.isEmpty else { return nil }
                defer { buffer = Data() }
                number += 1
                return Data(buffer)
            }
            let more = try handle.read(upToCount: 1 << 20) ?? Data()
            isAtEnd = more.isEmpty
            buffer = Data(buffer) + more
        }
    }
}
