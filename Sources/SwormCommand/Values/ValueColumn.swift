import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormStore

/// A column of the output: the cell of the row that it shows, and its kind.
struct ValueColumn: Sendable {
    enum Kind: Sendable, Hashable {
        case integer, boolean, number, float, decimal, text, date, uuid, blob
        /// Binary data that may be stored in a file.
        case external
        /// An object: its key, followed by the number of its entity in the next cell.
        case object
    }

    var title: String
    /// The cell of the statement.
    var cell: Int
    var kind: Kind

    var isNumeric: Bool {
        switch kind {
        case .integer, .number, .float, .decimal: true
        default: false
        }
    }

    /// Returns the columns of a cursor with their titles.
    static func columns(
        _ projected: [ProjectedColumn], titles: [String], expressions: [ExpressionTree], entity: CompiledEntity,
        model: CompiledModel
    ) -> [ValueColumn] {
        var cell = 0
        return projected.enumerated().map { index, column in
            defer { cell += 1 }
            let kind: Kind
            switch column.content {
            case .externalData: kind = .external
            case .object:
                defer { cell += 1 }
                return ValueColumn(title: titles[index], cell: cell, kind: .object)
            case .value(let type):
                // An expression has the widest type of its kind; an attribute has its own type.
                let own = expressions[index].pathKeys.flatMap { attribute($0, of: entity, in: model)?.type }
                kind = Kind(own ?? type)
            }
            return ValueColumn(title: titles[index], cell: cell, kind: kind)
        }
    }

    /// Returns the attribute at the end of a path of to-one relationships.
    static func attribute(_ path: [String], of entity: CompiledEntity, in model: CompiledModel) -> CompiledAttribute? {
        var entity = entity
        for (index, key) in path.enumerated() {
            if case .attribute(let slot)? = entity.slot(named: path[index...].joined(separator: ".")) {
                return entity.attributes[slot]
            }
            if let cast = EntityCast(key), let target = model.entity(named: cast.entity), entity.slot(named: key) == nil
            {
                entity = target
                continue
            }
            guard case .relationship(let slot)? = entity.slot(named: key) else { return nil }
            entity = model[entity.relationships[slot].destination]
        }
        return nil
    }
}

extension ValueColumn.Kind {
    init(_ type: SwormPredicates.AttributeType) {
        self =
            switch type {
            case .integer16, .integer32, .integer64: .integer
            case .boolean: .boolean
            case .double, .undefined: .number
            case .float: .float
            case .decimal: .decimal
            case .string, .uri: .text
            case .date: .date
            case .uuid: .uuid
            case .binaryData, .transformable, .objectID, .composite: .blob
            }
    }
}
