import Foundation

/// Foundation's progress that is current where a migration begins: it is told how far that is, and cancels it.
///
/// Used on the thread that migrates.
package struct MigrationReporter {
    private static let total: Int64 = 1000
    private let parent: Progress
    private let progress: Progress

    /// Nil where no progress is current.
    package init?() {
        guard let parent = Progress.current() else { return nil }
        self.parent = parent
        // One that is made while another is current becomes a part of that.
        progress = Progress(totalUnitCount: Self.total)
        progress.isPausable = false
    }

    /// Tells how much is done, from 0 to 1.
    ///
    /// - Throws: ``CoreDataError`` with the code of Foundation's `CocoaError.userCancelled` when it was cancelled.
    package func tell(_ fraction: Double) throws {
        let count = Int64(fraction * Double(Self.total))
        // All is done only when the store is in its place.
        if count > progress.completedUnitCount { progress.completedUnitCount = min(count, Self.total - 1) }
        guard progress.isCancelled || parent.isCancelled else { return }
        throw CoreDataError(
            CocoaError.Code.userCancelled.rawValue, "The migration was cancelled. The store is as it was.")
    }

    package func end() { progress.completedUnitCount = Self.total }
}
