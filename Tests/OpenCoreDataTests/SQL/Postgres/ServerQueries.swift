#if PostgreSQL
import Foundation
import SwormPredicates
import Testing

@testable import OpenCoreData
@testable import SwormStore

/// Compiles requests for the library in PostgreSQL's dialect.
struct ServerQueries {
    static let compiler = SQLCompiler(
        model: .library, layout: StoreLayout(postgres: .library, schema: "shop"), storeIdentifier: LibraryQueries.store,
        dialect: .postgres)

    /// Returns the condition of a predicate, with its joins in front if it has any.
    static func condition(
        _ format: String, _ arguments: [PredicateArgument] = [], of entity: String = "Book"
    ) throws -> CompiledStatement {
        let request = try LibraryQueries.request(entity, format, arguments)
        return try condition(of: request, entity: entity)
    }

    /// Returns the condition of a request without an order.
    static func condition(of request: FetchSpecification, entity: String = "Book") throws -> CompiledStatement {
        var statement = try checked(compiler.identities(request))
        #expect(statement.parameters == Array(1..<(statement.bindings.count + 1)), "\(statement.sql)")
        let number = entity == "Book" || entity == "Novel" ? #"t0."_entity""# : "\(request.entity)::smallint"
        let table = entity == "Novel" ? "Book" : entity
        let (start, end) = (#"SELECT \#(number), t0."_key" FROM "shop"."\#(table)" t0"#, #" ORDER BY t0."_key""#)
        #expect(statement.sql.hasPrefix(start) && statement.sql.hasSuffix(end), "\(statement.sql)")
        statement.sql = String(statement.sql.dropFirst(start.count).dropLast(end.count))
        if statement.sql.hasPrefix(" WHERE ") { statement.sql.removeFirst(" WHERE ".count) }
        return statement
    }

    static func sql(
        _ format: String, _ arguments: [PredicateArgument] = [], of entity: String = "Book"
    ) throws -> String {
        try condition(format, arguments, of: entity).sql
    }

    /// Returns the reason why a predicate has no exact form.
    static func reason(
        _ format: String, _ arguments: [PredicateArgument] = [], of entity: String = "Book"
    ) throws -> NotExact.Reason {
        try #require(throws: NotExact.self) {
            _ = try compiler.identities(LibraryQueries.request(entity, format, arguments))
        }.reason
    }

    /// Returns the condition of a comparison that the language cannot express.
    static func sql(
        _ key: String, _ comparator: SwormPredicates.Comparator, _ right: ExpressionTree, negated: Bool = false
    ) throws -> String {
        var request = try LibraryQueries.request()
        let comparison = PredicateTree.comparison(Comparison(.path([key]), by: comparator, with: right))
        request.predicate = negated ? .not(comparison) : comparison
        return try condition(of: request).sql
    }
}

extension CompiledStatement {
    /// The numbers of the parameters of a server's statement, each once, in ascending order.
    var parameters: [Int] {
        var numbers: Set<Int> = []
        var isQuoted = false
        var bytes = Substring(sql).utf8
        while let byte = bytes.popFirst() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            guard byte == UInt8(ascii: "$"), !isQuoted else { continue }
            let digits = bytes.prefix { $0 >= UInt8(ascii: "0") && $0 <= UInt8(ascii: "9") }
            if let number = Int(String(decoding: digits, as: UTF8.self)) { numbers.insert(number) }
        }
        return numbers.sorted()
    }
}
#endif
