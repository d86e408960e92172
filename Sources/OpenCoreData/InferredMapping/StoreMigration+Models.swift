import Foundation
package import SwormStore

// Variants of the store's migration that accept managed object models instead of compiled ones.

extension MigrationTarget {
    init(_ model: NSManagedObjectModel) throws {
        self.init(model: try model.compiled(), cache: try model.storeCache(), trees: model.locationTrees)
    }
}

extension StoreMigration {
    init(
        of url: URL, from source: NSManagedObjectModel, to destination: NSManagedObjectModel, mapping: ModelMapping,
        options: StoreOptions = StoreOptions(), progress: ((MigrationProgress) throws -> Void)? = nil
    ) throws {
        try self.init(
            of: url, from: source.compiled(), to: MigrationTarget(destination), mapping: mapping, options: options,
            progress: progress)
    }

    /// Creates a migration of a store with an inferred mapping.
    ///
    /// - Throws: A ``CoreDataError`` that lists every reason why no mapping can be inferred.
    package init(
        inferring url: URL, from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        options: StoreOptions = StoreOptions(), progress: ((MigrationProgress) throws -> Void)? = nil
    ) throws {
        try self.init(
            of: url, from: source, to: destination, mapping: ModelMapping.inferred(from: source, to: destination),
            options: options, progress: progress)
    }
}

extension StoreReplacement {
    /// Migrates a store of one model to another model with an inferred mapping.
    package func infer(
        from source: NSManagedObjectModel, to destination: NSManagedObjectModel,
        progress: ((_ fraction: Double) throws -> Void)? = nil
    ) throws {
        try migrate(
            from: source.compiled(), to: MigrationTarget(destination),
            mapping: ModelMapping.inferred(from: source, to: destination), progress: progress)
    }
}

extension NSManagedObjectModel {
    /// The names of the R-trees that the model declares.
    var locationTrees: Set<String> {
        var names: Set<String> = []
        for entity in entities {
            guard let name = entity.name else { continue }
            let indexes = entity.indexes.filter { $0.elements.contains { $0.collationType == .rTree } }.map(\.name)
            let attributes = entity.attributesByName.filter {
                $0.value.userInfo?["_NSLocationAttributeDerivedComponents"] != nil
            }.keys
            for index in indexes + attributes { names.insert("Z_RT_\(name)_\(index)") }
        }
        return names
    }
}
