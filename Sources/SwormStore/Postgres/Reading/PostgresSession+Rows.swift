#if PostgreSQL
import Foundation
import SwormPostgres
import SwormPredicates
import SwormRows

extension PostgresSession {
    func check(_ specification: FetchSpecification) throws {
        do {
            _ = try compiler.identities(specification)
        } catch is NotExact {
            try checkInexact(specification)
        }
    }

    func rows(_ specification: FetchSpecification, shape: RowShape) throws -> RowBuffer {
        try answer(specification, selecting: .rows) {
            try compiler.rows($0, shape: shape)
        } byStatement: { query in
            let portions = try query.portions()
            return try buffer(shape: shape) { try portions.next() }
        } inMemory: { search in
            var keys = try search.matchingKeys()[...]
            return try buffer(shape: shape) {
                try search.next(of: &keys, size: ResultSizes.wholeLimit) { compiler.rows(inOrderOf: $0, shape: shape) }
            }
        }
    }

    func rows(withKeys keys: [Int64], shape: RowShape) throws -> RowBuffer {
        try read { connection in
            let result = try connection.run(SQLStatement(compiler.rows(withKeys: keys, shape: shape)))
            return try buffer([result], shape: shape)
        }
    }

    func identities(_ specification: FetchSpecification) throws -> [RowID] {
        try answer(specification, selecting: .identities) {
            try compiler.identities($0)
        } byStatement: { query in
            var identities: [RowID] = []
            let portions = try query.portions()
            while let portion = try portions.next() {
                identities.reserveCapacity(identities.count + portion.rowCount)
                for row in 0..<portion.rowCount {
                    identities.append(try identity(portion, row: row, column: 0, of: specification.entity))
                }
            }
            return identities
        } inMemory: {
            try $0.identities()
        }
    }

    func count(_ specification: FetchSpecification) throws -> Int {
        try answer(specification, selecting: .count) {
            try compiler.count($0)
        } byStatement: {
            try $0.whole().int(0, column: 0) ?? 0
        } inMemory: {
            try $0.count()
        }
    }

    // MARK: Keys

    /// Returns the keys of the rows that a request finds, in its order.
    final func matchingKeys(_ specification: FetchSpecification) throws -> [Int64] {
        try answer(specification, selecting: .keys) {
            try compiler.keys($0)
        } byStatement: { query in
            var keys: [Int64] = []
            let portions = try query.portions()
            while let portion = try portions.next() {
                for row in 0..<portion.rowCount { keys.append(try portion.int64(row, column: 0) ?? 0) }
            }
            return keys
        } inMemory: {
            try $0.matchingKeys()
        }
    }

    /// Returns the statement that selects the keys of the rows that a request finds, in its order, to be embedded in another one.
    ///
    /// - Returns: Nil if the request has no exact statement, or computes numbers, so that the statement could fail. The keys are
    ///   then those of ``matchingKeys(_:)``.
    final func keyStatement(_ specification: FetchSpecification) throws -> CompiledStatement? {
        if specification.predicate?.computesNumbers ?? false { return nil }
        do {
            return try compiler.keys(specification)
        } catch is NotExact {
            return nil
        }
    }

    // MARK: Parts

    /// Returns results as rows of a shape.
    ///
    /// - Parameter more: The rules of columns behind the cells of the shape.
    final func buffer(
        _ results: [PostgresResult], shape: RowShape, more: [CellRule] = [], order: [Int32]? = nil
    ) throws -> RowBuffer {
        var rest = results[...]
        return try buffer(shape: shape, more: more, order: order) { rest.popFirst() }
    }

    /// Returns results as rows of a shape.
    ///
    /// - Parameters:
    ///   - order: The rows of each result in another order, by their numbers.
    ///   - next: Returns the next result, or nil after the last one.
    final func buffer(
        shape: RowShape, more: [CellRule] = [], order: [Int32]? = nil, next: () throws -> PostgresResult?
    ) throws -> RowBuffer {
        let rules = shape.rules(in: store.model, hasLengths: true) + more
        do {
            return try RowBuffer.make(rules: rules, order: order, next: next)
        } catch let issue as DecodingFailure {
            let property = shape.property(ofCell: issue.column, in: store.model)
            throw store.model.error(
                issue, entity: property?.entity ?? store.model[shape.entity].name, property: property?.name)
        }
    }

    /// Returns the identity of a row, which is checked against the model.
    ///
    /// - Parameters:
    ///   - column: The column of the entity number, which the key follows.
    ///   - expected: The number of the requested entity.
    final func identity(
        _ result: PostgresResult, row: Int, column: Int, of expected: Int
    ) throws -> RowID {
        let model = store.model
        let key = try result.int64(row, column: column + 1) ?? 0
        let number = try result.int64(row, column: column) ?? 0
        guard key > 0 else { throw CoreDataError.wrongKey(key, in: model[expected].name) }
        guard let found = model.entity(numbered: number), model[expected].family.contains(found.number) else {
            throw CoreDataError.wrongEntity(ofRow: key, number: number, in: model[expected].name)
        }
        return RowID(entity: found.number, key: key)
    }
}
#endif
