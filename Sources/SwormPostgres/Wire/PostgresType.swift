#if PostgreSQL
/// The number of one of the server's types, which is the same in every database for the types below.
package struct PostgresType: RawRepresentable, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) { self.rawValue = rawValue }

    private init(_ number: UInt32) { rawValue = number }

    package static let bool = PostgresType(16)
    package static let bytea = PostgresType(17)
    /// The internal type `"char"`, of one byte.
    package static let char = PostgresType(18)
    package static let name = PostgresType(19)
    package static let int8 = PostgresType(20)
    package static let int2 = PostgresType(21)
    package static let int4 = PostgresType(23)
    package static let text = PostgresType(25)
    package static let oid = PostgresType(26)
    package static let json = PostgresType(114)
    package static let float4 = PostgresType(700)
    package static let float8 = PostgresType(701)
    package static let void = PostgresType(2278)
    package static let bpchar = PostgresType(1042)
    package static let varchar = PostgresType(1043)
    package static let timestamptz = PostgresType(1184)
    package static let numeric = PostgresType(1700)
    package static let uuid = PostgresType(2950)
    package static let jsonb = PostgresType(3802)
    package static let xid8 = PostgresType(5069)

    package static let boolArray = PostgresType(1000)
    package static let byteaArray = PostgresType(1001)
    package static let int2Array = PostgresType(1005)
    package static let int4Array = PostgresType(1007)
    package static let textArray = PostgresType(1009)
    package static let int8Array = PostgresType(1016)
    package static let float4Array = PostgresType(1021)
    package static let float8Array = PostgresType(1022)
    package static let timestamptzArray = PostgresType(1185)
    package static let numericArray = PostgresType(1231)
    package static let uuidArray = PostgresType(2951)

    private static let arrays: [PostgresType: PostgresType] = [
        .bool: .boolArray, .bytea: .byteaArray, .int2: .int2Array, .int4: .int4Array, .int8: .int8Array,
        .text: .textArray, .float4: .float4Array, .float8: .float8Array, .timestamptz: .timestamptzArray,
        .numeric: .numericArray, .uuid: .uuidArray,
    ]
    private static let elements: [PostgresType: PostgresType] = Dictionary(
        uniqueKeysWithValues: arrays.map { ($0.value, $0.key) })

    /// The type of arrays of this type; nil if the driver knows none.
    package var array: PostgresType? { Self.arrays[self] }

    /// The type of the elements; nil for a type that is not an array.
    package var element: PostgresType? { Self.elements[self] }
}

extension PostgresType: CustomStringConvertible {
    private static let names: [PostgresType: String] = [
        .bool: "boolean", .bytea: "bytea", .char: "\"char\"", .name: "name", .int8: "bigint", .int2: "smallint",
        .int4: "integer", .text: "text", .oid: "oid", .json: "json", .float4: "real", .float8: "double precision",
        .void: "void", .bpchar: "character", .varchar: "character varying", .timestamptz: "timestamptz",
        .numeric: "numeric", .uuid: "uuid", .jsonb: "jsonb", .xid8: "xid8",
    ]

    /// The name as in PostgreSQL's documentation. A type that the driver does not know is represented by its number.
    package var description: String {
        if let element { return "\(element)[]" }
        return Self.names[self] ?? "type \(rawValue)"
    }
}
#endif
