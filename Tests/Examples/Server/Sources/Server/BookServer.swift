import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import Sworm

/// Returns the server of the books in a store.
func bookServer(
    for routes: BookRoutes, port: Int, timeLimit: Duration = .seconds(5), logger: Logger,
    onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
) -> Application<RouterResponder<BookContext>> {
    let router = Router(context: BookContext.self)
    router.addMiddleware {
        FailureMiddleware()
        DeadlineMiddleware(timeLimit: timeLimit)
    }
    routes.add(to: router.group("books"))
    return Application(
        router: router,
        // Connections that send nothing are closed.
        server: .http1(configuration: .init(idleTimeout: .seconds(30))),
        configuration: .init(address: .hostname("127.0.0.1", port: port)), onServerRunning: onServerRunning,
        logger: logger)
}
