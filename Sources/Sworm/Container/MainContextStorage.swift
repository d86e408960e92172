/// A reference that only the main actor uses.
@MainActor
final class MainContextStorage {
    var value: AnyObject?

    nonisolated init() {}
}
