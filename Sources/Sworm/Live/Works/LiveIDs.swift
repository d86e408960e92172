import SwormPredicates

/// The identities of the objects that a request finds, kept up to date.
///
/// @unchecked: everything that changes is used on the queue of the center only.
final class LiveIDs<PlainObject: ManagedObjectConvertible>: LiveWork, @unchecked Sendable {
    typealias IDs = [ManagedObjectID<PlainObject>]

    let container: any LiveContainer
    private let request: Request<PlainObject>
    private let mailbox: Mailbox<IDs>
    private(set) var region = TrackedRegion()
    private var ids: IDs?

    init(_ request: Request<PlainObject>, in container: any LiveContainer, _ mailbox: Mailbox<IDs>) {
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
        let ids: IDs = try snapshot.context.liveIDs(of: request.content)
        guard ids != self.ids else { return }
        self.ids = ids
        container.live.steps.withLock { $0.deliveries += 1 }
        mailbox.put(ids)
    }
}
