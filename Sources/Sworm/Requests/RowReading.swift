import SwormPredicates

/// How the columns of a projection become a row of it.
protocol RowReading<Row>: Sendable {
    /// The columns as a store holds them, side by side in memory, each of them possibly missing.
    associatedtype Raw
    associatedtype Row

    /// Where in the memory of `Raw` the columns are, and what they are; nil where a column's type is none of the thirteen,
    /// so that nobody knows its memory.
    static var cells: [RawCell]? { get }
    static func empty() -> Raw

    /// The columns in words, for messages.
    var names: [String] { get }

    func row(_ raw: Raw) throws -> Row
    func row(_ values: [AttributeValue]) throws -> Row
}

/// A column in the memory of a row.
struct RawCell {
    var kind: PrimitiveKind
    var offset: Int
}

/// Rows that are tuples of their columns.
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
            // The elements of a tuple lie one behind the other, each at the next place that is aligned for it.
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

/// Rows that a function makes of their columns.
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

/// Rows that a function makes of other rows.
struct MappedReader<Row, Inner: RowReading>: RowReading {
    let inner: Inner
    let make: @Sendable (Inner.Row) throws -> Row

    static var cells: [RawCell]? { Inner.cells }
    static func empty() -> Inner.Raw { Inner.empty() }

    var names: [String] { inner.names }
    func row(_ raw: Inner.Raw) throws -> Row { try make(try inner.row(raw)) }
    func row(_ values: [AttributeValue]) throws -> Row { try make(try inner.row(values)) }
}
