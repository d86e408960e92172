import SwormPredicates

/// A signal for which one task at a time waits.
final class ChangeSignal: Sendable {
    private struct State: Sendable {
        var isSet = false
        var isEnded = false
        var waiting: CheckedContinuation<Void, Never>?
    }

    private let state = Locked(State())

    /// Sets the signal, which ends the current wait, or else the next one.
    func set() {
        let waiting = state.withLock { state in
            state.isSet = state.waiting == nil
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    /// Ends the current wait and all later ones.
    func end() {
        let waiting = state.withLock { state in
            state.isEnded = true
            defer { state.waiting = nil }
            return state.waiting
        }
        waiting?.resume()
    }

    var isEnded: Bool { state.withLock { $0.isEnded } }

    /// Removes the signal. A set that comes later is noticed by the next wait.
    func clear() { state.withLock { $0.isSet = false } }

    /// Waits until the signal is set, the signal has ended, or the task is cancelled.
    func wait(isolation: isolated (any Actor)?) async {
        await withTaskCancellationHandler {
            await withCheckedContinuation(isolation: isolation) { continuation in
                let isOver = state.withLock { state in
                    if state.isSet || state.isEnded || Task.isCancelled { return true }
                    state.waiting = continuation
                    return false
                }
                if isOver { continuation.resume() }
            }
        } onCancel: {
            set()
        }
    }
}

/// The signals of the feeds of a container, which also end waits when the container is closed or resumed.
final class FeedSignals: Sendable {
    private let signals = Locked<[ObjectIdentifier: ChangeSignal]>([:])

    func add(_ signal: ChangeSignal) { signals.withLock { $0[ObjectIdentifier(signal)] = signal } }

    func remove(_ signal: ChangeSignal) { signals.withLock { $0[ObjectIdentifier(signal)] = nil } }

    /// Whether no feed is iterated.
    var isEmpty: Bool { signals.withLock { $0.isEmpty } }

    /// Makes all feeds read again.
    func set() { for signal in signals.withLock({ Array($0.values) }) { signal.set() } }
}
