#if PostgreSQL
import SwormPostgres
import SwormPredicates

extension ServerTakenValues {
    /// Returns the error for an update of a row that the server has rejected because another row has its unique values.
    ///
    /// - Parameters:
    ///   - key: The key of the row.
    ///   - values: The new values. All further values are those of the row.
    ///   - constraints: The constraints with one of these values.
    ///   - writer: The writer of the entity's rows.
    ///   - isOwn: Returns whether a key belongs to a row of the batch.
    ///   - cause: The error of the server.
    func error(
        updating key: Int64, values: [(place: ServerColumns.Attribute, value: ServerValue)],
        _ constraints: [UniqueConstraint], in writer: ServerRowWriter, isOwn: (Int64) -> Bool, cause: ServerError
    ) throws -> CoreDataError {
        for constraint in constraints {
            let parameters = Parameters()
            parameters.append(key)
            let tests = try constraint.columns.map { column in
                guard let value = values.first(where: { $0.place.column == column }) else {
                    return "t0.\(column) = r.\(column)"
                }
                let parameter = try work.append(value.value, for: value.place, of: writer.entity, to: parameters)
                return "t0.\(column) = \(parameter)"
            }
            let places = constraint.columns.compactMap { column in
                writer.columns.attributes.first { $0.column == column }
            }
            let list = places.map { "t0.\($0.column)" }.joined(separator: ", ")
            let found = try work.connection.run(
                "SELECT \(work.entityNumber(of: writer.entity.root)), t0.\(work.key), \(list) FROM \(constraint.table) r JOIN \(constraint.table) t0 ON \(tests.joined(separator: " AND ")) WHERE r.\(work.key) = $1 AND t0.\(work.key) <> $1 LIMIT 1",
                with: parameters)
            guard let other = try ServerBatchKeys.rows(of: found).first else { continue }
            let shown = try places.enumerated().map { index, place -> AttributeValue in
                let stored = try found.serverValue(0, column: 2 + index, as: place.type)
                return stored.value(as: place.attribute.type) ?? .null
            }
            return error(of: Holder(row: other, values: shown), constraint, in: writer, isOwn: isOwn(other.key))
        }
        return work.unseenRow(cause)
    }
}
#endif
