import Foundation
import SwormPredicates

/// Lends a context that the caller created and saves, for one piece of work after another.
package final class BorrowedContext {
    private let instance: NSManagedObjectContext
    private let container: PersistentContainer
    private let bindings: BindingCache

    package init(_ instance: NSManagedObjectContext) {
        self.instance = instance
        // Errors of the loans are reported to this container. It has no context of its own to provide.
        container = PersistentContainer {
            throw StoreError(.unsupported, "The context of a migration step cannot run performs.")
        }
        bindings = BindingCache(instance, container.bindings)
    }

    /// Runs a closure with the context, on the calling thread. Its handles are invalid after the closure, and nothing
    /// is saved.
    ///
    /// - Throws: The error of the closure, or else the first error of an accessor in it that cannot throw.
    package func lend<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        let scope = Scope(thread: CurrentThread.number, calls: container.calls)
        let context = ManagedObjectContext(instance, scope: scope, bindings: bindings)
        defer {
            context.end()
            scope.close()
        }
        let result = try body(context)
        try scope.throwFailure()
        return result
    }
}

extension ManagedObjectContext {
    /// Returns a handle on an object of this context.
    package func handle<T: ManagedObjectConvertible>(_ object: NSManagedObject, as type: T.Type) throws
        -> ManagedObject<T>
    { ManagedObject(object, in: try family(of: type)) }
}

extension ManagedObject {
    /// Returns the object as a value. Properties without a value in the object keep that of a new instance.
    package func decodeUnfinished() throws -> PlainObject {
        try check()
        return try decodeValue(isUnfinished: true)
    }
}
