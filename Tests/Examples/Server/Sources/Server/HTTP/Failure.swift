import Foundation
import HTTPTypes
import Hummingbird
import Sworm

/// An error as clients see it: `{"error": {"code": …, "message": …, "path": …, "issues": […]}}`.
struct Failure: Error {
    struct Issue: Codable { var path: String?; var message: String }
    struct Content: Codable { var code: String; var message: String; var path: String?; var issues: [Issue]? }
    struct Body: Codable, ResponseEncodable { var error: Content }

    var status: HTTPResponse.Status
    var content: Content

    /// Whether the server, and not its client, is the cause.
    var isOfServer: Bool { status.kind == .serverError }

    private init(_ status: HTTPResponse.Status, _ code: String, _ message: String, at path: String? = nil) {
        self.status = status
        content = Content(code: code, message: message, path: path)
    }
}

extension Failure {
    /// Chooses the status and the text for an error.
    init(_ error: any Error) {
        switch error {
        case let failure as Failure: self = failure
        case let error as StoreError: self.init(error)
        case let error as DecodingError: self.init(error)
        case let error as any HTTPResponseError:
            let message = (error as? HTTPError)?.body ?? error.status.reasonPhrase
            self.init(error.status, error.status.codeName, message)
        case is CancellationError: self = .unavailable("cancelled")
        default: self = .unknown
        }
    }

    private init(_ error: StoreError) {
        let path = error.path ?? error.attribute
        switch error.code {
        case .validation, .uniquenessViolation:
            self.init(.unprocessableContent, error.code.description, error.message, at: path)
            let issues = error.issues.isEmpty ? [error] : error.issues
            content.issues = issues.map { Issue(path: $0.path ?? $0.attribute, message: $0.message) }
        case .conflict: self.init(.conflict, error.code.description, error.message, at: path)
        // An object that a body links, in contrast to that of the path.
        case .objectNotFound where error.path != nil:
            self.init(.unprocessableContent, error.code.description, error.message, at: path)
        case .objectNotFound, .objectDeleted: self.init(.notFound, error.code.description, error.message, at: path)
        case .invalidCondition, .invalidRequest, .conditionNotAllowed, .overflow:
            self.init(.badRequest, error.code.description, error.message)
        case .timedOut, .storeClosed: self = .unavailable(error.code.description)
        default: self = .unknown
        }
    }

    private init(_ error: DecodingError) {
        let (path, message, cause): ([any CodingKey], String, (any Error)?) =
            switch error {
            case .keyNotFound(let key, let context): (context.codingPath + [key], "This key is missing.", nil)
            case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
                (context.codingPath, context.debugDescription, context.underlyingError)
            @unknown default: ([], "The JSON is invalid.", nil)
            }
        if let cause = cause as? StoreError {
            // The text of a condition cannot be parsed.
            self.init(cause)
            return
        }
        self.init(.badRequest, "invalidJSON", message, at: path.isEmpty ? nil : path.path)
    }

    private static func unavailable(_ code: String) -> Failure {
        Failure(.serviceUnavailable, code, "The server is busy. Try again later.")
    }

    // The text of an unexpected error can contain paths and statements. It belongs into the log.
    private static let unknown = Failure(.internalServerError, "internal", "The server cannot answer the request.")
}

extension HTTPResponse.Status {
    /// The reason as a code: "notFound".
    fileprivate var codeName: String {
        let words = reasonPhrase.split(separator: " ")
        return words.dropFirst().reduce(words.first?.lowercased() ?? "") { $0 + $1.capitalized }
    }
}

extension [any CodingKey] {
    /// The position in the form of the paths of trees: `reviews[1].mark`.
    fileprivate var path: String {
        reduce(into: "") { path, key in
            if let index = key.intValue {
                path += "[\(index)]"
            } else {
                path += (path.isEmpty ? "" : ".") + key.stringValue
            }
        }
    }
}

extension Failure: HTTPResponseError {
    func response(from request: Request, context: some RequestContext) throws -> Response {
        var response = try Body(error: content).response(from: request, context: context)
        response.status = status
        if status == .serviceUnavailable { response.headers[.retryAfter] = "1" }
        return response
    }
}
