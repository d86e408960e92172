import SwormPredicates

/// A reader that creates a row of a projection from its columns.
protocol RowReading<Row>: Sendable {
    /// The stored values of the columns, adjacent in memory, each of them optional.
    associatedtype Raw
    associatedtype Row

    /// The offsets and kinds of the columns in the memory of `Raw`, or nil if a column's type is not one of the
    /// thirteen primitive types, because its memory layout is then unknown.
    static var cells: [RawCell]? { get }
    static func empty() -> Raw

    /// Returns the stored values of the columns.
    static func values(_ raw: Raw) -> [AttributeValue]

    /// Descriptions of the columns, for messages.
    var names: [String] { get }

    func row(_ raw: Raw) throws -> Row
    func row(_ values: [AttributeValue]) throws -> Row
}

/// A column in the memory of a row.
struct RawCell {
    var kind: PrimitiveKind
    var offset: Int
}

/// A reader of rows that are tuples of their columns.
struct TupleReader<each Column: ProjectionColumn>: RowReading {
    typealias Raw = (repeat Optional<(each Column).Raw>)
    typealias Row = (repeat (each Column).Value)

    private let columns: (repeat each Column)

    init(_ columns: repeat each Column) { self.columns = (repeat each columns) }

    static var cells: [RawCell]? {
        var cells: [RawCell] = []
        var end = 0
        var areNative = true
        func add<Raw: PrimitiveAttribute>(_ type: Raw.Type) {
            // The elements of a tuple are stored in order, each at the next offset that is aligned for it.
            let alignment = MemoryLayout<Raw?>.alignment
            let offset = (end + alignment - 1) / alignment * alignment
            cells.append(RawCell(kind: Raw.primitiveKind, offset: offset))
            end = offset + MemoryLayout<Raw?>.size
            areNative = areNative && Raw.isNative
        }
        repeat add((each Column).Raw.self)
        return areNative ? cells : nil
    }

    static func empty() -> Raw { (repeat Optional<(each Column).Raw>.none) }

    static func values(_ raw: Raw) -> [AttributeValue] {
        var values: [AttributeValue] = []
        repeat values.append((each raw)?.attributeValue ?? .null)
        return values
    }

    var names: [String] {
        var names: [String] = []
        repeat names.append((each columns).name)
        return names
    }

    func row(_ raw: Raw) throws -> Row { (repeat try (each columns).value(each raw)) }

    func row(_ values: [AttributeValue]) throws -> Row {
        var rest = values[...]
        func next<C: ProjectionColumn>(_ column: C) throws -> C.Value {
            try column.value(rest.popFirst() ?? .null)
        }
        return (repeat try next(each columns))
    }
}

/// A reader of rows that a function creates from their columns.
struct MadeReader<Row, each Column: ProjectionColumn>: RowReading {
    typealias Raw = (repeat Optional<(each Column).Raw>)

    private let columns: (repeat each Column)
    private let make: @Sendable (repeat (each Column).Value) throws -> Row

    init(_ columns: repeat each Column, make: @escaping @Sendable (repeat (each Column).Value) throws -> Row) {
        self.columns = (repeat each columns)
        self.make = make
    }

    static var cells: [RawCell]? { TupleReader<repeat each Column>.cells }
    static func empty() -> Raw { TupleReader<repeat each Column>.empty() }

    static func values(_ raw: Raw) -> [AttributeValue] {
        var values: [AttributeValue] = []
        repeat values.append((each raw)?.attributeValue ?? .null)
        return values
    }

    var names: [String] { TupleReader(repeat each columns).names }

    func row(_ raw: Raw) throws -> Row { try make(repeat try (each columns).value(each raw)) }

    func row(_ values: [AttributeValue]) throws -> Row {
        var rest = values[...]
        func next<C: ProjectionColumn>(_ column: C) throws -> C.Value {
            try column.value(rest.popFirst() ?? .null)
        }
        return try make(repeat try next(each columns))
    }
}

/// A reader of rows that a function creates from other rows.
struct MappedReader<Row, Inner: RowReading>: RowReading {
    let inner: Inner
    let make: @Sendable (Inner.Row) throws -> Row

    static var cells: [RawCell]? { Inner.cells }
    static func empty() -> Inner.Raw { Inner.empty() }
    static func values(_ raw: Inner.Raw) -> [AttributeValue] { Inner.values(raw) }

    var names: [String] { inner.names }
    func row(_ raw: Inner.Raw) throws -> Row { try make(try inner.row(raw)) }
    func row(_ values: [AttributeValue]) throws -> Row { try make(try inner.row(values)) }
}
