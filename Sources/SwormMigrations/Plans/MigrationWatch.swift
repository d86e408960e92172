import Foundation

/// Who is told how far a migration is, and can cancel it: a closure, the task, and Foundation's progress.
///
/// Used on the thread that migrates.
struct MigrationWatch {
    private static let units: Int64 = 1000
    private let report: ((MigrationPlan.Progress) throws -> Void)?
    /// The progress that is current where the migration begins, and the part of it that the migration is.
    private let progress: (whole: Progress, part: Progress)?

    init(_ report: ((MigrationPlan.Progress) throws -> Void)?) {
        self.report = report
        // One that is made while another is current becomes a part of that.
        progress = Progress.current().map { ($0, Progress(totalUnitCount: Self.units)) }
    }

    func tell(_ state: MigrationPlan.Progress) throws {
        // All is done only when the store is in its place.
        let count = min(Int64(state.total * Double(Self.units)), Self.units - 1)
        if let part = progress?.part, part.completedUnitCount < count { part.completedUnitCount = count }
        try throwCancellation()
        try report?(state)
    }

    func throwCancellation() throws {
        try Task.checkCancellation()
        if let progress, progress.whole.isCancelled || progress.part.isCancelled { throw CancellationError() }
    }

    func end() { progress?.part.completedUnitCount = Self.units }
}
