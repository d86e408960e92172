public import Foundation

/// The location of a store, and how the store is opened.
public struct StoreLocation: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case file(URL)
        case readOnly(URL)
        case memory
    }

    let kind: Kind

    private init(_ kind: Kind) { self.kind = kind }

    /// Returns the location of a file that is read and written. Missing files and parent folders are created.
    ///
    /// - Parameter url: The location of the file.
    public static func file(_ url: URL) -> StoreLocation { StoreLocation(.file(url)) }

    /// Returns the location of a file that is only read. The file must exist, and no byte of it is changed.
    ///
    /// - Parameter url: The location of the file.
    public static func readOnly(_ url: URL) -> StoreLocation { StoreLocation(.readOnly(url)) }

    /// A private store in memory. Its content is discarded with the container.
    public static let memory = StoreLocation(.memory)

    /// Whether the store is opened read-only.
    public var isReadOnly: Bool {
        if case .readOnly = kind { true } else { false }
    }

    /// The location of the file; nil for memory.
    public var url: URL? {
        switch kind {
        case .file(let url), .readOnly(let url): url
        case .memory: nil
        }
    }

    /// The path of the file, or "memory".
    public var description: String { url?.path ?? "memory" }
}
