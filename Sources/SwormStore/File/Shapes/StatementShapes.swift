import Foundation
import SwormPredicates
import SwormSQLite

/// The statements of one connection, by the shapes of their requests. A repeated request with other constants binds and
/// steps a statement without compiling.
///
/// The mapping from constants to parameters is not computed but observed: the request is compiled a second time with
/// other constants. If the SQL text stays the same, and every parameter either has one of those constants or is
/// unchanged, the shape is known. Otherwise the request is compiled each time.
final class StatementShapes {
    /// The result of a statement for the rows that a request finds.
    enum Selection: Equatable {
        /// The values of attributes.
        case values([Int])
        /// The cells of the entity's row shape, which is always the same.
        case rows
        case identities
        /// The primary keys.
        case keys
        case count
        /// No result. The statement assigns values to columns.
        case update([String])
    }

    private static let limit = 200
    private static let probeLimit = 2_113_579_246
    private static let probeOffset = 2_113_579_247
    private var known: [UInt64: [KnownShape]] = [:]
    private var last: KnownShape?
    private var count = 0

    /// Returns the statement for the values of attributes, with its parameters bound.
    func values(
        _ request: FetchSpecification, attributes: [Int], by compiler: SQLCompiler, on connection: Connection
    ) throws -> Statement {
        try statement(for: request, selection: .values(attributes), on: connection) {
            try compiler.values($0, attributes: attributes)
        }
    }

    /// Returns the statement for whole rows, with its parameters bound.
    func rows(
        _ request: FetchSpecification, shape: RowShape, by compiler: SQLCompiler, on connection: Connection
    ) throws -> Statement {
        try statement(for: request, selection: .rows, on: connection) { try compiler.rows($0, shape: shape) }
    }

    /// Returns the statement for identities, with its parameters bound.
    func identities(
        _ request: FetchSpecification, by compiler: SQLCompiler, on connection: Connection
    ) throws -> Statement {
        try statement(for: request, selection: .identities, on: connection) { try compiler.identities($0) }
    }

    /// Returns the statement for the number of rows, with its parameters bound.
    func count(
        _ request: FetchSpecification, by compiler: SQLCompiler, on connection: Connection
    ) throws -> Statement {
        try statement(for: request, selection: .count, on: connection) { try compiler.count($0) }
    }

    /// Returns the statement that assigns values to the rows that do not have all of them, with its parameters bound.
    func update(
        _ request: FetchSpecification, set assignments: [ColumnAssignment], by compiler: SQLCompiler,
        on connection: Connection
    ) throws -> Statement {
        let columns = assignments.map(\.column)
        return try statement(
            for: request, selection: .update(columns), assigning: assignments.map(\.value), on: connection
        ) {
            let assignments = zip(columns, $1).map { ColumnAssignment(column: $0, value: $1) }
            return try compiler.update($0, set: assignments, leavingEqual: true)
        }
    }

    private func statement(
        for request: FetchSpecification, selection: Selection, on connection: Connection,
        compile: (FetchSpecification) throws -> CompiledStatement
    ) throws -> Statement {
        try statement(for: request, selection: selection, assigning: [], on: connection) { request, _ in
            try compile(request)
        }
    }

    private func statement(
        for request: FetchSpecification, selection: Selection, assigning values: [SQLBinding],
        on connection: Connection, compile: (FetchSpecification, [SQLBinding]) throws -> CompiledStatement
    ) throws -> Statement {
        // Repeating the last request is the most frequent case, and is detected without computing the shape.
        if let last, last.selection == selection, RequestShape.same(last.request, request) {
            return try Self.statement(last, for: request, assigning: values, on: connection)
        }
        guard let shape = RequestShape(request) else {
            return try Self.statement(try compile(request, values), on: connection)
        }
        if let list = known[shape.hash] {
            for known in list where known.selection == selection && RequestShape.same(known.request, request) {
                last = known
                return try Self.statement(known, for: request, assigning: values, on: connection)
            }
        }
        let compiled = try compile(request, values)
        try remember(shape, of: request, selection: selection, assigning: values, compiled: compiled, compile: compile)
        return try Self.statement(compiled, on: connection)
    }

    private static func statement(_ compiled: CompiledStatement, on connection: Connection) throws -> Statement {
        var statement = try connection.statement(compiled.sql)
        try statement.bind(compiled.bindings)
        return statement
    }

    /// Returns the statement of a shape, bound for a request of that shape.
    private static func statement(
        _ known: KnownShape, for request: FetchSpecification, assigning values: [SQLBinding], on connection: Connection
    ) throws -> Statement {
        var statement = try connection.statement(known.slot)
        for (index, source) in known.sources.enumerated() {
            switch source {
            case .constant(let place):
                try bind(RequestShape.constant(place, of: request) ?? .null, at: index + 1, to: &statement)
            case .assigned(let place): try statement.bind(values[place], at: index + 1)
            case .limit: try statement.bind(request.limit, at: index + 1)
            case .offset: try statement.bind(request.offset, at: index + 1)
            case .fixed(let binding): try statement.bind(binding, at: index + 1)
            }
        }
        return statement
    }

    private static func bind(_ value: AttributeValue, at index: Int, to statement: inout Statement) throws {
        switch value {
        case .int(let number): try statement.bind(number, at: index)
        case .double(let number): try statement.bind(number, at: index)
        case .string(let text): try statement.bind(text, at: index)
        case .date(let date): try statement.bind(date.timeIntervalSinceReferenceDate, at: index)
        case .uuid(let uuid): try statement.bind(uuid, at: index)
        case .null, .bool, .decimal, .data, .url, .object: try statement.bindNull(at: index)
        }
    }

    private func remember(
        _ shape: RequestShape, of request: FetchSpecification, selection: Selection, assigning values: [SQLBinding],
        compiled: CompiledStatement, compile: (FetchSpecification, [SQLBinding]) throws -> CompiledStatement
    ) throws {
        let probes = shape.constants.enumerated().map { $1.probe($0) }
        let probe = RequestShape.probe(request, constants: probes, limit: Self.probeLimit, offset: Self.probeOffset)
        let assigned = values.indices.map { SQLBinding.text("\u{2}probe \($0)") }
        let other = try compile(probe, assigned)
        guard other.sql == compiled.sql, other.bindings.count == compiled.bindings.count else { return }
        let shown = probes.map(SQLBinding.init)
        var sources: [KnownShape.Source] = []
        var unseen = Set(probes.indices)
        var unassigned = Set(values.indices)
        for (binding, original) in zip(other.bindings, compiled.bindings) {
            if let place = shown.firstIndex(of: binding) {
                guard original == SQLBinding(shape.constants[place]) else { return }
                sources.append(.constant(place))
                unseen.remove(place)
            } else if let place = assigned.firstIndex(of: binding) {
                guard original == values[place] else { return }
                sources.append(.assigned(place))
                unassigned.remove(place)
            } else if request.limit > 0, binding == .int64(Int64(Self.probeLimit)) {
                sources.append(.limit)
            } else if request.offset > 0, binding == .int64(Int64(Self.probeOffset)) {
                sources.append(.offset)
            } else if binding == original {
                sources.append(.fixed(binding))
            } else {
                return
            }
        }
        // A constant that is not bound to any parameter has become part of the SQL text.
        guard unseen.isEmpty, unassigned.isEmpty else { return }
        if count >= Self.limit {
            known = [:]
            last = nil
            count = 0
        }
        count += 1
        known[shape.hash, default: []].append(
            KnownShape(probe, selection: selection, slot: StatementSlot(compiled.sql), sources: sources))
    }
}
