#if PostgreSQL
import Foundation
import SwormPostgres

extension SQLStatement {
    /// Creates the statement that a compiler has made.
    ///
    /// - Throws: ``CoreDataError`` for a value that the server cannot take, such as a string with U+0000.
    init(_ compiled: CompiledStatement) throws {
        guard !compiled.bindings.isEmpty else {
            self.init(compiled.sql)
            return
        }
        let parameters = Parameters()
        for binding in compiled.bindings {
            guard parameters.append(binding) else {
                throw CoreDataError(
                    NSPersistentStoreOperationError,
                    "A value of the request cannot be sent to the server: strings cannot contain U+0000, and a value cannot be longer than a gibibyte."
                )
            }
        }
        self.init(compiled.sql, with: parameters)
    }
}

extension Parameters {
    /// Appends a value, and returns false if the server cannot take it.
    func append(_ binding: SQLBinding) -> Bool {
        switch binding {
        // The compiler writes NULL as text.
        case .null: return false
        case .int64(let value): append(value)
        case .double(let value): append(value)
        case .bool(let value): append(value)
        case .uuid(let value): append(value)
        case .text(let value): return append(value)
        case .blob(let value): return append(value)
        case .date(let seconds): return append(Date(timeIntervalSinceReferenceDate: seconds))
        case .decimal(let value): return append(value)
        case .integers(let values): return append(values.map { Optional($0) })
        case .doubles(let values): return append(values.map { Optional($0) })
        case .texts(let values): return append(values.map { Optional($0) })
        case .uuids(let values): return append(values.map { Optional($0) })
        case .dates(let values): return append(values.map { Optional(Date(timeIntervalSinceReferenceDate: $0)) })
        case .decimals(let values): return append(values.map { Optional($0) })
        case .blobs(let values): return append(values.map { Optional($0) })
        }
        return true
    }
}
#endif
