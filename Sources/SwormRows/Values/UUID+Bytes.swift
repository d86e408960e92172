package import Foundation

extension UUID {
    /// Creates the UUID of 16 bytes at any alignment, or nil for a different number of bytes.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        // Loaded as the tuple of bytes that it consists of, without assumptions about the memory layout of the type.
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}
