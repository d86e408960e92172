#if PostgreSQL
import SwormPostgres
import SwormPredicates

// The SQL that computes derived values for rows `r` of their table.
extension ServerDerivations.Rule {
    private var system: SystemColumns { .postgres }

    /// The statement that finds the rows whose values depend on rows at a distance; their keys are the parameter.
    ///
    /// - Parameter distance: The number of relationships that lead from the rows that have the attribute to the rows that it depends on.
    func rows(at distance: Int) -> String? {
        switch source {
        case .now: return nil
        case .path(let hops, _):
            guard distance > 0, distance <= hops.count else { return nil }
            var condition = "\(hops[distance - 1].column.name) = ANY($1)"
            for index in (0..<distance - 1).reversed() {
                condition =
                    "\(hops[index].column.name) IN (SELECT \(system.key) FROM \(hops[index].table) WHERE \(condition))"
            }
            return "SELECT r.\(system.key) FROM \(table) AS r WHERE r.\(condition)\(restriction)"
        case .column(let column, let members):
            return
                "SELECT DISTINCT m.\(column.name) FROM \(members) AS m WHERE m.\(system.key) = ANY($1) AND m.\(column.name) IS NOT NULL"
        case .join(let join, _, _):
            let sides = join.isReflexive ? [(join.own, join.other), (join.other, join.own)] : [(join.own, join.other)]
            return sides.map { "SELECT \($0.0) FROM \(join.table) WHERE \($0.1) = ANY($1)" }.joined(
                separator: " UNION ")
        }
    }

    /// The value before it is converted to the type of the attribute; nil for the time of the transaction, and for a form
    /// of a string that the server does not know.
    var plainValue: String? {
        switch source {
        case .now: return nil
        case .path: return derived.derivation.form == .plain ? sourceValue : nil
        case .column(let column, let members):
            return
                "(SELECT \(total(of: "m")) FROM \(members) AS m WHERE m.\(column.name) = r.\(system.key))"
        case .join(let join, let members, _):
            let joined = aggregated == nil ? "" : " JOIN \(members) AS m ON m.\(system.key) = j.\(join.other)"
            return
                "(SELECT \(total(of: "m")) FROM \(join.pairs) AS j\(joined) WHERE j.\(join.own) = r.\(system.key))"
        }
    }

    /// The value at the end of a path, before its form is applied; nil for another source.
    var sourceValue: String? {
        guard case .path(let hops, let end) = source else { return nil }
        var value = "\(hops.isEmpty ? "r" : "d\(hops.count)").\(end.name)"
        for (index, hop) in hops.enumerated().reversed() {
            let from = index == 0 ? "r" : "d\(index)"
            value =
                "(SELECT \(value) FROM \(hop.table) AS d\(index + 1) WHERE d\(index + 1).\(system.key) = \(from).\(hop.column.name))"
        }
        return value
    }

    // MARK: Aggregates

    private func total(of alias: String) -> String {
        guard case .members(let aggregate, _, _) = derived.derivation.source, let aggregated else { return "count(*)" }
        let value = "\(alias).\(aggregated.name)"
        // A server does not calculate with Booleans.
        let number = valueType == .boolean ? "(\(value))::int" : value
        switch aggregate {
        case .count: return "count(*)"
        case .sum: return sum(of: number)
        case .average: return "avg(\(number))::float8"
        case .min where valueType == .boolean: return "bool_and(\(value))"
        case .max where valueType == .boolean: return "bool_or(\(value))"
        case .min: return "min(\(value))"
        case .max: return "max(\(value))"
        }
    }

    /// Without members the sum is 0.
    private func sum(of number: String) -> String {
        switch (place.attribute.type, valueType) {
        // The shortest decimal that reads as the double, with all its digits.
        case (.decimal, .double), (.decimal, .float): "COALESCE(sum(\(number)::text::numeric), 0)"
        case (.double, _), (.float, _): "COALESCE(sum(\(number)::float8), 0)"
        // The sum of `real` is a `real`, without most of the digits.
        case (_, .float): "COALESCE(sum(\(number)::float8), 0)"
        default: "COALESCE(sum(\(number)), 0)"
        }
    }

    /// The type of the value that ``plainValue`` has.
    private var plainType: AttributeType {
        guard case .members(let aggregate, _, _) = derived.derivation.source else { return valueType }
        switch aggregate {
        case .count: return .integer64
        case .average: return .double
        case .min, .max: return valueType
        case .sum: break
        }
        switch (place.attribute.type, valueType) {
        case (.decimal, .double), (.decimal, .float): return .decimal
        case (.double, _), (.float, _), (_, .float), (_, .double): return .double
        // The sum of integers has the range of a decimal.
        default: return .decimal
        }
    }

    // MARK: Conversion

    /// Returns a value in the type of the attribute's column. It is NULL if the attribute cannot hold the value.
    ///
    /// - Parameter value: The name of a column with the ``plainValue``.
    func converted(_ value: String) -> String {
        let isReal = plainType == .double || plainType == .float
        let isBoolean = plainType == .boolean
        switch place.attribute.type {
        case .integer16: return Self.limited(whole(value), from: "-32768", to: "32767")
        case .integer32: return Self.limited(whole(value), from: "-2147483648", to: "2147483647")
        case .integer64: return whole(value)
        case .boolean:
            if isBoolean { return value }
            return "(trunc(\(value)) <> 0)"
        case .double: return isBoolean ? "(\(value))::int::float8" : "(\(value))::float8"
        case .float:
            let number = isBoolean ? "(\(value))::int::float8" : "(\(value))::float8"
            return
                "(CASE WHEN abs(\(number)) < 3.4028235677973366e38::float8 OR abs(\(number)) = 'Infinity'::float8 THEN \(number)::real END)"
        case .decimal:
            if isBoolean { return "(\(value))::int::numeric" }
            guard isReal else { return "(\(value))::numeric" }
            return "(CASE WHEN abs(\(value)) < 1e127::float8 THEN (\(value))::text::numeric END)"
        case .date:
            switch (sourceStoresSeconds, place.type == .float8) {
            case (false, true): return ServerDate.seconds(ofColumn: value)
            case (true, false): return ServerDate.timestamp(ofSeconds: value)
            default: return value
            }
        default: return value
        }
    }

    /// Returns a number without its fraction, or NULL if it is out of the range of 64 bits.
    private func whole(_ value: String) -> String {
        switch plainType {
        case .boolean: "(\(value))::bigint"
        case .integer16, .integer32: "(\(value))::bigint"
        case .double, .float:
            "(CASE WHEN \(value) >= -9223372036854775808::float8 AND \(value) < 9223372036854775808::float8 THEN trunc(\(value))::bigint END)"
        default:
            "(CASE WHEN trunc((\(value))::numeric) BETWEEN -9223372036854775808 AND 9223372036854775807 THEN trunc((\(value))::numeric)::bigint END)"
        }
    }

    private static func limited(_ value: String, from low: String, to high: String) -> String {
        "(CASE WHEN \(value) BETWEEN \(low) AND \(high) THEN \(value) END)"
    }

    // MARK: Statements

    /// The columns of a result: the key, the entity number, the value, whether the attribute cannot hold it, and whether it
    /// differs from the one before. The keys of the rows are the parameter.
    ///
    /// - Parameter writesAll: Whether rows that already have the value are written too.
    func computation(writesAll: Bool) -> String? {
        guard let plainValue else { return nil }
        let test = writesAll ? "" : " AND r.\(place.column) IS DISTINCT FROM x.x"
        return """
            WITH v AS MATERIALIZED (SELECT r.\(system.key) AS k, \(entityNumber) AS e, \(plainValue) AS n, r.\(place.column) AS o FROM \(table) AS r WHERE r.\(system.key) = ANY($1)\(restriction)), \
            x AS MATERIALIZED (SELECT v.k, v.e, v.n, v.o, \(converted("v.n")) AS x FROM v), \
            w AS (UPDATE \(table) AS r SET \(place.column) = x.x FROM x WHERE r.\(system.key) = x.k AND (x.n IS NULL OR x.x IS NOT NULL)\(test)) \
            SELECT x.k, x.e, x.x, x.n IS NOT NULL AND x.x IS NULL, x.x IS DISTINCT FROM x.o FROM x
            """
    }

    /// The statement that reads the keys, the entity numbers, the sources and the values of rows.
    var reading: String? {
        sourceValue.map {
            "SELECT r.\(system.key), \(entityNumber), \($0), r.\(place.column) FROM \(table) AS r WHERE r.\(system.key) = ANY($1)\(restriction)"
        }
    }

    /// The statement that locks rows, whose keys are the parameter.
    var locking: String {
        "SELECT r.\(system.key) FROM \(table) AS r WHERE r.\(system.key) = ANY($1) ORDER BY r.\(system.key) FOR NO KEY UPDATE"
    }

    /// Returns the statements that lock the rows to which a path leads, from the nearest ones on; the keys of the rows that have
    /// the attribute are the parameter.
    ///
    /// - Parameter writing: Whether the rows are written without a change, which is a conflict for transactions with an older
    ///   snapshot. A lock alone is not.
    func sourceLocks(writing: Bool) -> [String] {
        guard case .path(let hops, _) = source else { return [] }
        var (from, condition) = (table, "\(system.key) = ANY($1)")
        return hops.map { hop in
            condition = "\(system.key) IN (SELECT \(hop.column.name) FROM \(from) WHERE \(condition))"
            from = hop.table
            return Self.lock(from, where: condition, writing: writing)
        }
    }

    /// Returns the statement that locks members, whose keys are the parameter; nil unless a join table has them.
    func memberLock(writing: Bool) -> String? {
        guard case .join(_, let members, _) = source, aggregated != nil else { return nil }
        return Self.lock(members, where: "\(system.key) = ANY($1)", writing: writing)
    }

    private static func lock(_ table: String, where condition: String, writing: Bool) -> String {
        let (key, version) = (SystemColumns.postgres.key, SystemColumns.postgres.version)
        return writing
            ? "UPDATE \(table) SET \(version) = \(version) WHERE \(condition)"
            : "SELECT \(key) FROM \(table) WHERE \(condition) ORDER BY \(key) FOR SHARE"
    }

    /// The statement that writes values, which are the second parameter, into the rows with the keys of the first one.
    var assignment: String {
        "UPDATE \(table) AS r SET \(place.column) = u.v FROM unnest($1, $2) AS u(k, v) WHERE r.\(system.key) = u.k"
    }

    /// The statement that writes the time of the transaction into rows, and returns their keys and entity numbers.
    var timing: String {
        let time = place.type == .float8 ? ServerDate.seconds(ofColumn: "pg_catalog.now()") : "pg_catalog.now()"
        return
            "UPDATE \(table) AS r SET \(place.column) = \(time) WHERE r.\(system.key) = ANY($1)\(restriction) RETURNING r.\(system.key), \(entityNumber)"
    }
}
#endif
