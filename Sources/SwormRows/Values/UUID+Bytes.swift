package import Foundation

extension UUID {
    /// The UUID of 16 bytes, wherever they lie; nil for another number of them.
    package init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == 16 else { return nil }
        // As the tuple of bytes, which is what it is made of: nothing is assumed of the memory of the type itself.
        self.init(uuid: bytes.loadUnaligned(as: uuid_t.self))
    }
}
