import SwormPredicates

/// The source of the values of one consumer. One task at a time takes values from it.
protocol LiveInlet<Element>: Sendable {
    associatedtype Element: Sendable

    /// Returns the next value, or nil after the end.
    func next(isolation: isolated (any Actor)?) async throws -> Element?

    /// Ends the values. Called when the consumer goes.
    func end()
}

/// The newest value for one consumer. A value that was not taken is replaced by the next one, so that a slow consumer
/// receives the newest value and no queue grows.
final class Mailbox<Element: Sendable>: LiveInlet {
    private enum Content: Sendable {
        case empty
        case value(Element)
        case failure(any Error)
        case ended
    }

    private struct State: Sendable {
        var content = Content.empty
        var consumer: CheckedContinuation<Element?, any Error>?
    }

    private let state = Locked(State())
    /// Runs a closure after the commits that were made before have been handled.
    private let afterCommits: @Sendable (@escaping @Sendable () -> Void) -> Void
    private let onEnd: @Sendable (ObjectIdentifier) -> Void

    /// - Parameters:
    ///   - afterCommits: Runs a closure after the commits that were made before have been handled, so that a consumer
    ///     that has written receives a value with its changes.
    ///   - onEnd: A closure that is called once, with the identity of the mailbox, when no value is needed any more.
    init(
        afterCommits: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
        onEnd: @escaping @Sendable (ObjectIdentifier) -> Void
    ) {
        self.afterCommits = afterCommits
        self.onEnd = onEnd
    }

    /// Puts a value in, which replaces one that was not taken.
    func put(_ value: Element) { put(.value(value)) }

    /// Ends the values with an error, which the consumer receives instead of a value that was not taken.
    func fail(_ error: any Error) { put(.failure(error)) }

    private func put(_ content: Content) {
        let consumer = state.withLock { state -> CheckedContinuation<Element?, any Error>? in
            switch state.content {
            case .failure, .ended: return nil
            case .empty, .value: break
            }
            guard let consumer = state.consumer else {
                state.content = content
                return nil
            }
            state.consumer = nil
            if case .failure = content { state.content = .ended }
            return consumer
        }
        if let consumer { Self.resume(consumer, with: content) }
    }

    func end() {
        let (isFirst, consumer) = state.withLock { state in
            defer { (state.content, state.consumer) = (.ended, nil) }
            if case .ended = state.content { return (false, state.consumer) }
            return (true, state.consumer)
        }
        consumer?.resume(returning: nil)
        if isFirst { onEnd(ObjectIdentifier(self)) }
    }

    func next(isolation: isolated (any Actor)?) async throws -> Element? {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation(isolation: isolation) { consumer in
                afterCommits { [self] in give(to: consumer) }
            }
        } onCancel: {
            end()
        }
    }

    private func give(to consumer: CheckedContinuation<Element?, any Error>) {
        let content = state.withLock { state -> Content in
            let content = state.content
            switch content {
            case .empty: state.consumer = consumer
            case .value: state.content = .empty
            case .failure: state.content = .ended
            case .ended: break
            }
            return content
        }
        Self.resume(consumer, with: content)
    }

    private static func resume(_ consumer: CheckedContinuation<Element?, any Error>, with content: Content) {
        switch content {
        case .empty: break
        case .value(let value): consumer.resume(returning: value)
        case .failure(let error): consumer.resume(throwing: error)
        case .ended: consumer.resume(returning: nil)
        }
    }
}
