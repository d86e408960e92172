package import Foundation
import SwormPredicates

/// Gives out, for one piece of work after the other, handles in a context that somebody else has made and saves.
package final class ContextLender {
    private let instance: NSManagedObjectContext
    private let container: PersistentContainer
    private let bindings: BindingCache

    package init(_ instance: NSManagedObjectContext) {
        self.instance = instance
        // What is lent out is told to this container, and it has no context of its own to give.
        container = PersistentContainer {
            throw StoreError(.unsupported, "A context that is lent out runs no performs.")
        }
        bindings = BindingCache(instance, container.bindings)
    }

    /// Runs a closure with the context, on the calling thread. Its handles end with it, and nothing is saved.
    ///
    /// - Throws: What the closure throws, or else what went wrong in it in places that cannot throw.
    package func lend<R>(_ body: (ManagedObjectContext) throws -> R) throws -> R {
        let scope = Scope(thread: Engine.threadNumber, calls: container.calls)
        let context = ManagedObjectContext(instance, scope, bindings)
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
    /// A handle on an object of this context.
    package func handle<T: ManagedObjectConvertible>(_ object: NSManagedObject, as type: T.Type) throws
        -> ManagedObject<T>
    { ManagedObject(object, try family(of: type)) }
}

extension ManagedObject {
    /// The object as a value, where everything that the object lacks stays as in a new value.
    package func decodeUnfinished() throws -> PlainObject {
        try check()
        var object = PlainObject()
        for index in binding.plan.attributes.indices {
            let value = try value(index)
            if case .null = value, !binding.plan.attributes[index].isOptional { continue }
            try binding.plan.write(value, at: index, into: &object)
        }
        return object
    }
}

/// An error of the engine as Sworm's own; any other error as it is.
package func translatedError(_ error: any Error) -> any Error { Engine.translated(error, isOpening: true) }

/// Reads a model from a file, and says what is wrong with the file.
package func readModel(at url: URL) throws -> NSManagedObjectModel { try Engine.model(at: url) }
