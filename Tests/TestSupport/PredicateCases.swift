import Foundation

/// The conformance cases: a small library, and predicates and requests with what they find there.
package struct PredicateCases: Decodable, Sendable {
    package struct Case: Decodable, Sendable {
        package let id: String
        package let entity: String
        package let format: String
        package let args: [Argument]?
        package let variables: [String: Argument]?
        package let expect: [String]
        /// Where evaluation in memory by Core Data's own rules finds other rows.
        package let expectInMemory: [String]?
    }

    package struct Argument: Decodable, Sendable {
        package let type: String
        package let value: JSONValue

        /// The elements of a list, which are arguments themselves.
        package func elements() throws -> [Argument] {
            guard case .array(let items) = value else { throw Malformed(value: value) }
            return try items.map { item in
                guard case .object(let fields) = item, let type = fields["type"]?.string else {
                    throw Malformed(value: item)
                }
                return Argument(type: type, value: fields["value"] ?? .null)
            }
        }
    }

    /// An error for a JSON value that does not have the expected form.
    package struct Malformed: Error {
        package let value: JSONValue
    }

    package struct Refused: Decodable, Sendable {
        package let entity: String?
        package let format: String
    }

    package struct Fetch: Decodable, Sendable {
        package struct Sort: Decodable, Sendable {
            package let key: String
            package let ascending: Bool
        }
        package let id: String
        package let entity: String
        package let sort: [Sort]
        package let limit: Int?
        package let offset: Int?
        package let includesSubentities: Bool?
        package let expect: [String]
    }

    package struct Total: Decodable, Sendable {
        package let id: String
        package let entity: String
        package let format: String?
        package let result: String?
        package let expect: JSONValue
    }

    package struct Pending: Decodable, Sendable {
        package let id: String
        package let entity: String
        package let insert: [[String: JSONValue]]?
        package let update: [String: [String: JSONValue]]?
        package let delete: [String]?
        package let format: String
        package let expect: [String]
        package let expectWithoutPending: [String]
    }

    package struct Model: Decodable, Sendable {
        package struct Entity: Decodable, Sendable {
            package let parent: String?
            package let attributes: [String: String]?
            package let toOne: [String: [String]]?
            package let toMany: [String: [String]]?
            package let manyToMany: [String: [String]]?
        }
        package let entities: [String: Entity]
    }

    package let model: Model
    package let data: [String: [[String: JSONValue]]]
    package let cases: [Case]
    package let variableCases: [Case]
    package let parseErrors: [Refused]
    package let compileErrors: [Refused]
    package let fetches: [Fetch]
    package let aggregates: [Total]
    package let pendingChanges: [Pending]

    package static var exist: Bool { FileManager.default.fileExists(atPath: Fixtures.predicateCases.path) }

    /// What a skipped test says.
    package static let missing = "the cases are neither beside the package nor in SWORM_PREDICATE_CASES"

    package static func load() throws -> PredicateCases {
        try JSONDecoder().decode(PredicateCases.self, from: Data(contentsOf: Fixtures.predicateCases))
    }
}
