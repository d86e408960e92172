import Hummingbird

/// The context of a request, with the moment at which it is abandoned.
struct BookContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    var deadline = ContinuousClock.Instant.now
    var maxUploadSize: Int { 100_000 }

    init(source: Source) { coreContext = .init(source: source) }
}

/// A middleware that sets the deadline of each request.
struct DeadlineMiddleware: RouterMiddleware {
    let timeLimit: Duration

    func handle(
        _ request: Request, context: BookContext, next: (Request, BookContext) async throws -> Response
    ) async throws -> Response {
        var context = context
        context.deadline = .now + timeLimit
        return try await next(request, context)
    }
}
