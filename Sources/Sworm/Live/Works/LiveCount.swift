import SwormPredicates

/// The number of objects that a request finds, kept up to date.
///
/// @unchecked: everything that changes is used on the queue of the center only.
final class LiveCount<PlainObject: ManagedObjectConvertible>: LiveWork, @unchecked Sendable {
    let container: any LiveContainer
    private let request: Request<PlainObject>
    private let mailbox: Mailbox<Int>
    private(set) var region = TrackedRegion()
    private var count: Int?

    init(_ request: Request<PlainObject>, in container: any LiveContainer, _ mailbox: Mailbox<Int>) {
        self.request = request
        self.container = container
        self.mailbox = mailbox
    }

    func fail(_ error: any Error) { mailbox.fail(error) }

    func prepare(in context: ManagedObjectContext) throws {
        var builder = RegionBuilder()
        try builder.add(request.content, of: try context.entityDescription(of: PlainObject.self))
        region = builder.region
    }

    func refresh(in snapshot: LiveSnapshot) throws {
        container.live.steps.withLock { $0.reruns += 1 }
        let count = try snapshot.context.count(of: request)
        guard count != self.count else { return }
        self.count = count
        container.live.steps.withLock { $0.deliveries += 1 }
        mailbox.put(count)
    }
}
