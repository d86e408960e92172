import Dispatch

// Equal requests share one work, so that their rows are read and decoded once.
extension LiveCenter {
    /// The identity of a request for rows.
    struct RequestKey: Hashable, @unchecked Sendable {
        /// The type of the work, which includes that of the rows.
        private let type: ObjectIdentifier
        // Unchecked: conditions are Sendable, which their erased form does not show.
        private let condition: AnyHashable?
        /// The arguments of the condition, as bytes: a store distinguishes strings that are equal for Swift.
        private let arguments: [[UInt8]]
        private let sorts: [SortKey]
        private let limit: Int?
        private let offset: Int
        /// Whether the request is valid. An invalid request is not shared, because its error is not part of the key.
        let isValid: Bool

        init<T: ManagedObjectConvertible & Sendable>(_ request: Request<T>) {
            self.init(request, for: LiveRequest<T>.self, isValid: (try? request.validate()) != nil)
        }

        /// The key of the sections is the first sort key of the request.
        init<T: ManagedObjectConvertible & Sendable, Key>(_ request: SectionedRequest<T, Key>) {
            self.init(
                request.request, for: LiveSections<T, Key>.self, isValid: (try? request.validate()) != nil)
        }

        private init<T: ManagedObjectConvertible>(
            _ request: Request<T>, for work: any SharedLiveWork.Type, isValid: Bool
        ) {
            type = ObjectIdentifier(work)
            self.isValid = isValid
            condition = request.condition.map { AnyHashable($0) }
            let tree = try? request.predicateTree()
            arguments = tree?.template.arguments.map { Array("\($0)".utf8) } ?? []
            sorts = request.sorts
            limit = request.content.limit
            offset = request.content.offset
        }
    }

    /// Delivers the rows of a request to a mailbox, from now on.
    ///
    /// - Parameter makeWork: Returns a work for the request. It is called if no work is shared.
    func subscribe<Work: SharedLiveWork>(
        _ mailbox: Mailbox<Work.Rows>, to key: RequestKey, _ makeWork: @escaping @Sendable () -> Work
    ) {
        queue.async { [self] in
            let consumer = LiveConsumer<Work.Rows>(deliver: { mailbox.put($0) }, fail: { mailbox.fail($0) })
            if key.isValid, let known = sharedWork(key) as? Work {
                return known.add(consumer, ObjectIdentifier(mailbox))
            }
            let work = makeWork()
            work.add(consumer, ObjectIdentifier(mailbox))
            if key.isValid { share(work, as: key) }
            start(work)
        }
    }

    func unsubscribe<Work: SharedLiveWork>(_ mailbox: ObjectIdentifier, from key: RequestKey, _ type: Work.Type) {
        queue.async { [self] in
            guard let work = sharedWork(key) as? Work, work.remove(mailbox) else { return }
            remove(work)
        }
    }
}
