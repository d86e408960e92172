import SwormPredicates

// Results that stay current.
extension PersistentContainer {
    /// Returns the values of the objects that a request finds, now and after each commit that changes them.
    ///
    /// ```swift
    /// for try await books in store.values(of: Book.all.where { $0.author.name == "Leo" }.sort(\.title)) {
    ///     show(books)
    /// }
    /// ```
    ///
    /// A commit is noticed if it changes a property that the request reads, at the objects that it finds or at those
    /// that its condition and sort order reach through relations. No two consecutive values have the same rows with
    /// the same versions.
    ///
    /// - Parameter request: The request. Its model must be `Sendable`.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/decode(_:)->[PlainObject]``.
    public func values<PlainObject: ManagedObjectConvertible & Sendable>(
        of request: Request<PlainObject>
    ) -> LiveValues<[PlainObject]> {
        guard PlainObject.branches.isEmpty else { return values { try $0.decode(request) } }
        return LiveValues { [self] in
            DerivedInlet(from: distinctRows(of: request)) { rows, _ in rows.records.map(\.value) }
        }
    }

    /// Returns the objects that a request finds, with their identities and the differences from the previous list, now
    /// and after each commit that changes them.
    ///
    /// - Parameter request: The request. Its model must be `Sendable`.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/decode(_:)->[PlainObject]``.
    public func lists<PlainObject: ManagedObjectConvertible & Sendable>(
        of request: Request<PlainObject>
    ) -> LiveValues<LiveList<PlainObject>> {
        LiveValues { [self] in
            DerivedInlet(from: rows(of: request)) { rows, last in
                let changes = rows.changes(since: last)
                // A list that was replaced before it was taken may equal the one that was taken last.
                return last == nil || !changes.isEmpty ? LiveList(rows: rows, changes: changes) : nil
            }
        }
    }

    /// Returns the objects that a sectioned request finds, with their sections and the differences from the previous
    /// list, now and after each commit that changes them.
    ///
    /// - Parameter request: The request. Its model must be `Sendable`.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/decode(_:)->[PlainObject]`` and ``ManagedObjectContext/fetch(_:)->[Row]``.
    public func lists<PlainObject: ManagedObjectConvertible & Sendable, Key>(
        of request: SectionedRequest<PlainObject, Key>
    ) -> LiveValues<SectionedLiveList<PlainObject, Key>> {
        LiveValues { [self] in
            DerivedInlet(from: rows(of: request)) { rows, last in
                let previous = last ?? SectionedRows()
                let changes = rows.changes(since: previous)
                return last == nil || !changes.isEmpty
                    ? SectionedLiveList(rows: rows, changes: changes, since: previous) : nil
            }
        }
    }

    /// Returns the number of objects that a request finds, now and after each commit that changes it.
    ///
    /// - Parameter request: The request.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/count(of:)``.
    public func count<PlainObject: ManagedObjectConvertible>(of request: Request<PlainObject>) -> LiveValues<Int> {
        LiveValues { [self] in
            inlet { LiveCount(request, in: self, $0) }
        }.removingDuplicates()
    }

    /// Returns the ids of the objects that a request finds, now and after each commit that changes them or their order.
    ///
    /// Values are not read, so the model need not be `Sendable`: it may be a class.
    ///
    /// - Parameter request: The request.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/count(of:)``.
    public func ids<PlainObject: ManagedObjectConvertible>(
        of request: Request<PlainObject>
    ) -> LiveValues<[ManagedObjectID<PlainObject>]> {
        LiveValues { [self] in
            inlet { LiveIDs(request, in: self, $0) }
        }.removingDuplicates()
    }

    /// Returns the value of an object, or nil while the object does not exist, now and after each commit that changes it.
    ///
    /// - Parameter id: The id of the object. Its model must be `Sendable`.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/decode(_:)->[PlainObject]``.
    public func value<PlainObject: ManagedObjectConvertible & Sendable>(
        of id: ManagedObjectID<PlainObject>
    ) -> LiveValues<PlainObject?> {
        let request = PlainObject.all.where { $0 == id }
        guard PlainObject.branches.isEmpty else { return values { try $0.decodeOne(request) } }
        return LiveValues { [self] in
            DerivedInlet(from: distinctRows(of: request)) { rows, _ in
                .some(rows.count > 0 ? rows[0].value : nil)
            }
        }
    }

    /// Returns the rows of a projection, also of groups, now and after each commit that changes them.
    ///
    /// ```swift
    /// store.values(of: Book.all.grouped(by: \.author.name).select { ($0.key, $0.count) })
    /// ```
    /// - Parameter projection: The projection.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of
    ///   ``ManagedObjectContext/fetch(_:)->[Row]``.
    public func values<PlainObject: ManagedObjectConvertible, Row: Sendable>(
        of projection: Projection<PlainObject, Row>
    ) -> LiveValues<[Row]> {
        LiveValues { [self] in
            let rows: Mailbox<LiveProjectionRows<Row>> = inlet { mailbox in
                LiveReading(in: self, mailbox, isSame: { $0.isSame(as: $1) }) {
                    try $0.liveRows(of: projection)
                }
            }
            return DerivedInlet(from: rows) { rows, last in
                last.map { rows.isSame(as: $0) } ?? false ? nil : rows.rows
            }
        }
    }

    /// Returns the result of a closure that reads one snapshot, now and after each commit that changes something that it
    /// has read.
    ///
    /// ```swift
    /// for try await (count, year) in store.values({ try ($0.count(of: Author.all), $0.max(of: Book.all, \.year)) }) { … }
    /// ```
    /// The requests that the closure runs are recorded at each run, so it may read something else each time. A request
    /// for handles is recorded with all properties of its entity; a projection or a count reads less. The closure runs
    /// like that of ``PersistentContainer/read(deadline:_:)-5lnp2``, on a queue of the container,
    /// and should depend on the store only.
    ///
    /// - Parameter read: A closure that reads the store.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of the closure.
    public func values<Result: Sendable>(
        _ read: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) -> LiveValues<Result> {
        results(isSame: nil, read)
    }

    /// Returns the result of a closure that reads one snapshot, now and after each commit that changes it.
    ///
    /// Results that equal the previous one are left out.
    ///
    /// - Parameter read: A closure that reads the store.
    /// - Returns: A sequence that reads nothing before it is iterated. It throws the errors of the closure.
    public func values<Result: Sendable & Equatable>(
        _ read: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) -> LiveValues<Result> {
        results(isSame: { $0 == $1 }, read).removingDuplicates()
    }

    private func results<Result: Sendable>(
        isSame: (@Sendable (Result, Result) -> Bool)?,
        _ read: @escaping @Sendable (ManagedObjectContext) throws -> Result
    ) -> LiveValues<Result> {
        LiveValues { [self] in
            inlet { LiveReading(in: self, $0, isSame: isSame, read: read) }
        }
    }

    /// Returns the rows of a request without those that equal the rows that were taken before.
    private func distinctRows<PlainObject: ManagedObjectConvertible & Sendable>(
        of request: Request<PlainObject>
    ) -> DerivedInlet<LiveRows<PlainObject>, LiveRows<PlainObject>> {
        DerivedInlet(from: rows(of: request)) { rows, last in
            last.map { rows.isSame(as: $0) } ?? false ? nil : rows
        }
    }
}

extension PersistentContainer: LiveContainer {
    func readSnapshot(_ body: (ManagedObjectContext) throws -> Void) throws {
        try run(as: .read(deadline: nil), body)
    }
}
