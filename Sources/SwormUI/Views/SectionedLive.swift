#if canImport(SwiftUI)
public import SwiftUI
public import Sworm

/// The objects and sections that a request finds, as a property of a view that is kept up to date.
///
/// ```swift
/// struct BookList: View {
///     @SectionedLive(Book.all.sort(\.title).sections(by: \.year)) var books
///
///     var body: some View {
///         List(books.sections) { section in
///             Section("\(section.key)") { ForEach(section) { Text($0.title) } }
///         }
///     }
/// }
/// ```
/// Everything that ``Live`` documents applies to it too. The projected value is the `SectionedLiveResults`.
@MainActor
@propertyWrapper
public struct SectionedLive<
    PlainObject: ManagedObjectConvertible & Sendable, Key: Hashable & Sendable
>: DynamicProperty {
    private typealias Results = SectionedLiveResults<PlainObject, Key>
    private typealias Holder = LiveState<Results, SectionedRequest<PlainObject, Key>>

    @Environment(\.persistentContainer) private var environmentStore
    @State private var holder = Holder()
    private let request: SectionedRequest<PlainObject, Key>
    private let store: PersistentContainer?
    private let animation: Animation?

    /// Creates a property with the objects and sections that a request finds.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - store: The container of the store; nil for that of the environment.
    ///   - animation: The animation of changes; nil for none. The first list appears without one.
    public init(
        _ request: SectionedRequest<PlainObject, Key>, in store: PersistentContainer? = nil,
        animation: Animation? = nil
    ) {
        self.request = request
        self.store = store
        self.animation = animation
    }

    /// The objects and their sections. The list is empty until the first one has been read.
    public var wrappedValue: SectionedLiveList<PlainObject, Key> { results.list }

    /// The results, with their state and the request.
    public var projectedValue: SectionedLiveResults<PlainObject, Key> { results }

    private var results: Results {
        if let results = holder.results { return results }
        return resolve()
    }

    /// Called by SwiftUI before it reads the view's body.
    nonisolated public func update() {
        MainActor.assumeIsolated { _ = resolve() }
    }

    private func resolve() -> Results {
        let (store, animation) = (store ?? environmentStore, animation)
        return holder.update(to: request, in: store) {
            $0.isSame(as: $1)
        } make: { request in
            let results = store.map { Results(request, in: $0) } ?? Results(request, failing: Holder.missingStore)
            results.changeList = Holder.changes(with: animation) { [weak results] in results?.isLoaded ?? false }
            return results
        } replace: {
            $0.request = $1
        }
    }
}
#endif
