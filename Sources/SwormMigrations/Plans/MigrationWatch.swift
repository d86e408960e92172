import Foundation

/// The observers of a migration, which receive its progress and can cancel it: a closure, the task, and Foundation's
/// progress.
///
/// Used on the thread that migrates.
struct MigrationWatch {
    private static let units: Int64 = 1000
    private let onProgress: ((MigrationPlan.Progress) throws -> Void)?
    /// The progress that is current when the migration starts, and the part of it that represents the migration.
    private let progress: (whole: Progress, part: Progress)?

    init(_ onProgress: ((MigrationPlan.Progress) throws -> Void)?) {
        self.onProgress = onProgress
        // A progress that is created while another one is current becomes a part of it.
        progress = Progress.current().map { ($0, Progress(totalUnitCount: Self.units)) }
    }

    /// Reports the progress.
    ///
    /// - Throws: A `CancellationError`, or the error of the closure.
    func report(_ state: MigrationPlan.Progress) throws {
        // The progress is complete only when the new store has replaced the old one.
        let count = min(Int64(state.total * Double(Self.units)), Self.units - 1)
        if let part = progress?.part, part.completedUnitCount < count { part.completedUnitCount = count }
        try throwCancellation()
        try onProgress?(state)
    }

    func throwCancellation() throws {
        try Task.checkCancellation()
        if let progress, progress.whole.isCancelled || progress.part.isCancelled { throw CancellationError() }
    }

    func end() { progress?.part.completedUnitCount = Self.units }
}
