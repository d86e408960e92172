import SwormPredicates

/// The result of a closure that reads, kept up to date. The part of the store that it reads is recorded at each run.
///
/// @unchecked: everything that changes is used on the queue of the center only.
final class LiveReading<Result: Sendable>: LiveWork, @unchecked Sendable {
    let container: any LiveContainer
    private let read: @Sendable (ManagedObjectContext) throws -> Result
    private let isSame: (@Sendable (Result, Result) -> Bool)?
    private let mailbox: Mailbox<Result>
    private(set) var region = TrackedRegion()
    private var last: Result?

    /// - Parameter isSame: A closure that compares two results; nil if they cannot be compared.
    init(
        in container: any LiveContainer, _ mailbox: Mailbox<Result>,
        isSame: (@Sendable (Result, Result) -> Bool)?,
        read: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) {
        self.container = container
        self.mailbox = mailbox
        self.isSame = isSame
        self.read = read
    }

    func fail(_ error: any Error) { mailbox.fail(error) }

    /// Does nothing: the region is known after the first run.
    func prepare(in context: ManagedObjectContext) throws {}

    func refresh(in snapshot: LiveSnapshot) throws {
        container.live.steps.withLock { $0.reruns += 1 }
        let (result, region) = try snapshot.context.recording(read)
        self.region = region
        if let last, let isSame, isSame(last, result) { return }
        last = result
        container.live.steps.withLock { $0.deliveries += 1 }
        mailbox.put(result)
    }
}
