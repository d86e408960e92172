import Foundation

/// The number of calls of containers that the calling thread is running, for any file. A thread that runs such a call
/// does not wait for a slot, because other calls might wait for it.
package enum ThreadHoldings {
    // A thread-specific key is used, because the number is read at every call, and a table of all threads would need a
    // lock.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    private static var count: Int { Int(bitPattern: pthread_getspecific(key)) }

    /// Whether the calling thread runs any call.
    static var isHolding: Bool { count > 0 }

    static func change(by difference: Int) {
        pthread_setspecific(key, UnsafeMutableRawPointer(bitPattern: max(0, count + difference)))
    }

    /// The number of the calling thread, which is unique among all living threads.
    package static var thread: HubState.Holder {
        #if canImport(Darwin)
        UInt(bitPattern: pthread_self())
        #else
        UInt(pthread_self())
        #endif
    }
}
