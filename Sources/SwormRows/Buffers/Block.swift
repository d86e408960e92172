import CSwormSystem
import Foundation

/// Memory that grows while rows are read.
///
/// A large block is mapped separately: it can grow without being copied, and is returned to the system when it is
/// freed. `malloc` would retain the memory from which it copied, which can be as much again.
///
/// Unsafe: the caller that resizes or frees memory must pass the size of the last allocation.
package enum Block {
    /// The minimum size of mapped memory.
    static let mappedSize = 1 << 20

    /// Resizes memory and keeps its content. The old pointer is invalid afterwards.
    ///
    /// - Returns: Nil if no memory is available; then the old memory is unchanged.
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
