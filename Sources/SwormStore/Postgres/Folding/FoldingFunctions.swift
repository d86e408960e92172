#if PostgreSQL
import Foundation
package import SwormPredicates

/// The functions of a PostgreSQL server that fold strings for `[c]`, `[d]` and `[cd]`, with the same results as
/// ``TextFolding``.
///
/// They are written in PL/pgSQL, which servers that forbid functions in C allow as well, and can be used in indexes.
/// Every name in them has its schema, because a server restores indexes with an empty search path. Their literals are
/// escaped in the form that no setting of the server changes. The database must have the encoding UTF-8.
///
/// Another version of the tables gets functions with other names, so that existing indexes remain valid.
package enum FoldingFunctions {
    /// Returns the name of a function, without its schema.
    package static func name(of folding: TextFolding) -> String { folding.functionName }

    /// The name of the function that decomposes and sorts marks.
    package static let nameOfMarkSorting = TextFolding.functionPrefix + "marks"

    /// Returns the statements that create the functions, in their order.
    package static func statements(schema: String) -> [String] {
        let name = SQLName.alwaysQuoted(schema)
        return templates.map { $0.joined(separator: name) }
    }

    /// Returns the statements that create the functions in a transaction.
    ///
    /// The server does not compile the bodies to check them: they are the same in every schema.
    static func creation(schema: String) -> [String] {
        ["SET LOCAL check_function_bodies = off"] + statements(schema: schema)
    }

    /// The statements between the occurrences of the schema's name. They are long, and made once.
    private static let templates: [[String]] = {
        let marker = "_sworm_schema_"
        return statements(inSchemaNamed: marker).map { $0.components(separatedBy: SQLName.alwaysQuoted(marker)) }
    }()

    private static func statements(inSchemaNamed schema: String) -> [String] {
        let mappings = FoldingMappings()
        let sorting = qualified(nameOfMarkSorting, schema: schema)
        var statements = [function(sorting, body: MarkSortingSQL(mappings).body)]
        for folding in TextFolding.allCases {
            let body = FoldingSQL(folding, mappings, markSorting: sorting).body
            statements.append(function(qualified(name(of: folding), schema: schema), body: body))
        }
        return statements
    }

    private static func qualified(_ name: String, schema: String) -> String {
        "\(SQLName.alwaysQuoted(schema)).\(SQLName.alwaysQuoted(name))"
    }

    /// Returns the statement that creates a function of one string `t`, whose body uses the variable `x`.
    private static func function(_ name: String, body: [String]) -> String {
        let body = body.joined(separator: "\n")
        var quote = "$fold$"
        while body.contains(quote) { quote = quote.dropLast() + "_$" }
        return """
            CREATE OR REPLACE FUNCTION \(name)(t pg_catalog.text) RETURNS pg_catalog.text
            LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS \(quote)
            DECLARE
              x pg_catalog.text COLLATE pg_catalog."C" := t;
            BEGIN
            \(body)
            END
            \(quote)
            """
    }
}

extension FoldingFunctions {
    /// The names of all functions, without their schema.
    static var names: [String] { [nameOfMarkSorting] + TextFolding.allCases.map { name(of: $0) } }

    /// The start of the names of the functions of all versions.
    static var commonPrefix: String { "_sworm_fold" }
}
#endif
