import Foundation

/// The calling thread.
enum CurrentThread {
    /// A number that distinguishes the calling thread from all other threads that exist at the same time.
    static var number: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }

    /// Blocks the calling thread for a duration.
    static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        Thread.sleep(forTimeInterval: Double(seconds) + Double(attoseconds) * 1e-18)
    }
}
