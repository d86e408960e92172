#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

extension Engine {
    /// The rows of a projection straight from the store; nil when they must be made from objects.
    static func project<Reader: RowReading>(
        _ query: EngineQuery, _ tree: ProjectionTree, _ reader: Reader, in context: NSManagedObjectContext
    ) throws -> [Reader.Raw]? {
        let projection = ProjectionSpecification(fetch: specification(query), tree: tree)
        guard let cells = Reader.cells else { return nil }
        do {
            return try context.project(projection) { columns in
                var ops: [RowOp] = []
                for (index, (cell, column)) in zip(cells, columns).enumerated() {
                    ops.append(
                        RowOp(
                            column: Int32(index), kind: FieldKind(cell.kind, isOptional: true), offset: cell.offset,
                            isExternal: column.content == .externalData))
                }
                return RowPlan(ops: ops) { Reader.empty() }
            }
        } catch let error as CoreDataError {
            guard let fault = error.cause as? CellFault, cells.indices.contains(fault.column) else { throw error }
            let (name, kind) = (reader.names[fault.column], cells[fault.column].kind)
            if kind.isInteger, Double(fault.excerpt) != nil {
                throw StoreError.overflow(name, fault.excerpt, kind, query.entity.name)
            }
            let value = fault.excerpt.isEmpty ? fault.found : "\(fault.found) (\(fault.excerpt))"
            throw AttributeError.badAttribute(
                .init(
                    name: name, entity: query.entity.name, expectedType: "\(kind)", value: value,
                    originalError: translated(error)))
        }
    }

    /// Throws when the reading was stopped.
    static func checkInterruption(_ context: NSManagedObjectContext) throws { try context.checkInterruption() }
}
#else
import CoreData
import SwormPredicates

extension Engine {
    /// Core Data's dictionaries leave unsaved changes out, and its sums overflow without a word: rows are made from objects.
    static func project<Reader: RowReading>(
        _ query: EngineQuery, _ tree: ProjectionTree, _ reader: Reader, in context: NSManagedObjectContext
    ) throws -> [Reader.Raw]? {
        // Objects would say so only where there are any.
        for use in tree.columns.flatMap(\.keyPathUses) where use.start == .evaluatedObject {
            let path = use.keys.joined(separator: ".")
            guard let whole = query.entity.attribute(at: path) as? NSCompositeAttributeDescription else { continue }
            throw PredicateError.compositeAsValue(
                path: path, entity: query.entity.name ?? "", elements: CompositeShape(whole).paths)
        }
        return nil
    }

    /// Core Data's reads cannot be stopped.
    static func checkInterruption(_ context: NSManagedObjectContext) throws {}
}
#endif
