/// The kind of code to which the handles of a scope belong, for the messages of errors.
enum ScopeOwner: Sendable {
    /// A call, such as `perform`.
    case call
    /// An actor.
    case actor
    /// The main actor, which only reads.
    case main
    /// An editing context.
    case editor

    var wrongThread: String {
        switch self {
        case .call: "was used on another thread than its perform. Decode it inside the perform, or pass its id."
        case .actor: "was used outside of its actor. Use it in the methods of the actor, or pass its id."
        case .main: "was used outside of the main actor. Use it on the main actor, or pass its id."
        case .editor: "was used outside of `edit` and `read`. Use it in their closures, or keep its id."
        }
    }

    var scopeEnded: String {
        switch self {
        case .call:
            "was used after its perform had ended. Decode it inside the perform, or keep its id and fetch it again."
        case .actor: "was used after its actor was released. Keep its id, and fetch it again."
        case .main: "was used after its container was released. Keep its id, and fetch it again."
        case .editor: "was used after its editing context was released. Keep its id, and fetch it again."
        }
    }

    var readOnly: String {
        switch self {
        case .call: "cannot be changed inside a read. Use `perform` or `write` instead of `read`."
        case .actor: "cannot be changed inside a snapshot. Use `transaction` instead of `snapshot`."
        case .editor: "cannot be changed inside a read. Use `edit` instead of `read`."
        case .main:
            "cannot be changed in `main`, which only reads. Change them in a `perform`, or in an `EditingContext`."
        }
    }

    /// The reason why objects cannot be written in bulk; nil if they can.
    var bulkRefusal: String? {
        switch self {
        case .call, .main: nil
        case .actor: "in the context of an actor. Use its `transaction`, which commits what it writes."
        case .editor: "in an editing context, because that cannot be undone. Change the objects, or use `perform`."
        }
    }
}
