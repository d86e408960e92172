import Foundation
import SwormPredicates
import SwormStore

extension NSManagedObjectContext {
    /// Runs the work of a public call, and throws the framework's errors as `CocoaError`s with the objects that they are
    /// about.
    @inline(__always)
    final func throwingCocoaErrors<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            throw error.converted(findingObjectsIn: self)
        }
    }
}

extension NSManagedObjectContext: ErrorObjectFinder {
    final func object(of reference: ObjectReference) -> NSObject? {
        guard let id = managedObjectID(for: reference) else { return nil }
        // There is a row only for a permanent id.
        return knownObject(for: id) ?? (id.isTemporaryID ? nil : objectOrFault(with: id))
    }
}

extension NSManagedObject {
    /// Runs the work of a public call, and throws the framework's errors as `CocoaError`s with the objects that they are
    /// about.
    @inline(__always)
    final func throwingCocoaErrors<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            throw error.converted(findingObjectsIn: self)
        }
    }
}

extension NSManagedObject: ErrorObjectFinder {
    final func object(of reference: ObjectReference) -> NSObject? {
        reference == objectID.reference ? self : context?.object(of: reference)
    }
}
