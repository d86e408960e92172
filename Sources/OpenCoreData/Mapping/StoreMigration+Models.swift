package import Foundation
package import SwormStore

// The migration of a store with the models as an application has them.

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

    /// The migration of a store by the mapping that can be inferred.
    ///
    /// - Throws: ``CoreDataError`` with every reason why none can be.
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
    /// Makes a store of one model into one of another by a mapping that is inferred.
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
    /// The names of the R-trees that the model asks for.
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
