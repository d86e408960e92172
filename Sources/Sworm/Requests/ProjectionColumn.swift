import Foundation
import SwormPredicates

/// A column of a projection, which converts a stored value to a value of the row.
protocol ProjectionColumn: Sendable {
    associatedtype Raw: PrimitiveAttribute
    associatedtype Value

    /// A description of the column, for messages.
    var name: String { get }
    var entity: String { get }

    func value(_ raw: Raw?) throws -> Value
}

/// The column of a term.
struct TermColumn<Base: SupportedAttributeType, Value>: ProjectionColumn {
    typealias Raw = Base.PrimitiveAttributeType

    // The names are computed on access, because only messages need them.
    var name: String { expression.format.replacing("rows.", with: "") }
    var entity: String { type.entityName }
    private let expression: ExpressionTree
    private let type: any ManagedObjectConvertible.Type
    private let decoder: ColumnDecoder<Raw, Value>?

    init(_ expression: ExpressionTree, of type: any ManagedObjectConvertible.Type) {
        self.expression = expression
        self.type = type
        // A term's value is its base or an optional of it. The decision is made once, not for each row.
        let required = ColumnDecoder<Raw, Base> { raw in
            guard let raw else { throw AttributeError.badInput(nil) }
            return try Base.decode(primitiveValue: raw)
        }
        let optional = ColumnDecoder<Raw, Base?> { try $0.map { try Base.decode(primitiveValue: $0) } }
        decoder = required as? ColumnDecoder<Raw, Value> ?? optional as? ColumnDecoder<Raw, Value>
    }

    func value(_ raw: Raw?) throws -> Value {
        guard let decoder else {
            throw StoreError(.invalidRequest, "\(entity): \(name) cannot be read as \(Value.self).", entity: entity)
        }
        do {
            return try decoder.decode(raw)
        } catch {
            if raw == nil, expression.isSum { throw StoreError.noNumber(name, entity: entity) }
            throw misfit(raw.map { excerpt($0) }, cause: error)
        }
    }
}

/// A function wrapped in a struct, so that it can be cast if its type is the expected one.
private struct ColumnDecoder<Raw, Value>: Sendable {
    let decode: @Sendable (Raw?) throws -> Value
}

extension ProjectionColumn {
    /// Returns the value of the column from a value that was computed in memory.
    func value(_ value: AttributeValue) throws -> Value {
        if value == .null { return try self.value(Raw?.none) }
        let raw: Raw
        do {
            raw = try Raw(attributeValue: try value.fitting(Raw.primitiveKind, name: name, entity: entity))
        } catch let error as StoreError {
            throw error
        } catch {
            if case .int = value, Raw.primitiveKind.isInteger {
                throw StoreError.overflow(
                    name, value: "\(excerpt(value.foundationValue ?? 0))", kind: Raw.primitiveKind, entity: entity)
            }
            throw misfit(excerpt(value.foundationValue ?? "nil"), cause: error)
        }
        return try self.value(raw)
    }

    fileprivate func misfit(_ value: String?, cause error: any Error) -> AttributeError {
        .badAttribute(
            .init(
                name: name, entity: entity, expectedType: "\(Value.self)", value: value ?? "nothing",
                originalError: error))
    }
}

extension AttributeValue {
    /// Returns a computed number in the form of the expected kind.
    fileprivate func fitting(
        _ kind: PrimitiveKind, name: @autoclosure () -> String, entity: @autoclosure () -> String
    ) throws -> AttributeValue {
        guard case .double(let number) = self else { return self }
        switch kind {
        case .decimal: return Decimal(string: "\(number)", locale: nil).map { .decimal($0) } ?? self
        case .int, .int16, .int32, .int64:
            throw StoreError.overflow(name(), value: "\(number)", kind: kind, entity: entity())
        default: return self
        }
    }
}

extension PrimitiveKind {
    var isInteger: Bool {
        switch self {
        case .int, .int16, .int32, .int64: true
        default: false
        }
    }
}

extension ExpressionTree {
    /// Whether the expression is the sum of a column or of a relation's values, which exists even if there are no
    /// values.
    fileprivate var isSum: Bool {
        if rowAggregate?.aggregate == .sum { return true }
        var tree = self
        while case .key(let base, let key) = tree {
            if key == "@sum" { return true }
            tree = base
        }
        return false
    }
}

extension StoreError {
    /// Returns the error for a sum that a store reports as nil, as it does for every result that is not a number.
    static func noNumber(_ name: String, entity: String) -> StoreError {
        StoreError(
            .overflow,
            "\(entity): \(name) is not a number, because its values include both infinity and minus infinity. Exclude one of "
                + "them with a condition.", entity: entity)
    }

    static func overflow(_ name: String, value: String, kind: PrimitiveKind, entity: String) -> StoreError {
        StoreError(
            .overflow, "\(entity): \(name) is \(value), which \(kind) cannot hold. Use fewer rows or a wider type.",
            entity: entity)
    }
}
