import Foundation

extension Engine {
    /// Lets the calling thread wait.
    static func sleep(for duration: Duration) {
        let (seconds, attoseconds) = duration.components
        Thread.sleep(forTimeInterval: Double(seconds) + Double(attoseconds) * 1e-18)
    }

    /// A number that tells the calling thread from all others that live at the time.
    static var threadNumber: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
