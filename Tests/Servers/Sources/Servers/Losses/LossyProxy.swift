import Foundation

/// A proxy between clients and a server's socket that cuts connections at random moments, most of them around a COMMIT.
///
/// @unchecked: the state is accessed only while the lock is held.
final class LossyProxy: @unchecked Sendable {
    enum Cut: String, CaseIterable, Sendable {
        /// The server never gets the message with COMMIT.
        case beforeCommit
        /// The server gets the message, and the client's connection ends at once.
        case afterCommit
        /// The server has answered, and the client never gets the answer.
        case beforeAnswer
        /// The client gets a part of the answer.
        case withinAnswer
        /// A message of a client is lost, or cut in two.
        case anywhere
    }

    let folder: String
    private let target: String
    private let listener: Int32
    private let lock = NSLock()
    private var random: SeededRandom
    private var isCutting = false
    private var cuts: [Cut: Int] = [:]

    /// - Parameters:
    ///   - target: The path of the server's socket, whose name the proxy's socket has too.
    ///   - seed: The seed of the choices of connections.
    init(to target: URL, in folder: String, seed: UInt64) throws {
        self.target = target.path
        self.folder = folder
        random = SeededRandom(seed: seed)
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        listener = Self.makeSocket()
        let isBound = Self.withAddress("\(folder)/\(target.lastPathComponent)") { bind(listener, $0, $1) }
        guard isBound == 0, listen(listener, 64) == 0 else { throw Failure("the proxy has no socket: \(errno)") }
        Thread.detachNewThread { [listener, weak self] in
            while true {
                let client = accept(listener, nil, nil)
                guard client >= 0, let self else { return }
                _ = fcntl(client, F_SETFD, FD_CLOEXEC)
                self.serve(client)
            }
        }
    }

    func stop() {
        setCutting(false)
        shutdown(listener, Int32(SHUT_RDWR))
        close(listener)
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// The cuts so far.
    var counts: [Cut: Int] { lock.withLock { cuts } }

    /// From now on, connections are cut, or stay whole. At first, they do.
    func setCutting(_ isOn: Bool) { lock.withLock { isCutting = isOn } }

    /// Chooses what happens to a message.
    private func cut(isCommit: Bool) -> Cut? {
        lock.withLock {
            guard isCutting else { return nil }
            var cut: Cut?
            if isCommit {
                if random.chance(35) { cut = random.pick([.beforeCommit, .afterCommit, .beforeAnswer, .withinAnswer]) }
            } else if random.chance(3) {
                cut = .anywhere
            }
            if let cut { cuts[cut, default: 0] += 1 }
            return cut
        }
    }

    private func chosenLength(below count: Int) -> Int { lock.withLock { random.pick(max(1, count)) } }

    // MARK: Sockets

    private static func makeSocket() -> Int32 {
        socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    }

    private static func withAddress<R>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
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
        let server = Self.makeSocket()
        guard Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
            // The server is starting again.
            close(client)
            close(server)
            return
        }
        let answer = Shared<Cut?>(nil)
        let ways = DispatchGroup()
        ways.enter()
        ways.enter()
        Thread.detachNewThread { [self] in
            Self.copy(from: client, to: server) { bytes in
                // A statement ends with a zero. The level READ COMMITTED does not commit.
                let isCommit = bytes.firstRange(of: Array("COMMIT\0".utf8)) != nil
                switch cut(isCommit: isCommit) {
                case nil: return .forward
                case .beforeCommit?: return .forwardPart(0)
                case .afterCommit?: return .forwardPart(bytes.count)
                case .anywhere?: return .forwardPart(chosenLength(below: bytes.count))
                case let cut?:
                    answer.change { $0 = cut }
                    return .forward
                }
            }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_WR))
            ways.leave()
        }
        Thread.detachNewThread { [self] in
            Self.copy(from: server, to: client) { bytes in
                switch answer.value {
                case nil: .forward
                case .withinAnswer?: .forwardPart(chosenLength(below: bytes.count))
                default: .forwardPart(0)
                }
            }
            shutdown(client, Int32(SHUT_RDWR))
            shutdown(server, Int32(SHUT_RDWR))
            ways.leave()
        }
        ways.notify(queue: .global()) {
            close(client)
            close(server)
        }
    }

    private enum Decision {
        case forward
        /// So many bytes go on, and the connection ends.
        case forwardPart(Int)
    }

    private static func copy(from source: Int32, to sink: Int32, decide: ([UInt8]) -> Decision) {
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = read(source, &buffer, buffer.count)
            guard count > 0 else { return }
            let bytes = Array(buffer[..<count])
            switch decide(bytes) {
            case .forward: guard write(bytes, to: sink) else { return }
            case .forwardPart(let length):
                _ = write(Array(bytes[..<length]), to: sink)
                return
            }
        }
    }

    private static func write(_ bytes: [UInt8], to sink: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let part = bytes.withUnsafeBytes {
                send(sink, $0.baseAddress.map { $0 + sent }, bytes.count - sent, Int32(MSG_NOSIGNAL))
            }
            guard part > 0 else { return false }
            sent += part
        }
        return true
    }
}
