import Foundation
import SwormPredicates
import TestSupport
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Converts the arguments of the conformance set.
enum ConformanceArguments {
    static func argument(_ argument: PredicateCases.Argument) throws -> PredicateArgument {
        switch (argument.type, argument.value) {
        case ("null", _): return .value(.null)
        case (_, .array): return .list(try argument.elements().map { try self.argument($0) })
        case ("int", .number(let value)): return .value(.int(Int64(value)))
        case ("double", .number(let value)): return .value(.double(value))
        case ("date", .number(let value)): return .value(.date(Date(timeIntervalSinceReferenceDate: value)))
        case ("bool", .bool(let value)): return .value(.bool(value))
        case ("uuid", .string(let value)): return .value(.uuid(try #require(UUID(uuidString: value))))
        case ("object", .string(let id)):
            let names: [Character: String] = ["a": "Author", "b": "Book", "c": "Chapter", "t": "Tag"]
            let name = try #require(names[id.first ?? "?"])
            return LibraryQueries.object(name, try #require(Int64(id.dropFirst())))
        case (_, .string(let value)): return .value(.string(value))
        default:
            Issue.record("an argument of type \(argument.type) is not understood")
            return .value(.null)
        }
    }
}
