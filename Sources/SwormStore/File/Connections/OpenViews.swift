import SwormSQLite
import SwormRows
import SwormPredicates

/// The open views of a store. Each holds a snapshot, which keeps the log from restarting.
struct OpenViews: Sendable {
    struct View: Sendable {
        let number: Int
        let since: Moment
        /// Whether the view belongs to a call of a container, whose number is bounded, and not to a context that the
        /// user created.
        let isAdmitted: Bool
        let token: InterruptToken?
    }

    /// The number of views of user-created contexts up to which no warning is needed.
    static let usualPins = 8

    private var views: [View] = []
    private var lastNumber = 0
    private var pins = 0
    private var hasWarnedOfPins = false

    var count: Int { views.count }

    /// The tokens that stop the views, including views that are about to start.
    var tokens: [InterruptToken] { views.compactMap(\.token) }

    /// - Returns: The number of the view, and whether the number of views of user-created contexts exceeds the usual
    ///   number for the first time.
    mutating func add(
        isAdmitted: Bool, _ token: InterruptToken?, now: Moment
    ) -> (number: Int, warns: Bool) {
        lastNumber += 1
        views.append(View(number: lastNumber, since: now, isAdmitted: isAdmitted, token: token))
        if isAdmitted { return (lastNumber, false) }
        pins += 1
        guard pins > Self.usualPins, !hasWarnedOfPins else { return (lastNumber, false) }
        hasWarnedOfPins = true
        return (lastNumber, true)
    }

    mutating func remove(_ number: Int) {
        guard let index = views.firstIndex(where: { $0.number == number }) else { return }
        if !views[index].isAdmitted {
            pins -= 1
            if pins <= Self.usualPins / 2 { hasWarnedOfPins = false }
        }
        views.remove(at: index)
    }

    /// The view that has been open for the longest time.
    var oldest: View? { views.min { $0.since < $1.since } }
}

/// The listeners for warnings that users of a store should see and that no call throws.
final class StoreWarnings: Sendable {
    private struct Content: Sendable {
        var listeners: [Int: @Sendable (CoreDataError) -> Void] = [:]
        var last = 0
        /// The warnings without a listener so far.
        var early: [CoreDataError] = []
    }

    /// The number of warnings to keep for the first listener.
    private let earlyLimit: Int
    private let content = Locked(Content())

    /// - Parameter earlyLimit: The number of warnings to keep for the first listener, if they are reported before it is added.
    init(keepingEarly earlyLimit: Int = 0) { self.earlyLimit = earlyLimit }

    /// - Returns: The number for ``remove(_:)``.
    func add(_ listener: @escaping @Sendable (CoreDataError) -> Void) -> Int {
        let (number, early) = content.withLock { content in
            content.last += 1
            content.listeners[content.last] = listener
            defer { content.early = [] }
            return (content.last, content.early)
        }
        for warning in early { listener(warning) }
        return number
    }

    func remove(_ number: Int) { content.withLock { $0.listeners[number] = nil } }

    func report(_ warning: CoreDataError) {
        let listeners = content.withLock { content in
            if content.last == 0, content.early.count < earlyLimit { content.early.append(warning) }
            return Array(content.listeners.values)
        }
        for listener in listeners { listener(warning) }
    }
}
