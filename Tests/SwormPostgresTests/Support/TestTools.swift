#if PostgreSQL
import Foundation
import Testing

@testable import SwormPostgres

/// A number that several threads change.
///
/// @unchecked: the number is accessed only while the lock is held.
final class Counter: @unchecked Sendable {
    private let lock = NSLock()
    private var number = 0

    var value: Int { lock.withLock { number } }

    @discardableResult
    func add(_ difference: Int = 1) -> Int {
        lock.withLock {
            number += difference
            return number
        }
    }
}

/// A list that several threads append to.
///
/// @unchecked: the elements are accessed only while the lock is held.
final class SharedList<Element: Sendable>: @unchecked Sendable {
    private let lock = NSLock()
    private var list: [Element] = []

    var elements: [Element] { lock.withLock { list } }

    func append(_ element: Element) { lock.withLock { list.append(element) } }
}

/// A socket that accepts connections and says nothing.
final class SilentListener {
    let port: Int
    private let socket: Int32

    init() throws {
        #if canImport(Darwin)
        let descriptor = Foundation.socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = Foundation.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(descriptor, address, length) == 0, listen(descriptor, 8) == 0 else { return Int32(-1) }
                return getsockname(descriptor, address, &length)
            }
        }
        socket = descriptor
        port = Int(UInt16(bigEndian: address.sin_port))
        guard code == 0 else { throw POSIXError(.EADDRNOTAVAIL) }
    }

    deinit { close(socket) }
}

/// Expects a condition whose expression the macro cannot take apart, such as a mutating call.
func expect(_ isTrue: Bool, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(isTrue, sourceLocation: sourceLocation)
}

/// Blocks the thread until a condition is true, which another thread brings about.
func wait(_ seconds: Double = 120, until condition: () throws -> Bool) rethrows -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    while ContinuousClock.now < end {
        if try condition() { return true }
        usleep(2000)
    }
    return try condition()
}

/// Waits until a condition is true, without blocking the thread, which the tasks of the test may need. Such tasks have a high
/// priority: they would otherwise begin after all other tests that were started before.
func eventually(_ seconds: Double = 120, _ condition: () throws -> Bool) async throws -> Bool {
    let end = ContinuousClock.now.advanced(by: .seconds(seconds))
    while ContinuousClock.now < end {
        if try condition() { return true }
        try await Task.sleep(for: .milliseconds(2))
    }
    return try condition()
}
#endif
