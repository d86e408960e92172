import Foundation

extension BookContext {
    /// Decodes dates of ISO 8601 without the fractions of their seconds, which dates in answers do not have either: a
    /// page that a client has read is the body of a PUT that changes nothing.
    var requestDecoder: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = try? Date(container.decode(String.self), strategy: .iso8601) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "Expected a date such as 2026-01-31T12:00:00Z.")
            }
            return Date(timeIntervalSinceReferenceDate: date.timeIntervalSinceReferenceDate.rounded(.down))
        }
        return decoder
    }
}
