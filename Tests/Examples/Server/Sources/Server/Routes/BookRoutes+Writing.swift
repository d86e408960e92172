import HTTPTypes
import Hummingbird
import Sworm

// A `write` holds the write lock from its first line, so that nobody else can change or create the book between the
// reading and the saving.
extension BookRoutes {
    /// `PUT /books/{isbn}`
    func put(_ request: Request, _ context: BookContext) async throws -> Response {
        let isbn = try context.isbn
        let body = try await request.body(as: BookBody.self, context)
        try check(body.isbn, is: isbn)
        let (page, isNew) = try await store.write(deadline: context.deadline) { store in
            let known = try store.fetchOne(Book.all.where { $0.isbn == isbn })
            let book = try known ?? store.insert(Book(isbn: isbn))
            try book.save(body)
            if known == nil { try book.encode(\.revision, firstRevision()) }
            return (try book.decode(as: BookPage.self), known == nil)
        }
        return try response(page, status: isNew ? .created : .ok, request, context)
    }

    /// `PATCH /books/{isbn}`
    func patch(_ request: Request, _ context: BookContext) async throws -> Response {
        let isbn = try context.isbn
        let patch = try await request.body(as: BookPatch.self, context)
        try check(patch.isbn, is: isbn)
        let page = try await store.write(deadline: context.deadline) { store in
            // A tree that is saved by its key would create an unknown book.
            guard let book = try store.fetchOne(Book.all.where { $0.isbn == isbn }) else { throw context.noBook(isbn) }
            try book.save(patch)
            return try book.decode(as: BookPage.self)
        }
        return try response(page, status: .ok, request, context)
    }

    /// `DELETE /books/{isbn}`
    func delete(_ request: Request, _ context: BookContext) async throws -> HTTPResponse.Status {
        let isbn = try context.isbn
        try await store.write(deadline: context.deadline) { store in
            guard let book = try store.fetchOne(Book.all.where { $0.isbn == isbn }) else { throw context.noBook(isbn) }
            try store.delete(book)
        }
        return .noContent
    }

    private func check(_ given: String?, is isbn: String) throws {
        guard given == nil || given == isbn else {
            let message = "The body has another ISBN than the path, '\(isbn)'. Correct it, or leave it out."
            throw HTTPError(.badRequest, message: message)
        }
    }

    private func response(
        _ page: BookPage, status: HTTPResponse.Status, _ request: Request, _ context: BookContext
    ) throws -> Response {
        var response = try page.response(from: request, context: context)
        response.status = status
        response.headers[.eTag] = page.eTag
        return response
    }
}
