#if PostgreSQL
import Foundation

/// A port of this computer that no program uses.
package enum FreePort {
    /// Returns the number of a port that was free a moment ago.
    package static func number() throws -> Int {
        #if canImport(Darwin)
        let descriptor = socket(AF_INET, SOCK_STREAM, 0)
        #else
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        #endif
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let code = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard bind(descriptor, address, length) == 0 else { return Int32(-1) }
                return getsockname(descriptor, address, &length)
            }
        }
        guard code == 0 else { throw PostgresServer.Failure(description: "no port is free") }
        return Int(UInt16(bigEndian: address.sin_port))
    }
}
#endif
