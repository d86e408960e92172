import Dispatch
import Foundation

/// Work that should be finished although the process is about to be suspended.
enum ExpiringActivity {
    /// Runs a closure, and asks the system to let the process run until it has returned, where the system has such a
    /// request.
    static func run<R>(_ reason: String, _ body: () throws -> R) rethrows -> R {
        #if os(iOS) || os(tvOS) || os(watchOS) || os(visionOS)
        let isDone = DispatchSemaphore(value: 0)
        // The activity lasts as long as its block runs, on a thread of the system.
        ProcessInfo.processInfo.performExpiringActivity(withReason: reason) { isExpired in
            if !isExpired { isDone.wait() }
        }
        defer { isDone.signal() }
        #endif
        return try body()
    }
}
