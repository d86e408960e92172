import SwormPredicates
import SwormSQLite

/// The values that rows compute for themselves, in a temporary table of the connection. They are all computed before the
/// first one is written, because they may depend on each other.
struct BatchValues {
    private static let table = "temp.SwormBatchValues"

    private let connection: StoreConnection
    private let places: [EntityColumns.Attribute]

    /// Computes the values of the rows of a batch.
    ///
    /// - Parameters:
    ///   - values: The attributes with their expressions.
    ///   - entity: The entity at which the expressions start.
    ///   - keys: A statement for the keys of the rows.
    init(
        _ values: [(place: EntityColumns.Attribute, expression: ExpressionTree)], of entity: CompiledEntity,
        withKeys keys: String, compiler: SQLCompiler, on connection: StoreConnection
    ) throws {
        self.connection = connection
        places = values.map(\.place)
        try connection.run(
            "CREATE TEMP TABLE IF NOT EXISTS SwormBatchValues (k INTEGER NOT NULL, place INTEGER NOT NULL, v, PRIMARY KEY (k, place)) WITHOUT ROWID"
        )
        try clear()
        for (index, value) in values.enumerated() {
            let statement = try compiler.computed(
                ComputedValue(attribute: value.place.attribute, expression: value.expression), of: entity.number,
                withKeys: keys)
            try connection.run(
                CompiledStatement(
                    sql: "INSERT INTO \(Self.table) SELECT k, \(index), v FROM (\(statement.sql))",
                    bindings: statement.bindings))
        }
        try check(entity)
    }

    func clear() throws { try connection.run("DELETE FROM \(Self.table)") }

    /// The assignments of the values to the columns of a table whose rows have a `Z_PK`.
    var assignments: [String] {
        places.enumerated().map { index, place in
            "\(place.column) = (SELECT v FROM \(Self.table) WHERE k = Z_PK AND place = \(index))"
        }
    }

    /// Throws an error for a value that a save would reject.
    private func check(_ entity: CompiledEntity) throws {
        try connection.rows("SELECT k, place, v FROM \(Self.table)") { row in
            let place = places[row.int(1)]
            do {
                let stored = row.storedValue(2)
                guard let value = stored.value(as: place.attribute.type) else {
                    throw unfit(stored, for: place.attribute)
                }
                try entity.checked(value, slot: place.slot)
            } catch let error as CoreDataError {
                throw CoreDataError.computedValue(
                    ofRow: row.int64(0), of: entity, place.attribute, cause: error)
            }
        }
    }

    private func unfit(_ value: StoredValue, for attribute: CompiledAttribute) -> CoreDataError {
        let shown =
            switch value {
            case .null: "nothing"
            case .integer(let number): "the number \(number)"
            case .real(let number): "the number \(number)"
            case .text(let text): "the string '\(text.prefix(80))'"
            case .blob, .uuid: "bytes"
            }
        return CoreDataError.unfitValue(shown, for: attribute)
    }
}
