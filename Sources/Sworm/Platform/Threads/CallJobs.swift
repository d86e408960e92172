#if !canImport(CoreData)
/// The jobs that wait for a thread.
struct CallJobs {
    typealias Job = @Sendable () -> Void

    enum Kind {
        case read
        /// It has a write turn, and goes before those that read, but for every other time.
        case write
        /// It waits for nothing and uses no store. One thread runs these one after the other.
        case brief
    }

    private var writes: [Job] = []
    private var reads: [Job] = []
    // There may be very many of them, when a group of tasks is cancelled.
    private var briefs: ArraySlice<Job> = []
    private var hasTakenWrite = false

    mutating func add(_ kind: Kind, _ job: @escaping Job) {
        switch kind {
        case .read: reads.append(job)
        case .write: writes.append(job)
        case .brief: briefs.append(job)
        }
    }

    /// The number of those that are not brief.
    var waiting: Int { writes.count + reads.count }

    var hasBriefs: Bool { !briefs.isEmpty }

    mutating func takeBrief() -> Job? { briefs.popFirst() }

    /// Takes the next one that is not brief.
    mutating func take() -> Job? {
        guard waiting > 0 else { return nil }
        // Reads must not wait for the writes of several files.
        hasTakenWrite = !writes.isEmpty && (reads.isEmpty || !hasTakenWrite)
        return hasTakenWrite ? writes.removeFirst() : reads.removeFirst()
    }
}
#endif
