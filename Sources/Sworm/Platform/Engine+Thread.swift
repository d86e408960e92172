import Foundation

extension Engine {
    /// A number that tells the calling thread from all others that live at the time.
    static var threadNumber: UInt {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
