#if PostgreSQL
import CSwormPQ

/// The answer to one statement, with its rows in binary form.
///
/// The memory belongs to the object. It may be read by one thread at a time.
package final class PostgresResult {
    let pointer: OpaquePointer
    package let rowCount: Int
    package let columnCount: Int
    /// The forms of the columns. Values in the text format, which the driver never asks for, are unknown.
    let forms: [ValueForm]

    /// Takes ownership of a result of libpq.
    init(_ pointer: OpaquePointer) {
        self.pointer = pointer
        rowCount = Int(PQntuples(pointer))
        columnCount = Int(PQnfields(pointer))
        forms = (0..<PQnfields(pointer)).map { column in
            PQfformat(pointer, column) == 1
                ? ValueForm(PostgresType(rawValue: PQftype(pointer, column))) : .unknown
        }
    }

    deinit { PQclear(pointer) }

    /// The number of rows that the statement inserted, changed, deleted or returned.
    package var affectedRows: Int { Int(String(cString: PQcmdTuples(pointer))) ?? 0 }

    /// The server's word for what it did, such as `COMMIT`.
    var tag: String { String(cString: PQcmdStatus(pointer)) }

    package func name(ofColumn column: Int) -> String {
        PQfname(pointer, Int32(clamping: column)).map { String(cString: $0) } ?? ""
    }

    /// The type of a column; the number 0 for a column that does not exist.
    package func type(ofColumn column: Int) -> PostgresType {
        PostgresType(rawValue: PQftype(pointer, Int32(clamping: column)))
    }

    /// The form of a column; unknown for a column that does not exist.
    func form(ofColumn column: Int32) -> ValueForm {
        forms.indices.contains(Int(column)) ? forms[Int(column)] : .unknown
    }
}
#endif
