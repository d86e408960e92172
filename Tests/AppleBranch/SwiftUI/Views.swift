// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

@MainActor @preconcurrency
public protocol View {
    associatedtype Body: View
    @ViewBuilder var body: Body { get }
}

extension Never: View {
    public var body: Never { fatalError() }
}

/// A view that the renderer knows.
@MainActor
public protocol Primitive {
    func render(in renderer: Renderer, at path: String)
}

extension Primitive {
    public var body: Never { fatalError() }
}

@resultBuilder
@MainActor
public struct ViewBuilder {
    public static func buildBlock<Content: View>(_ content: Content) -> Content { content }

    public static func buildBlock<First: View, Second: View>(
        _ first: First, _ second: Second
    ) -> TupleView<(First, Second)> {
        TupleView { renderer, path in
            renderer.render(first, at: path + ".0")
            renderer.render(second, at: path + ".1")
        }
    }
}

public struct TupleView<Content>: View, Primitive {
    let parts: (Renderer, String) -> Void

    public func render(in renderer: Renderer, at path: String) { parts(renderer, path) }
}

public struct Text: View, Primitive {
    let text: String

    public init<Content: StringProtocol>(_ content: Content) { text = String(content) }

    public func render(in renderer: Renderer, at path: String) { renderer.lines.append(text) }
}

public struct ForEach<Data: RandomAccessCollection, ID: Hashable, Content>: View, Primitive {
    let data: Data
    let id: (Data.Element) -> ID
    let content: (Data.Element) -> Content
    let show: (Renderer, Content, String) -> Void

    public func render(in renderer: Renderer, at path: String) {
        for element in data { show(renderer, content(element), "\(path)[\(id(element))]") }
    }
}

extension ForEach where ID == Data.Element.ID, Content: View, Data.Element: Identifiable {
    public init(_ data: Data, @ViewBuilder content: @escaping (Data.Element) -> Content) {
        self.init(data: data, id: { $0.id }, content: content) { $0.render($1, at: $2) }
    }
}

public struct Section<Parent, Content, Footer>: View, Primitive {
    let title: Text
    let show: (Renderer, String) -> Void

    public func render(in renderer: Renderer, at path: String) {
        title.render(in: renderer, at: path)
        show(renderer, path)
    }
}

extension Section where Parent == Text, Content: View, Footer == EmptyView {
    public init<Title: StringProtocol>(_ title: Title, @ViewBuilder content: () -> Content) {
        let content = content()
        self.init(title: Text(title), show: { $0.render(content, at: $1) })
    }
}

public struct EmptyView: View, Primitive {
    public init() {}

    public func render(in renderer: Renderer, at path: String) {}
}

public struct List<SelectionValue, Content>: View, Primitive {
    let show: (Renderer, String) -> Void

    public func render(in renderer: Renderer, at path: String) { show(renderer, path) }
}

extension List where SelectionValue == Never, Content: View {
    public init(@ViewBuilder content: () -> Content) {
        let content = content()
        self.init(show: { $0.render(content, at: $1) })
    }

    public init<Data: RandomAccessCollection, RowContent: View>(
        _ data: Data, @ViewBuilder rowContent: @escaping (Data.Element) -> RowContent
    ) where Content == ForEach<Data, Data.Element.ID, RowContent>, Data.Element: Identifiable {
        self.init(content: { ForEach(data, content: rowContent) })
    }
}

struct EnvironmentView<Content: View, Value>: View, Primitive {
    let content: Content
    let keyPath: WritableKeyPath<EnvironmentValues, Value>
    let value: Value

    func render(in renderer: Renderer, at path: String) {
        let outer = EnvironmentValues.current
        EnvironmentValues.current[keyPath: keyPath] = value
        defer { EnvironmentValues.current = outer }
        renderer.render(content, at: path)
    }
}

extension View {
    public func environment<Value>(_ keyPath: WritableKeyPath<EnvironmentValues, Value>, _ value: Value) -> some View {
        EnvironmentView(content: self, keyPath: keyPath, value: value)
    }
}
