import Foundation
import Sworm
import TestSupport

extension StoreLocation {
    /// The location of a new, empty store of the kind that the test runs over.
    static var tested: StoreLocation {
        guard let store = StoreUnderTest.current else { return .memory }
        switch store.kind {
        case .memory: return .memory
        case .file: return .file(store.newFile())
        case .server: return testedServer
        }
    }

    #if PostgreSQL
    private static var testedServer: StoreLocation {
        guard let server = try? PostgresServer.shared() else { return .postgres("postgres://localhost") }
        return .postgres(
            .init(
                host: server.folder.path, port: server.port, database: "postgres", user: server.user,
                schema: server.newSchema()))
    }
    #else
    private static var testedServer: StoreLocation { .memory }
    #endif
}
