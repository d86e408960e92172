import CSwormZlib
package import Foundation

/// Data compressed as raw DEFLATE, without the header and checksum of the zlib form.
package enum Deflate {
    /// Decompresses data.
    ///
    /// - Parameter limit: The maximum number of decompressed bytes. More bytes are an error, so that a small file
    ///   cannot exhaust memory.
    package static func inflate(_ data: Data, limit: Int) throws(ArchiveError) -> Data {
        let stream = makeStream()
        defer { stream.deallocate() }
        guard inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, streamSize) == Z_OK else {
            throw ArchiveError("it cannot be decompressed: out of memory")
        }
        defer { inflateEnd(stream) }
        return try run(data, limit: limit, with: stream) { CSwormZlib.inflate($0, Z_NO_FLUSH) }
    }

    /// Compresses data.
    package static func deflate(_ data: Data) throws(ArchiveError) -> Data {
        let stream = makeStream()
        defer { stream.deallocate() }
        guard
            deflateInit2_(
                stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
                streamSize) == Z_OK
        else { throw ArchiveError("it cannot be compressed: out of memory") }
        defer { deflateEnd(stream) }
        return try run(data, limit: Int.max, with: stream) { CSwormZlib.deflate($0, Z_FINISH) }
    }

    private static let streamSize = Int32(MemoryLayout<z_stream>.size)

    /// Returns a state for zlib in separately allocated memory, because zlib keeps its address from the first call to
    /// the last.
    private static func makeStream() -> UnsafeMutablePointer<z_stream> {
        let stream = UnsafeMutablePointer<z_stream>.allocate(capacity: 1)
        stream.initialize(to: z_stream())
        return stream
    }

    private static func run(
        _ data: Data, limit: Int, with stream: UnsafeMutablePointer<z_stream>,
        _ step: (UnsafeMutablePointer<z_stream>) -> Int32
    ) throws(ArchiveError) -> Data {
        guard let size = UInt32(exactly: data.count) else { throw ArchiveError("it is too large to be compressed") }
        var input = [UInt8](data)
        var output = Data()
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        let failure: ArchiveError? = input.withUnsafeMutableBufferPointer { input in
            // Both buffers outlive the calls that read and write them.
            stream.pointee.next_in = input.baseAddress
            stream.pointee.avail_in = size
            while true {
                let (code, written) = chunk.withUnsafeMutableBufferPointer { chunk in
                    stream.pointee.next_out = chunk.baseAddress
                    stream.pointee.avail_out = UInt32(chunk.count)
                    let code = step(stream)
                    return (code, chunk.count - Int(stream.pointee.avail_out))
                }
                if output.count + written > limit { return ArchiveError("it grows beyond \(limit) bytes") }
                output.append(contentsOf: chunk[..<written])
                if code == Z_STREAM_END { return nil }
                guard code == Z_OK, written > 0 || stream.pointee.avail_in > 0 else {
                    return ArchiveError("its compressed form is damaged or truncated")
                }
            }
        }
        if let failure { throw failure }
        return output
    }
}
