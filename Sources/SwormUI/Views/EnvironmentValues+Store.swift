#if canImport(SwiftUI)
public import SwiftUI
public import Sworm

private struct PersistentContainerKey: EnvironmentKey {
    static let defaultValue: PersistentContainer? = nil
}

extension EnvironmentValues {
    /// The container whose objects ``Live`` and ``SectionedLive`` show; nil if none was set.
    public var persistentContainer: PersistentContainer? {
        get { self[PersistentContainerKey.self] }
        set { self[PersistentContainerKey.self] = newValue }
    }
}

extension View {
    /// Sets the container whose objects the view and those inside of it show.
    ///
    /// ```swift
    /// WindowGroup { BookList() }.persistentContainer(store)
    /// ```
    /// - Parameter store: The container.
    public func persistentContainer(_ store: PersistentContainer) -> some View {
        environment(\.persistentContainer, store)
    }
}
#endif
