import CSwormSystem

/// A pointer that several threads read and set without a lock.
///
/// @unchecked: the memory is accessed only by atomic operations.
package final class AtomicPointer: @unchecked Sendable {
    private let memory: UnsafeMutablePointer<UnsafeMutableRawPointer?>

    package init(_ address: UnsafeMutableRawPointer) {
        memory = .allocate(capacity: 1)
        memory.initialize(to: address)
    }

    deinit { memory.deallocate() }

    package var address: UnsafeMutableRawPointer? { sworm_pointer(memory) }

    package func set(_ address: UnsafeMutableRawPointer) { sworm_pointer_set(memory, address) }
}
