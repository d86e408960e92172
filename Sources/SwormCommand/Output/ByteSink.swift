import Foundation

/// An error that is thrown if the reader of the output has closed it. The tool then exits silently.
struct ClosedOutput: Error {}

/// A buffered output that collects bytes and writes them in large pieces.
final class ByteSink {
    private enum Target { case descriptor(Int32), memory }

    private static let capacity = 1 << 16
    private let target: Target
    // An unsafe buffer, because every byte of the output passes through it. All writers check for free capacity first.
    private let buffer = UnsafeMutablePointer<UInt8>.allocate(capacity: ByteSink.capacity)
    private var count = 0
    private var captured: [UInt8] = []
    /// A write error. It is stored until ``check()`` or ``flush()`` is called, so that writing a byte need not throw.
    private var failure: (any Error)?

    /// Creates a sink that writes to an open file.
    init(descriptor: Int32) { target = .descriptor(descriptor) }

    /// Creates a sink that stores its output in memory.
    init() { target = .memory }

    deinit { buffer.deallocate() }

    /// The output of an in-memory sink, as a string.
    var text: String {
        drain()
        return String(decoding: captured, as: UTF8.self)
    }

    /// The output of an in-memory sink.
    var bytes: [UInt8] {
        drain()
        return captured
    }

    @inline(__always)
    func write(_ byte: UInt8) {
        if count == Self.capacity { drain() }
        buffer[count] = byte
        count += 1
    }

    func write(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard let start = bytes.baseAddress, bytes.count > 0 else { return }
        if count + bytes.count > Self.capacity {
            drain()
            if bytes.count > Self.capacity { return send(start, length: bytes.count) }
        }
        (buffer + count).update(from: start, count: bytes.count)
        count += bytes.count
    }

    func write(_ text: String) {
        var text = text
        text.withUTF8 { write($0) }
    }

    func write(_ text: StaticString) {
        write(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Writes an integer in decimal digits.
    func write(number: Int64) {
        if number < 0 { write(UInt8(ascii: "-")) }
        write(digits: number.magnitude, width: 1)
    }

    /// Writes at least the given number of digits, with leading zeros.
    func write(digits number: UInt64, width: Int) {
        // At most 20 digits are written.
        if count + 20 > Self.capacity { drain() }
        var rest = number
        var length = 1
        var power: UInt64 = 10
        while length < 20, rest >= power {
            length += 1
            let (next, overflow) = power.multipliedReportingOverflow(by: 10)
            if overflow { break }
            power = next
        }
        length = max(min(length, 20), min(width, 20))
        var place = count + length - 1
        while place >= count {
            let (quotient, digit) = rest.quotientAndRemainder(dividingBy: 10)
            buffer[place] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: digit)
            rest = quotient
            place -= 1
        }
        count += length
    }

    /// Writes the buffered bytes, and throws the first error that has occurred.
    func flush() throws {
        drain()
        if let failure { throw failure }
    }

    /// Throws the first error that has occurred. This is fast enough to be called after every row.
    @inline(__always)
    func check() throws {
        if let failure { throw failure }
    }

    private func drain() {
        let length = count
        count = 0
        send(buffer, length: length)
    }

    private func send(_ start: UnsafePointer<UInt8>, length: Int) {
        guard failure == nil, length > 0 else { return }
        switch target {
        case .memory: captured.append(contentsOf: UnsafeBufferPointer(start: start, count: length))
        case .descriptor(let descriptor):
            var sent = 0
            while sent < length {
                let result = Foundation.write(descriptor, start + sent, length - sent)
                if result > 0 {
                    sent += result
                } else if errno != EINTR {
                    failure =
                        errno == EPIPE
                        ? ClosedOutput()
                        : ToolError(.file, "cannot write the output: \(String(cString: strerror(errno)))")
                    return
                }
            }
        }
    }
}
