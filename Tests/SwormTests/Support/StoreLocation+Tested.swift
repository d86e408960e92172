import Foundation
import Sworm
import TestSupport

extension StoreLocation {
    /// The location of a new, empty store of the kind that the test runs over.
    static var tested: StoreLocation {
        guard let store = StoreUnderTest.current else { return .memory }
        store.markUse()
        switch store.kind {
        case .memory: return .memory
        case .file: return .file(store.newFile())
        case .server: return testedServer
        }
    }

    #if PostgreSQL && !canImport(CoreData)
    private static var testedServer: StoreLocation {
        guard let server = try? PostgresServer.shared(), let entrance = try? server.entrance() else {
            return .postgres("postgres://localhost")
        }
        var configuration = PostgresConfiguration(
            host: entrance.folder, port: entrance.port, database: "postgres", user: server.user,
            schema: server.newSchema(), pooler: ServerEntrance.arePooled ? .transaction : .none)
        // A test may wait for long while other tests run.
        configuration.timeouts.statement = nil
        configuration.timeouts.idle = nil
        return .postgres(configuration)
    }
    #else
    private static var testedServer: StoreLocation { .memory }
    #endif
}
