import Foundation

extension NSPersistentStoreCoordinator {
    /// Runs a block with exclusive access to the coordinator, asynchronously, after all blocks before it.
    ///
    /// - Parameter block: The block to run.
    @preconcurrency public final func perform(_ block: @escaping @Sendable () -> Void) {
        queue.async { self.performAndWait(block) }
    }

    /// Runs a block with exclusive access to the coordinator, after all blocks before it, and waits for it without
    /// blocking a thread.
    ///
    /// - Parameter block: The block to run.
    /// - Returns: The result of the block.
    /// - Throws: The error of the block. If the block does not throw, the call needs no `try`.
    public final func perform<T: Sendable, Failure: Error>(
        _ block: @escaping @Sendable () throws(Failure) -> T
    ) async throws(Failure) -> T {
        let result = await withCheckedContinuation { continuation in
            queue.async {
                let result = self.performAndWait {
                    do throws(Failure) {
                        return Result<T, Failure>.success(try block())
                    } catch {
                        return Result<T, Failure>.failure(error)
                    }
                }
                continuation.resume(returning: result)
            }
        }
        return try result.get()
    }
}
