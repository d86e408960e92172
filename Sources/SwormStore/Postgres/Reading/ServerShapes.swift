#if PostgreSQL
import Foundation
import SwormPredicates

/// The statements of a store, by the shapes of their requests. A repeated request with other constants is not compiled again.
///
/// As in ``StatementShapes``, the mapping from constants to parameters is observed: the request is compiled with other
/// constants of the same kinds. A server has several types of numbers, so that a parameter's type may depend on the value; it is
/// compiled with two sets of constants therefore, and a shape is known only if all three statements have the same parameters.
final class ServerShapes: Sendable {
    typealias Selection = StatementShapes.Selection

    /// The source of a parameter's value.
    private enum Source: Sendable {
        /// A constant of the request, by its index, and a value of the type that it must have.
        case constant(Int, SQLBinding)
        case limit
        case offset
        case fixed(SQLBinding)
    }

    private struct Shape: Sendable {
        /// A request of the shape, with the constants of a probe.
        var request: FetchSpecification
        var selection: Selection
        var sql: String
        var sources: [Source]
    }

    private struct Shapes: Sendable {
        var known: [UInt64: [Shape]] = [:]
        var count = 0
    }

    private static let shapeLimit = 500
    private static let probeLimit = 2_113_579_246
    private static let probeOffset = 2_113_579_247
    private let dialect: SQLDialect
    private let shapes = Locked(Shapes())

    init(_ compiler: SQLCompiler) { dialect = compiler.dialect }

    /// Returns the statement of a request.
    ///
    /// - Parameter compile: Compiles the request, or another one of the same shape.
    /// - Returns: The statement, and whether it has a known shape: it then computes no numbers.
    func statement(
        for request: FetchSpecification, selecting selection: Selection,
        compile: (FetchSpecification) throws -> CompiledStatement
    ) throws -> (statement: CompiledStatement, isKnown: Bool) {
        guard let shape = RequestShape(request) else { return (try compile(request), false) }
        let candidates = shapes.withLock { $0.known[shape.hash] } ?? []
        for known in candidates where known.selection == selection && RequestShape.same(known.request, request) {
            if let statement = statement(known, for: request) { return (statement, true) }
            return (try compile(request), false)
        }
        let compiled = try compile(request)
        remember(shape, of: request, selection: selection, compiled: compiled, compile: compile)
        return (compiled, false)
    }

    /// Returns the statement of a shape for a request of that shape; nil if a constant has another type than usual.
    private func statement(_ shape: Shape, for request: FetchSpecification) -> CompiledStatement? {
        var bindings: [SQLBinding] = []
        bindings.reserveCapacity(shape.sources.count)
        for source in shape.sources {
            switch source {
            case .constant(let place, let type):
                guard let value = RequestShape.constant(place, of: request), let binding = binding(value),
                    binding.isLike(type)
                else { return nil }
                bindings.append(binding)
            case .limit: bindings.append(.int64(Int64(request.limit)))
            case .offset: bindings.append(.int64(Int64(request.offset)))
            case .fixed(let binding): bindings.append(binding)
            }
        }
        return CompiledStatement(sql: shape.sql, bindings: bindings)
    }

    private func binding(_ value: AttributeValue) -> SQLBinding? { (try? dialect.binding(value)) ?? nil }

    private func remember(
        _ shape: RequestShape, of request: FetchSpecification, selection: Selection, compiled: CompiledStatement,
        compile: (FetchSpecification) throws -> CompiledStatement
    ) {
        let first = shape.constants.enumerated().map { $1.probe($0) }
        let second = shape.constants.enumerated().map { $1.secondProbe($0) }
        func probe(_ constants: [AttributeValue]) -> FetchSpecification {
            RequestShape.probe(request, constants: constants, limit: Self.probeLimit, offset: Self.probeOffset)
        }
        // A probe may have no exact statement where the request has one.
        guard let one = try? compile(probe(first)), let other = try? compile(probe(second)), one.sql == compiled.sql,
            other.sql == compiled.sql, one.bindings.count == compiled.bindings.count,
            other.bindings.count == compiled.bindings.count
        else { return }
        let (shownFirst, shownSecond) = (first.map(binding), second.map(binding))
        let given = shape.constants.map(binding)
        var sources: [Source] = []
        var unseen = Set(first.indices)
        for (index, original) in compiled.bindings.enumerated() {
            let (binding, second) = (one.bindings[index], other.bindings[index])
            if let place = shownFirst.firstIndex(of: binding) {
                guard shownSecond[place] == second, given[place] == original, binding.isLike(original) else { return }
                sources.append(.constant(place, binding))
                unseen.remove(place)
            } else if request.limit > 0, binding == .int64(Int64(Self.probeLimit)) {
                sources.append(.limit)
            } else if request.offset > 0, binding == .int64(Int64(Self.probeOffset)) {
                sources.append(.offset)
            } else if binding == original, binding == second {
                sources.append(.fixed(binding))
            } else {
                return
            }
        }
        // A constant that is not bound to any parameter has become part of the SQL text.
        guard unseen.isEmpty else { return }
        let known = Shape(request: probe(first), selection: selection, sql: compiled.sql, sources: sources)
        shapes.withLock { shapes in
            if shapes.count >= Self.shapeLimit { shapes = Shapes() }
            shapes.count += 1
            shapes.known[shape.hash, default: []].append(known)
        }
    }
}

extension AttributeValue {
    /// Returns a value of the same kind as ``probe(_:)``, in another range.
    fileprivate func secondProbe(_ place: Int) -> AttributeValue {
        switch self {
        case .int: .int(1_234_567_890 + Int64(place))
        case .double: .double(98_765 + Double(place))
        case .string: .string("\u{2}second probe \(place)")
        case .date: .date(Date(timeIntervalSinceReferenceDate: 2.5e8 + Double(place) * 7.5))
        default: probe(place)
        }
    }
}
#endif
