import Foundation

/// A reporter for the Foundation progress that is current when a migration starts. It updates the progress, and cancels
/// the migration if the progress is cancelled.
///
/// It must be used on the thread that runs the migration.
package struct MigrationReporter {
    private static let total: Int64 = 1000
    private let parent: Progress
    private let progress: Progress

    /// Creates a reporter; nil if no progress is current.
    package init?() {
        guard let parent = Progress.current() else { return nil }
        self.parent = parent
        // A progress that is created while another is current becomes its child.
        progress = Progress(totalUnitCount: Self.total)
        progress.isPausable = false
    }

    /// Reports the completed fraction, from 0 to 1.
    ///
    /// - Throws: ``CoreDataError`` with the code of Foundation's `CocoaError.userCancelled` if the progress was
    ///   cancelled.
    package func report(_ fraction: Double) throws {
        let count = Int64(fraction * Double(Self.total))
        // The progress is complete only after the new store has replaced the old one.
        if count > progress.completedUnitCount { progress.completedUnitCount = min(count, Self.total - 1) }
        guard progress.isCancelled || parent.isCancelled else { return }
        throw CoreDataError(
            CocoaError.Code.userCancelled.rawValue, "The migration was cancelled. The store is unchanged.")
    }

    package func end() { progress.completedUnitCount = Self.total }
}
