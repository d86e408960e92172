import Foundation
import Testing

@testable import OpenCoreData

/// The conformance set: a small library, and requests with what they find there.
struct LibraryCases: Decodable, Sendable {
    struct Case: Decodable, Sendable {
        let id: String
        let entity: String
        let format: String
        let args: [Argument]?
        let variables: [String: Argument]?
        let expect: [String]
    }

    struct Argument: Decodable, Sendable {
        let type: String
        let value: JSON
    }

    struct Refused: Decodable, Sendable {
        let entity: String?
        let format: String
    }

    struct Fetch: Decodable, Sendable {
        struct Sort: Decodable, Sendable {
            let key: String
            let ascending: Bool
        }
        let id: String
        let entity: String
        let sort: [Sort]
        let limit: Int?
        let offset: Int?
        let includesSubentities: Bool?
        let expect: [String]
    }

    struct Total: Decodable, Sendable {
        let id: String
        let entity: String
        let format: String?
        let result: String?
        let expect: JSON
    }

    struct Pending: Decodable, Sendable {
        let id: String
        let entity: String
        let insert: [[String: JSON]]?
        let update: [String: [String: JSON]]?
        let delete: [String]?
        let format: String
        let expect: [String]
        let expectWithoutPending: [String]
    }

    struct Model: Decodable, Sendable {
        struct Entity: Decodable, Sendable {
            let parent: String?
            let attributes: [String: String]?
            let toOne: [String: [String]]?
            let toMany: [String: [String]]?
            let manyToMany: [String: [String]]?
        }
        let entities: [String: Entity]
    }

    /// Any value of JSON.
    enum JSON: Decodable, Sendable {
        case null
        case bool(Bool)
        case number(Double)
        case text(String)
        case list([JSON])
        case object([String: JSON])

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let value = try? container.decode(Bool.self) {
                self = .bool(value)
            } else if let value = try? container.decode(Double.self) {
                self = .number(value)
            } else if let value = try? container.decode(String.self) {
                self = .text(value)
            } else if let value = try? container.decode([JSON].self) {
                self = .list(value)
            } else {
                self = .object(try container.decode([String: JSON].self))
            }
        }

        var text: String? { if case .text(let text) = self { text } else { nil } }
        var number: Double? { if case .number(let number) = self { number } else { nil } }
        var names: [String] { if case .list(let items) = self { items.compactMap(\.text) } else { [] } }
    }

    let model: Model
    let data: [String: [[String: JSON]]]
    let cases: [Case]
    let variableCases: [Case]
    let parseErrors: [Refused]
    let compileErrors: [Refused]
    let fetches: [Fetch]
    let aggregates: [Total]
    let pendingChanges: [Pending]

    // MARK: The file

    static let url: URL = {
        if let path = ProcessInfo.processInfo.environment["SWORM_PREDICATE_CASES"] { return URL(fileURLWithPath: path) }
        let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { url, _ in url.deletingLastPathComponent() }
        return root.deletingLastPathComponent().appendingPathComponent("shared/predicate-cases.json")
    }()

    static var isThere: Bool { FileManager.default.fileExists(atPath: url.path) }

    static func load() throws -> LibraryCases {
        try JSONDecoder().decode(LibraryCases.self, from: Data(contentsOf: url))
    }
}
