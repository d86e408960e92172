#if !canImport(CoreData)
import Foundation
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

extension Engine {
    /// Reads the rows of a projection directly from the store. Returns nil if they must be computed from objects.
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
            guard let issue = error.cause as? DecodingFailure, cells.indices.contains(issue.column) else { throw error }
            let (name, kind) = (reader.names[issue.column], cells[issue.column].kind)
            if kind.isInteger, Double(issue.excerpt) != nil {
                throw StoreError.overflow(name, value: issue.excerpt, kind: kind, entity: query.entity.name)
            }
            let value = issue.excerpt.isEmpty ? issue.found : "\(issue.found) (\(issue.excerpt))"
            throw AttributeError.badAttribute(
                .init(
                    name: name, entity: query.entity.name, expectedType: "\(kind)", value: value,
                    originalError: translated(error)))
        }
    }

    /// Throws an error if reading was interrupted.
    static func checkInterruption(_ context: NSManagedObjectContext) throws { try context.checkInterruption() }
}
#else
import CoreData
import SwormPredicates

extension Engine {
    /// Returns nil, so that rows are computed from objects: Core Data's dictionary results ignore unsaved changes, and
    /// its sums overflow silently.
    static func project<Reader: RowReading>(
        _ query: EngineQuery, _ tree: ProjectionTree, _ reader: Reader, in context: NSManagedObjectContext
    ) throws -> [Reader.Raw]? {
        // Checked here, because computing the rows from objects reports this only if there are any objects.
        for use in tree.columns.flatMap(\.keyPathUses) where use.start == .evaluatedObject {
            let path = use.keys.joined(separator: ".")
            guard let whole = query.entity.attribute(at: path) as? NSCompositeAttributeDescription else { continue }
            throw QueryError.compositeAsValue(
                path: path, entity: query.entity.name ?? "", elements: CompositeShape(whole).paths)
        }
        return nil
    }

    /// Does nothing: reads of Core Data cannot be interrupted.
    static func checkInterruption(_ context: NSManagedObjectContext) throws {}
}
#endif
