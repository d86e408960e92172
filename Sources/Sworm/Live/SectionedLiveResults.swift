public import Observation

/// The objects that a sectioned request finds, as an observable object that belongs to an actor and is kept up to date.
///
/// ```swift
/// let books = SectionedLiveResults(Book.all.sort(\.title).sections(by: \.year), in: store)
/// for section in books.list.sections { print(section.key, section.map(\.title)) }
/// ```
/// Everything that ``LiveResults`` documents applies to them too.
@Observable
public final class SectionedLiveResults<
    PlainObject: ManagedObjectConvertible & Sendable, Key: Hashable & Sendable
> {
    /// The request. If you set another one, the last list stays until the first list of the new request has been read.
    public var request: SectionedRequest<PlainObject, Key> {
        didSet { if !request.isSame(as: oldValue) { restart() } }
    }

    /// The objects and their sections, with the differences from the list before.
    public private(set) var list = SectionedLiveList<PlainObject, Key>()
    /// Whether a list has been read.
    public private(set) var isLoaded = false
    /// The error of the last attempt to read; nil after a successful one.
    public private(set) var error: (any Error)?

    /// The values of all objects. They are collected at each access.
    public var values: [PlainObject] { list.values }

    /// A function through which the list is changed, for animations. It must call its argument once.
    @ObservationIgnored package var changeList: (_ change: () -> Void) -> Void = { $0() }

    @ObservationIgnored private let container: PersistentContainer?
    @ObservationIgnored private let clock: any Clock<Duration>
    @ObservationIgnored private weak var actor: (any Actor)?
    @ObservationIgnored private var task: Task<Void, Never>?

    /// Creates results that belong to the main actor.
    ///
    /// - Parameters:
    ///   - request: The request. Its model must be `Sendable`.
    ///   - store: The container of the store.
    @MainActor
    public convenience init(_ request: SectionedRequest<PlainObject, Key>, in store: PersistentContainer) {
        self.init(request, in: store, of: MainActor.shared, clock: ContinuousClock())
    }

    /// Creates results that belong to an actor, in one of its methods.
    ///
    /// - Parameters:
    ///   - request: The request. Its model must be `Sendable`.
    ///   - store: The container of the store.
    ///   - actor: The actor on which the results are created and used.
    public convenience init(
        _ request: SectionedRequest<PlainObject, Key>, in store: PersistentContainer, on actor: isolated some Actor
    ) {
        self.init(request, in: store, of: actor, clock: ContinuousClock())
    }

    /// Creates results without a store, which have an error.
    @MainActor
    package convenience init(_ request: SectionedRequest<PlainObject, Key>, failing error: any Error) {
        self.init(request, in: nil, of: MainActor.shared, clock: ContinuousClock())
        self.error = error
    }

    /// - Parameters:
    ///   - actor: The actor that the caller is isolated to.
    ///   - clock: The clock that measures the pauses after errors.
    init(
        _ request: SectionedRequest<PlainObject, Key>, in container: PersistentContainer?, of actor: any Actor,
        clock: any Clock<Duration>
    ) {
        self.request = request
        self.container = container
        self.actor = actor
        self.clock = clock
        restart()
    }

    deinit { task?.cancel() }

    private func restart() {
        task?.cancel()
        guard let container, let actor else { return }
        let (request, target) = (request, LiveTarget(self, on: actor))
        let follower = LiveFollower(container: container, clock: clock, shown: list.rows) {
            container.rows(of: request)
        } changes: { rows, previous in
            rows.changes(since: previous)
        } deliver: { result in
            await target.update { $0.take(result) }
        }
        task = Task.detached(priority: .userInitiated) { await follower.run() }
    }

    private func take(_ result: Result<LiveFollower<SectionedRows<PlainObject, Key>>.Update, any Error>) {
        switch result {
        case .success(let update):
            if !isLoaded || !update.changes.isEmpty {
                changeList {
                    list = SectionedLiveList(rows: update.rows, changes: update.changes, since: update.previous)
                    if !isLoaded { isLoaded = true }
                }
            }
            if error != nil { error = nil }
        case .failure(let error): self.error = error
        }
    }
}
