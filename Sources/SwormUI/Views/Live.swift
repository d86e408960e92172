#if canImport(SwiftUI)
public import SwiftUI
public import Sworm

/// The objects that a request finds, as a property of a view that is kept up to date.
///
/// ```swift
/// struct BookList: View {
///     @Live(Book.all.where { $0.year > 1800 }.sort(\.title), animation: .default) var books
///
///     var body: some View {
///         List(books) { Text($0.title) }
///     }
/// }
/// ```
/// The store is that of the environment, which `persistentContainer(_:)` sets, or the one that the
/// property names. The view is updated after each commit that changes the objects, also by other processes.
///
/// The projected value is the `LiveResults`: `$books.isLoaded`, `$books.error`, and `$books.request`, which can be set.
/// If the view is created with another request, that one applies from then on.
@MainActor
@propertyWrapper
public struct Live<PlainObject: ManagedObjectConvertible & Sendable>: DynamicProperty {
    private typealias Holder = LiveState<LiveResults<PlainObject>, Request<PlainObject>>

    @Environment(\.persistentContainer) private var environmentStore
    @State private var holder = Holder()
    private let request: Request<PlainObject>
    private let store: PersistentContainer?
    private let animation: Animation?

    /// Creates a property with the objects that a request finds.
    ///
    /// - Parameters:
    ///   - request: The request. If it is left out, all objects of the type.
    ///   - store: The container of the store; nil for that of the environment.
    ///   - animation: The animation of changes; nil for none. The first list appears without one.
    public init(
        _ request: Request<PlainObject> = PlainObject.all, in store: PersistentContainer? = nil,
        animation: Animation? = nil
    ) {
        self.request = request
        self.store = store
        self.animation = animation
    }

    /// The objects. The list is empty until the first one has been read.
    public var wrappedValue: LiveList<PlainObject> { results.list }

    /// The results, with their state and the request.
    public var projectedValue: LiveResults<PlainObject> { results }

    private var results: LiveResults<PlainObject> {
        if let results = holder.results { return results }
        return resolve()
    }

    /// Called by SwiftUI before it reads the view's body.
    nonisolated public func update() {
        MainActor.assumeIsolated { _ = resolve() }
    }

    private func resolve() -> LiveResults<PlainObject> {
        let (store, animation) = (store ?? environmentStore, animation)
        return holder.update(to: request, in: store) {
            $0.isSame(as: $1)
        } make: { request in
            let results =
                store.map { LiveResults(request, in: $0) } ?? LiveResults(request, failing: Holder.missingStore)
            results.changeList = Holder.changes(with: animation) { [weak results] in results?.isLoaded ?? false }
            return results
        } replace: {
            $0.request = $1
        }
    }
}
#endif
