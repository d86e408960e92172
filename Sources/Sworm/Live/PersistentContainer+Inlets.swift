import Dispatch

// The mailboxes of the consumers of live requests.
extension PersistentContainer {
    /// Returns a mailbox for the rows of a request, which are read from now on.
    func rows<PlainObject: ManagedObjectConvertible & Sendable>(
        of request: Request<PlainObject>
    ) -> Mailbox<LiveRows<PlainObject>> {
        shared(as: LiveCenter.RequestKey(request)) { LiveRequest<PlainObject>(request.content, in: $0) }
    }

    /// Returns a mailbox for the rows and sections of a request, which are read from now on.
    func rows<PlainObject: ManagedObjectConvertible & Sendable, Key>(
        of request: SectionedRequest<PlainObject, Key>
    ) -> Mailbox<SectionedRows<PlainObject, Key>> {
        shared(as: LiveCenter.RequestKey(request)) { LiveSections<PlainObject, Key>(request, in: $0) }
    }

    private func shared<Work: SharedLiveWork>(
        as key: LiveCenter.RequestKey, _ makeWork: @escaping @Sendable (any LiveContainer) -> Work
    ) -> Mailbox<Work.Rows> {
        let live = live
        let mailbox = Mailbox<Work.Rows>(
            afterCommits: { live.afterCommits($0) },
            onEnd: { live.unsubscribe($0, from: key, Work.self) })
        live.subscribe(mailbox, to: key) { makeWork(self) }
        return mailbox
    }

    /// Starts a work, and returns the mailbox into which it puts its results.
    func inlet<Element: Sendable>(
        _ makeWork: (Mailbox<Element>) -> any LiveWork
    ) -> Mailbox<Element> {
        let live = live
        // Weak, because the work holds the mailbox. The center holds the work while it is kept up to date.
        let work = Locked(WeakWork())
        let mailbox = Mailbox<Element>(
            afterCommits: { live.afterCommits($0) },
            onEnd: { _ in
                if let ended = work.withLock({ $0.work }) { live.queue.async { live.remove(ended) } }
            })
        let started = makeWork(mailbox)
        work.withLock { $0.work = started }
        live.queue.async { live.start(started) }
        return mailbox
    }
}
