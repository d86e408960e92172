import Hummingbird
import Logging

/// A middleware that answers every error, and logs those of the server.
struct FailureMiddleware: RouterMiddleware {
    func handle(
        _ request: Request, context: BookContext, next: (Request, BookContext) async throws -> Response
    ) async throws -> Response {
        do {
            return try await next(request, context)
        } catch {
            let failure = Failure(error)
            if failure.isOfServer { context.logger.error("\(request.method) \(request.uri.path): \(error)") }
            return try failure.response(from: request, context: context)
        }
    }
}
