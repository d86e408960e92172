/// Which stored property of a struct goes to which parameter of a statement. A trivial value, as ``RowOp`` is.
package struct BindOp: Sendable, Hashable {
    /// What a column holds, where that is less than its property's type does.
    package enum Width: UInt8, Sendable, Hashable { case full, integer32, integer16, float }

    package var parameter: Int32
    package var kind: FieldKind
    package var width: Width
    /// Whether nil is none of the values that the column takes.
    package var isRequired: Bool
    /// From `MemoryLayout<T>.offset(of:)` of a key path whose value has exactly the kind's type.
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
    /// Whether a statement can bind values of the kind by ops: a column keeps them as they are, all or most of them.
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
