/// The mapping of a stored property of a struct to a parameter of a statement. It is a trivial value, like ``RowOp``.
package struct BindOp: Sendable, Hashable {
    /// The range of values that a column holds, if it is smaller than that of the property's type.
    package enum Width: UInt8, Sendable, Hashable { case full, integer32, integer16, float }

    package var parameter: Int32
    package var kind: FieldKind
    package var width: Width
    /// Whether the column does not accept nil.
    package var isRequired: Bool
    /// The offset of the property, from `MemoryLayout<T>.offset(of:)` of a key path whose value has exactly the kind's
    /// type.
    package var offset: Int

    package init(parameter: Int32, kind: FieldKind, width: Width = .full, isRequired: Bool = false, offset: Int) {
        self.parameter = parameter
        self.kind = kind
        self.width = width
        self.isRequired = isRequired
        self.offset = offset
    }
}

extension FieldKind {
    /// Whether ops can bind values of the kind, because a column stores all or most of them unchanged.
    package var isPlain: Bool {
        switch self {
        case .bool, .int, .int16, .int32, .int64, .float, .double, .date, .string, .data, .uuid, .optionalBool,
            .optionalInt, .optionalInt16, .optionalInt32, .optionalInt64, .optionalFloat, .optionalDouble,
            .optionalDate,
            .optionalString, .optionalData, .optionalUUID:
            true
        case .decimal, .url, .optionalDecimal, .optionalURL, .custom: false
        }
    }
}
