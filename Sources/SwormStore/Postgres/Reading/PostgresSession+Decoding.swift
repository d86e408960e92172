#if PostgreSQL
import SwormPostgres
import SwormPredicates
import SwormRows

extension PostgresSession {
    func decode<T>(_ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>) throws -> [T] {
        let plan = copy plan
        return try answer(specification, selecting: .values(attributes)) {
            try compiler.values($0, attributes: attributes)
        } byStatement: { query in
            var values: [T] = []
            let portions = try query.portions()
            while let portion = try portions.next() {
                try naming(entity: specification.entity, attributes: attributes) {
                    try portion.decode(plan, into: &values)
                }
            }
            return values
        } inMemory: { search in
            var values: [T] = []
            var keys = try search.matchingKeys()[...]
            while let portion = try search.nextValues(of: &keys, specification, attributes: attributes) {
                try naming(entity: specification.entity, attributes: attributes) {
                    try portion.decode(plan, into: &values)
                }
            }
            return values
        }
    }

    func forEach<T>(
        _ specification: FetchSpecification, attributes: [Int], plan: borrowing RowPlan<T>,
        at first: UnsafeMutablePointer<T>?, body: (UnsafeMutablePointer<T>) throws -> Void
    ) throws {
        let plan = copy plan
        var specification = specification
        if first != nil { specification.limit = 1 }
        // The rows that the body has received, if the statement fails in between.
        var count = 0
        func give(_ portion: PostgresResult) throws {
            try naming(entity: specification.entity, attributes: attributes) {
                try portion.forEach(plan) { value in
                    count += 1
                    first?.moveInitialize(from: value, count: 1)
                    do { try body(first ?? value) } catch { throw BodyFailure(cause: error) }
                }
            }
        }
        do {
            try answer(specification, selecting: .values(attributes)) {
                try compiler.values($0, attributes: attributes)
            } byStatement: { query in
                let portions = try query.portions(isFlat: true)
                while let portion = try portions.next() { try give(portion) }
            } inMemory: { search in
                var keys = try search.matchingKeys().dropFirst(count)
                while let portion = try search.nextValues(of: &keys, specification, attributes: attributes) {
                    try give(portion)
                }
            }
        } catch let error as BodyFailure {
            throw error.cause
        }
    }
}

extension RowSearch {
    /// Returns the values of the next rows of a list of keys; nil after the last one.
    fileprivate func nextValues(
        of keys: inout ArraySlice<Int64>, _ specification: FetchSpecification, attributes: [Int]
    ) throws -> PostgresResult? {
        try next(of: &keys, size: ResultSizes.portion) {
            try session.compiler.values(specification, attributes: attributes, inOrderOf: $0)
        }
    }
}
#endif
