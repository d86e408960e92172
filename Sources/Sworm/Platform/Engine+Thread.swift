import Foundation

extension Engine {
    /// Blocks the calling thread for a duration.
    static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        Thread.sleep(forTimeInterval: Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// A number that distinguishes the calling thread from all other threads that exist at the same time.
    static var threadNumber: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
