import Foundation

/// A reader for the lines of a file or a pipe, which reads each line once.
final class LineReader {
    /// The name of the input in messages.
    let name: String
    private let handle: FileHandle
    private var buffer = Data()
    /// The length of the start of the buffer that contains no line end.
    private var searched = 0
    private var isAtEnd = false
    private(set) var number = 0

    /// - Parameter path: The path of a file or a pipe; `-` for the standard input.
    init(_ path: String) throws {
        guard path != "-" else {
            name = "the standard input"
            handle = .standardInput
            return
        }
        let url = Arguments.url(path)
        name = "'\(url.lastPathComponent)'"
        var isFolder: ObjCBool = false
        guard FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) else {
            throw ToolError(
                .file, "there is no file '\(url.path)'", hint: "use the path of a file, or - for the standard input")
        }
        guard !isFolder.boolValue else {
            throw ToolError(
                .file, "'\(url.path)' is a folder, not a file", hint: "use the path of a file in the folder")
        }
        do {
            handle = try FileHandle(forReadingFrom: url)
        } catch {
            throw ToolError(.file, "'\(url.path)' cannot be read: \((error as NSError).localizedDescription)")
        }
    }

    deinit { if handle !== FileHandle.standardInput { try? handle.close() } }

    /// Returns the next line without its line end, or nil after the last one.
    func next() throws -> Data? {
        while true {
            if let end = buffer[(buffer.startIndex + searched)...].firstIndex(of: 0x0A) {
                let line = Data(buffer[buffer.startIndex..<end])
                buffer = buffer[(end + 1)...]
                searched = 0
                number += 1
                return line
            }
            searched = buffer.count
            if isAtEnd {
                guard !buffer.isEmpty else { return nil }
                defer {
                    buffer = Data()
                    searched = 0
                }
                number += 1
                return Data(buffer)
            }
            let more: Data
            do {
                more = try handle.read(upToCount: 1 << 20) ?? Data()
            } catch {
                throw ToolError(
                    .file, "\(name) cannot be read after line \(number): \((error as NSError).localizedDescription)")
            }
            isAtEnd = more.isEmpty
            buffer = Data(buffer) + more
        }
    }
}
