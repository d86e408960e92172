import CSwormSystem
import Foundation

/// Memory that grows while rows are read.
///
/// A large one is mapped by itself: then it grows without being copied, and goes back to the system when it is freed. What
/// `malloc` has copied on the way it keeps, which is up to as much again.
///
/// Unsafe: whoever resizes or frees memory must give the size that it was last given.
package enum Block {
    /// The size from which on memory is mapped.
    static let mappedSize = 1 << 20

    /// Memory of another size, with the same content. The old pointer is invalid afterwards.
    ///
    /// - Returns: Nil when there is no memory; then the old one is as it was.
    package static func resize(_ memory: UnsafeMutableRawPointer?, from old: Int, to new: Int)
        -> UnsafeMutableRawPointer?
    {
        #if os(Linux)
        guard old >= mappedSize || new >= mappedSize else { return realloc(memory, new) }
        if let memory, old >= mappedSize, new >= mappedSize { return sworm_remap(memory, old, new) }
        let moved: UnsafeMutableRawPointer?
        if new >= mappedSize {
            moved = mmap(nil, new, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
            if moved == MAP_FAILED { return nil }
        } else {
            moved = malloc(new)
        }
        guard let moved else { return nil }
        if let memory {
            memcpy(moved, memory, min(old, new))
            free(memory, size: old)
        }
        return moved
        #else
        return realloc(memory, new)
        #endif
    }

    package static func free(_ memory: UnsafeMutableRawPointer?, size: Int) {
        guard let memory else { return }
        #if os(Linux)
        if size >= mappedSize {
            munmap(memory, size)
            return
        }
        #endif
        Foundation.free(memory)
    }
}
