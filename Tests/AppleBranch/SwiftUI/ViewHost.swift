// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Observation

/// Shows a view as lines, and renders it again when something that it has read changes. Not part of SwiftUI.
@MainActor
public final class ViewHost<Root: View> {
    /// The view, which may be replaced. Its state remains.
    public var root: Root { didSet { render() } }
    /// The lines that are shown.
    public private(set) var lines: [String] = []
    /// The number of times that the view was rendered.
    public private(set) var renderings = 0
    private var states: [String: AnyObject] = [:]
    private var waiting: [CheckedContinuation<Void, Never>] = []
    private let trigger = Trigger()

    public init(_ root: Root) {
        self.root = root
        trigger.action = { [weak self] in self?.render() }
        render()
    }

    private func render() {
        let renderer = Renderer(states)
        withObservationTracking {
            renderer.render(root, at: "")
        } onChange: { [weak trigger] in
            // Called before the change.
            Task { @MainActor [weak trigger] in trigger?.action() }
        }
        (lines, states) = (renderer.lines, renderer.states)
        renderings += 1
        let woken = waiting
        waiting = []
        for continuation in woken { continuation.resume() }
    }

    /// Waits until the shown lines fulfill a condition.
    public func wait(until condition: ([String]) -> Bool) async {
        while !condition(lines) { await withCheckedContinuation { waiting.append($0) } }
    }
}

/// The action that renders a view again.
@MainActor
private final class Trigger {
    var action: () -> Void = {}
}

/// One rendering of a view.
@MainActor
public final class Renderer {
    var lines: [String] = []
    private(set) var states: [String: AnyObject] = [:]
    private let previous: [String: AnyObject]

    init(_ previous: [String: AnyObject]) { self.previous = previous }

    func render<Content: View>(_ view: Content, at path: String) {
        if let primitive = view as? any Primitive { return primitive.render(in: self, at: path) }
        let path = "\(path)/\(Content.self)"
        updateProperties(of: view, at: path)
        render(view.body, at: path)
    }

    /// Attaches the states of a view and updates its properties, the inner ones first.
    private func updateProperties(of value: Any, at path: String) {
        for (label, child) in Mirror(reflecting: value).children {
            guard var property = child as? any DynamicProperty else { continue }
            let path = "\(path).\(label ?? "")"
            if let state = property as? any AnyState {
                states[path] = state.attach(to: previous[path])
            } else {
                updateProperties(of: property, at: path)
            }
            property.update()
        }
    }
}
