import Hummingbird

extension Request {
    /// Decodes the body, which must be complete at the deadline of the request.
    ///
    /// Errors of the JSON are thrown as they are, so that the answer can name the position.
    func body<Body: Decodable & Sendable>(as type: Body.Type, _ context: BookContext) async throws -> Body {
        try await withThrowingTaskGroup(of: Body?.self) { group in
            group.addTask { try await context.requestDecoder.decode(type, from: self, context: context) }
            group.addTask {
                try await Task.sleep(until: context.deadline)
                return nil
            }
            defer { group.cancelAll() }
            guard let body = try await group.next() ?? nil else {
                throw HTTPError(.requestTimeout, message: "The body did not arrive in time.")
            }
            return body
        }
    }
}
