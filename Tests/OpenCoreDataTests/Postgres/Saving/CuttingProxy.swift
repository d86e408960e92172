#if PostgreSQL
import Foundation
import Testing

#if canImport(Glibc)
import Glibc
#endif

/// A proxy between clients and a server's socket that cuts a connection around a COMMIT.
///
/// @unchecked: the state is accessed only while the lock is held.
final class CuttingProxy: @unchecked Sendable {
    enum Cut: String, Sendable {
        /// The server never gets the message with COMMIT.
        case beforeCommit
        /// The server gets the message, and the client's connection ends at once.
        case afterCommit
        /// The server has answered, and the client never gets the answer.
        case beforeAnswer
        /// The server has answered, and the client cannot read the first message of the answer.
        case garbledAnswer
    }

    static let port = 5432
    let folder: String
    private let target: String
    private let listener: Int32
    private let lock = NSLock()
    private var pending: Cut?
    private var refuses = false
    private var wasCut = false

    /// Whether no client can connect any more after a connection was cut.
    var refusesAfterCut: Bool {
        get { lock.withLock { refuses } }
        set { lock.withLock { refuses = newValue } }
    }

    /// - Parameter target: The path of the server's socket.
    init(to target: String) throws {
        self.target = target
        folder = "/tmp/sworm-cut-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = socket(AF_UNIX, Self.stream, 0)
        let isBound = Self.withAddress("\(folder)/.s.PGSQL.\(Self.port)") { Glibc.bind(listener, $0, $1) }
        try #require(isBound == 0 && listen(listener, 16) == 0)
        Thread.detachNewThread { [listener, weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                self.serve(client)
            }
        }
    }

    deinit {
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Cuts the connection of the next COMMIT.
    func cut(_ cut: Cut) { lock.withLock { pending = cut } }

    private static var stream: Int32 { Int32(SOCK_STREAM.rawValue) }

    private static func withAddress<R>(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R
    ) -> R {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }

    private func serve(_ client: Int32) {
        let server = socket(AF_UNIX, Self.stream, 0)
        let isOpen = lock.withLock { !(refuses && wasCut) }
        guard isOpen, Self.withAddress(target, { Glibc.connect(server, $0, $1) }) == 0 else {
            close(client)
            close(server)
            return
        }
        let (answersAreDropped, answerIsGarbled) = (Flag(), Flag())
        Thread.detachNewThread { [self] in
            Self.copy(from: client, to: server) { bytes in
                // A statement ends with a zero. The level READ COMMITTED does not commit.
                guard bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil else { return .forward }
                let cut = lock.withLock {
                    defer { pending = nil }
                    if pending != nil { wasCut = true }
                    return pending
                }
                switch cut {
                case nil: return .forward
                case .beforeCommit?: return .end
                case .afterCommit?: return .forwardAndEnd
                case .beforeAnswer?:
                    answersAreDropped.set()
                    return .forward
                case .garbledAnswer?:
                    answerIsGarbled.set()
                    return .forward
                }
            }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_WR))
        }
        Thread.detachNewThread {
            Self.copy(from: server, to: client) { bytes in
                // No message of the server has this type.
                if answerIsGarbled.take() { bytes[0] = UInt8(ascii: "y") }
                return answersAreDropped.isSet ? .end : .forward
            }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
        }
    }

    private enum Decision { case forward, forwardAndEnd, end }

    private static func copy(from source: Int32, to sink: Int32, decide: (inout [UInt8]) -> Decision) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { return }
            var bytes = Array(buffer[..<count])
            let decision = decide(&bytes)
            if decision == .end { return }
            var sent = 0
            while sent < count {
                let part = bytes.withUnsafeBytes {
                    send(sink, $0.baseAddress.map { $0 + sent }, count - sent, Int32(MSG_NOSIGNAL))
                }
                guard part > 0 else { return }
                sent += part
            }
            if decision == .forwardAndEnd { return }
        }
    }
}

/// A flag that several threads use.
///
/// @unchecked: the value is accessed only while the lock is held.
private final class Flag: @unchecked Sendable {
    private let lock = NSLock()
    private var value = false

    var isSet: Bool { lock.withLock { value } }

    func set() { lock.withLock { value = true } }

    /// Returns whether the flag is set, and takes it back.
    func take() -> Bool {
        lock.withLock {
            defer { value = false }
            return value
        }
    }
}
#endif
