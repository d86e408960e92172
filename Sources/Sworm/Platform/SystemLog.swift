import Foundation
import SwormPredicates

/// The log of the system, for errors that a property of a subclass can neither throw nor pass to a container.
enum SystemLog {
    /// The keys of the messages that were written.
    private static let keys = Locked<Set<String>>([])

    /// Writes a message.
    ///
    /// - Parameter key: A message with a key is written once, because it would be repeated for each object.
    static func write(_ message: String, once key: String? = nil) {
        if let key, !keys.withLock({ $0.insert(key).inserted }) { return }
        // The message is a format, because a string is no argument of `NSLog` on all platforms.
        NSLog(message.replacing("%", with: "%%"))
    }
}
