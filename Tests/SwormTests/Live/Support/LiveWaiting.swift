import Foundation
import Observation
@testable import Sworm

/// Waits until a condition of observable objects holds, on the actor of the caller.
func waitUntil(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async {
    while true {
        let (changes, continuation) = AsyncStream<Void>.makeStream()
        let holds = withObservationTracking(condition) { continuation.yield() }
        if holds { return }
        // Woken before the change, and continues behind it.
        for await _ in changes { break }
    }
}

/// Waits until a condition holds that nothing announces.
func poll(isolation: isolated (any Actor)? = #isolation, _ condition: () -> Bool) async throws {
    while !condition() { try await Task.sleep(for: .milliseconds(1)) }
}

/// A weak reference.
struct WeakReference<Object: AnyObject> {
    private(set) weak var object: Object?

    init(_ object: Object?) { self.object = object }
}

extension PersistentContainer {
    /// Waits until no live request is left.
    func waitUntilIdle() async throws { try await poll { live.isIdle && feeds.isEmpty } }
}
