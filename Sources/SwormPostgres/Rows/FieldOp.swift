#if PostgreSQL
import SwormRows

/// The destination of one column of a result. It is a trivial value, like `RowOp`.
struct FieldOp {
    let column: Int32
    let kind: FieldKind
    let form: ValueForm
    /// Whether values of the column's form can be read as the property's type. NULL can be read in any case.
    let fits: Bool
    let offset: Int

    init(_ op: RowOp, of result: PostgresResult) {
        column = op.column
        kind = op.kind
        form = result.form(ofColumn: op.column)
        fits = Self.fits(form, in: kind)
        offset = op.offset
    }

    private static func fits(_ form: ValueForm, in kind: FieldKind) -> Bool {
        switch kind {
        case .bool, .optionalBool: form == .bool
        case .int, .int16, .int32, .int64, .optionalInt, .optionalInt16, .optionalInt32, .optionalInt64:
            form == .integer || form == .unsigned
        case .float, .double, .optionalFloat, .optionalDouble, .decimal, .optionalDecimal:
            form == .real || form == .integer || form == .unsigned || form == .numeric
        case .date, .optionalDate: form == .timestamp || form == .real
        case .string, .url, .optionalString, .optionalURL: form == .text
        case .data, .optionalData: form == .bytes
        case .uuid, .optionalUUID: form == .uuid
        case .custom: true
        }
    }
}
#endif
