#if !canImport(CoreData)
/// The jobs that wait for a thread.
struct CallJobs {
    typealias Job = @Sendable () -> Void

    enum Kind {
        case read
        /// A job that has a write turn. Writes and reads alternate, starting with a write.
        case write
        /// A job that waits for nothing and uses no store. One thread runs these jobs one after the other.
        case brief
    }

    private var writes: [Job] = []
    private var reads: [Job] = []
    // A slice, because there may be very many of these jobs when a group of tasks is cancelled.
    private var briefs: ArraySlice<Job> = []
    private var hasTakenWrite = false

    mutating func add(_ kind: Kind, _ job: @escaping Job) {
        switch kind {
        case .read: reads.append(job)
        case .write: writes.append(job)
        case .brief: briefs.append(job)
        }
    }

    /// The number of jobs that are not brief.
    var waiting: Int { writes.count + reads.count }

    var hasBriefs: Bool { !briefs.isEmpty }

    mutating func takeBrief() -> Job? { briefs.popFirst() }

    /// Removes and returns the next job that is not brief.
    mutating func take() -> Job? {
        guard waiting > 0 else { return nil }
        // Alternates, so that reads do not wait for the writes of several files.
        hasTakenWrite = !writes.isEmpty && (reads.isEmpty || !hasTakenWrite)
        return hasTakenWrite ? writes.removeFirst() : reads.removeFirst()
    }
}
#endif
