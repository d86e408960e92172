import Foundation
import SwormPredicates
import SwormSQLite
package import SwormRows
import SwormStore

extension NSManagedObjectContext {
    /// Returns the rows of a projection, or nil if unsaved changes or several stores require that objects are used.
    ///
    /// A projection that the store would reject is rejected in either case.
    package final func project<T>(
        _ projection: ProjectionSpecification, plan: ([ProjectedColumn]) throws -> RowPlan<T>
    ) throws -> [T]? {
        try throwReadError()
        let origins = try requireCoordinator().origins(of: projection.fetch.entity)
        guard let origin = origins.first else { return nil }
        let tree = projection.tree
        let read = tree.columns + tree.groups + tree.sorts.map(\.expression)
        // An order or a condition on groups only reads values that its aggregates name.
        let having = tree.having.map { tree in tree.keyPaths.map(ExpressionTree.path) } ?? []
        guard origins.count == 1, nesting.parent == nil,
            pendingEffect(on: projection.fetch, reading: read + having) == .none
        else {
            try withSession(of: origin) { try $0.check(projection) }
            return nil
        }
        return try withSession(of: origin) { try $0.project(projection, plan: plan) }
    }

    /// Throws an error if the reads of this context were interrupted.
    package final func checkInterruption() throws { try interruption.check() }

    /// Returns values instead of objects. They come from the store: unsaved changes are not included, neither those of
    /// this context nor those of its parent, which reads the values with everything else of its stores.
    final func fetchDictionaries<T>(_ request: NSFetchRequest<T>) throws -> [NSDictionary] {
        if let parent = nesting.parent {
            try throwReadError()
            return try withParent(parent) { try parent.fetchDictionaries(request) }
        }
        let coordinator = try requireCoordinator()
        let model = coordinator.compiledModel
        let (specification, selected) = try request.projection(in: model)
        try throwReadError()
        let origins = try self.origins(of: specification.fetch, in: request.affectedStores)
        guard let origin = origins.first else { return [] }
        guard origins.count == 1 else {
            throw CoreDataError(
                NSPersistentStoreUnsupportedRequestTypeError,
                "A fetch of dictionaries of \(request.entityName ?? "objects") needs exactly one store, and there are \(origins.count). Set affectedStores to one of them."
            )
        }
        return try withSession(of: origin) { session in
            let (columns, rows) = try session.storedRows(specification)
            let reader = DictionaryReader(selected: selected, columns: columns, origin: origin, session: session)
            return try rows.map { try reader.dictionary($0) }
        }
    }
}
