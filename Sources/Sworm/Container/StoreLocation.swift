public import Foundation

/// Where a store is, and how it is opened.
public struct StoreLocation: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case file(URL)
        case readOnly(URL)
        case memory
    }

    let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// A file that is read and written. It is created when it does not exist, with the folders above it.
    ///
    /// - Parameter url: The place of the file.
    public static func file(_ url: URL) -> StoreLocation { StoreLocation(.file(url)) }

    /// A file that is only read. It must exist, and not one byte of it is changed.
    ///
    /// - Parameter url: The place of the file.
    public static func readOnly(_ url: URL) -> StoreLocation { StoreLocation(.readOnly(url)) }

    /// A store of the container's own in memory. It is gone when the container is.
    public static let memory = StoreLocation(.memory)

    /// Whether nothing can be written there.
    public var isReadOnly: Bool {
        if case .readOnly = kind { true } else { false }
    }

    /// The place of the file; nil for memory.
    public var url: URL? {
        switch kind {
        case .file(let url), .readOnly(let url): url
        case .memory: nil
        }
    }

    /// The path of the file, or "memory".
    public var description: String { url?.path ?? "memory" }
}
