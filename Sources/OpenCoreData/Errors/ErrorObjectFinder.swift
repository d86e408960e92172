import Foundation
import SwormPredicates

/// A finder of the objects that an error is about. The error itself has only their identities.
protocol ErrorObjectFinder {
    /// Returns the managed object with an identity; nil if it does not exist.
    func object(of reference: ObjectReference) -> NSObject?
}

extension ErrorObjectFinder {
    /// Runs the work of a public call, and throws the framework's errors as `CocoaError`s with the objects that they are
    /// about.
    @inline(__always)
    func throwingCocoaErrors<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            throw error.converted(findingObjectsIn: self)
        }
    }
}

/// A fact about an error that has its own keys in the user information.
protocol ErrorAttachment: Sendable {
    /// Returns the values for the user information, by their keys.
    ///
    /// - Parameter finder: The finder of the objects that the error is about.
    func userInfo(findingObjectsIn finder: (any ErrorObjectFinder)?) -> [String: Any]
}
