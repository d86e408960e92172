#if canImport(SwiftUI)
import SwiftUI
import Sworm

/// The results of a property of a view, which remain while the view is created again and again.
@MainActor
final class LiveState<Results: AnyObject, Request> {
    private(set) var results: Results?
    private var request: Request?
    private var store: PersistentContainer?

    /// Returns the results for a request, which are created at first and if the store is another one.
    ///
    /// - Parameters:
    ///   - isSame: Compares the request with the one that the view had before.
    ///   - replace: Sets the request of the results.
    func update(
        to request: Request, in store: PersistentContainer?, isSame: (Request, Request) -> Bool,
        make: (Request) -> Results, replace: (Results, Request) -> Void
    ) -> Results {
        guard let results, let known = self.request, store === self.store else {
            let made = make(request)
            (results, self.request, self.store) = (made, request, store)
            return made
        }
        // The view's own request is compared, so that one that was set through the results remains.
        if !isSame(known, request) {
            self.request = request
            replace(results, request)
        }
        return results
    }

    /// The error of results without a store.
    static var missingStore: StoreError {
        StoreError(
            .cannotOpen,
            "The environment has no store. Set it with `.persistentContainer(store)` at a view outside of this one, or "
                + "name it in the property: `@Live(request, in: store)`.")
    }

    /// Returns the function that changes lists with an animation. The first list appears without one.
    static func changes(
        with animation: Animation?, isLoaded: @escaping () -> Bool
    ) -> (_ change: () -> Void) -> Void {
        { change in
            if let animation, isLoaded() { withAnimation(animation, change) } else { change() }
        }
    }
}
#endif
