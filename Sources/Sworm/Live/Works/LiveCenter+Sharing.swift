import Dispatch

// Equal requests share one work, so that their rows are read and decoded once.
extension LiveCenter {
    /// The identity of a request for rows.
    struct RequestKey: Hashable, @unchecked Sendable {
        private let type: ObjectIdentifier
        // Unchecked: conditions are Sendable, which their erased form does not show.
        private let condition: AnyHashable?
        /// The arguments of the condition, as bytes: a store distinguishes strings that are equal for Swift.
        private let arguments: [[UInt8]]
        private let sorts: [SortKey]
        private let limit: Int?
        private let offset: Int

        init<T: ManagedObjectConvertible>(_ request: Request<T>) {
            type = ObjectIdentifier(T.self)
            condition = request.condition.map { AnyHashable($0) }
            let tree = try? request.predicateTree()
            arguments = tree?.template.arguments.map { Array("\($0)".utf8) } ?? []
            sorts = request.sorts
            limit = request.content.limit
            offset = request.content.offset
        }
    }

    /// Delivers the rows of a request to a mailbox, from now on.
    func subscribe<T: ManagedObjectConvertible & Sendable>(
        _ mailbox: Mailbox<LiveRows<T>>, to request: Request<T>, in container: any LiveContainer
    ) {
        queue.async { [self] in
            let key = RequestKey(request)
            let consumer = LiveRequest<T>.Consumer(deliver: { mailbox.put($0) }, fail: { mailbox.fail($0) })
            // An invalid request is not shared, because its error is not part of the key.
            let isValid = (try? request.validate()) != nil
            if isValid, let known = sharedWork(key) as? LiveRequest<T> {
                return known.add(consumer, ObjectIdentifier(mailbox))
            }
            let work = LiveRequest<T>(request.content, in: container)
            work.add(consumer, ObjectIdentifier(mailbox))
            if isValid { share(work, as: key) }
            start(work)
        }
    }

    func unsubscribe<T: ManagedObjectConvertible & Sendable>(
        _ mailbox: ObjectIdentifier, from request: Request<T>
    ) {
        queue.async { [self] in
            guard let work = sharedWork(RequestKey(request)) as? LiveRequest<T>, work.remove(mailbox) else { return }
            remove(work)
        }
    }
}
