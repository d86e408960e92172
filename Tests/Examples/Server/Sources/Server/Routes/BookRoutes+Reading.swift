import Hummingbird
import Sworm

extension BookRoutes {
    /// `GET /books/{isbn}`
    func page(_ request: Request, _ context: BookContext) async throws -> Response {
        let isbn = try context.isbn
        let page = try await store.read(deadline: context.deadline) { store in
            try store.decodeOne(BookPage.all.where { $0.isbn == isbn })
        }
        guard let page else { throw context.noBook(isbn) }
        return try await request.ifNoneMatch(eTag: page.eTag, context: context) { page }
    }

    /// `GET /books?filter=…&sort=…&limit=…&offset=…`
    func list(_ request: Request, _ context: BookContext) async throws -> BookList {
        let query = try BookQuery(request.uri.queryParameters)
        return try await store.read(deadline: context.deadline) { try query.list(in: $0) }
    }

    /// `GET /books/live?filter=…`
    func live(_ request: Request, _ context: BookContext) async throws -> Response {
        let query = try BookQuery(request.uri.queryParameters)
        // Read once, so that a filter that cannot run is answered with an error, and not with a stream that ends.
        _ = try await store.read(deadline: context.deadline) { try query.list(in: $0) }
        let lists = store.values { try query.list(in: $0) }.minimumInterval(.milliseconds(100))
        return .events(lists, for: request, context)
    }
}
