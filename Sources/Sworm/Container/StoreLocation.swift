public import Foundation

/// The location of a store, and how the store is opened.
public struct StoreLocation: Sendable, Hashable, CustomStringConvertible {
    enum Kind: Sendable, Hashable {
        case file(URL)
        case readOnly(URL)
        case memory
        case server(ServerLocation)
    }

    let kind: Kind

    init(_ kind: Kind) { self.kind = kind }

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
        switch kind {
        case .readOnly: true
        case .server(let server): server.isReadOnly
        case .file, .memory: false
        }
    }

    /// The location of the file; nil for memory, and for a store on a server.
    public var url: URL? {
        switch kind {
        case .file(let url), .readOnly(let url): url
        case .memory, .server: nil
        }
    }

    /// The path of the file, the address of the server without secrets, or "memory".
    public var description: String {
        if case .server(let server) = kind { return server.description }
        return url?.path ?? "memory"
    }
}

/// The location of a store on a server, and how the store is opened.
struct ServerLocation: Sendable, Hashable, CustomStringConvertible {
    /// The address without secrets, and the schema.
    let description: String
    let isReadOnly: Bool
    /// Returns the arguments by which a coordinator opens the store.
    let opening: @Sendable () throws -> StoreOpening

    static func == (left: ServerLocation, right: ServerLocation) -> Bool {
        left.description == right.description && left.isReadOnly == right.isReadOnly
    }

    func hash(into hasher: inout Hasher) {
        hasher.combine(description)
        hasher.combine(isReadOnly)
    }
}

/// The arguments by which a coordinator opens a store.
struct StoreOpening {
    var type: String
    var url: URL
    var options: [String: Any] = [:]
}
