import Foundation
import SwormRows

/// A reference that any thread reads without a lock, and that is exchanged rarely.
///
/// @unchecked: the list is only accessed while the lock is held, and the pointer is atomic.
final class ExchangeableReference<Object: AnyObject & Sendable>: @unchecked Sendable {
    private let pointer: AtomicPointer
    private let lock = NSLock()
    /// All objects so far. A reader may still be about to retain one that was just exchanged, so none is released.
    private var objects: [Object]

    init(_ object: Object) {
        objects = [object]
        pointer = AtomicPointer(Unmanaged.passUnretained(object).toOpaque())
    }

    /// The current object.
    var object: Object {
        // The address is never nil.
        guard let address = pointer.address else { return lock.withLock { objects[objects.count - 1] } }
        return Unmanaged<Object>.fromOpaque(address).takeUnretainedValue()
    }

    func exchange(for object: Object) {
        lock.withLock {
            objects.append(object)
            pointer.set(Unmanaged.passUnretained(object).toOpaque())
        }
    }
}
