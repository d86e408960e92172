package import Foundation
import SwormSQLite

/// Checks that a store's file is one that Core Data could have left: the rules that its framework relies on.
package enum StoreVerification {
    /// Every fault of the file that is found; empty for a sound store. Nothing is changed.
    ///
    /// - Throws: ``CoreDataError`` where the store cannot be opened with the model.
    package static func faults(of url: URL, model: CompiledModel) throws -> [String] {
        try grave(check(StoreFiles(url: url), model)).map(\.message)
    }

    /// Everything that is found, the rules of the model included; empty for a sound store. Nothing is changed.
    ///
    /// A file that cannot be opened with the model has that as its one fault.
    ///
    /// - Parameter progress: Told what is being checked, and how much of it is done.
    /// - Throws: ``CoreDataError`` where there is no file, or it cannot be read for reasons of its surroundings.
    package static func findings(
        of url: URL, model: CompiledModel, disk: StoreDisk = .system,
        progress: ((_ done: Int, _ total: Int) throws -> Void)? = nil
    ) throws -> [StoreFault] {
        do {
            return try check(StoreFiles(url: url, disk: disk), model, progress)
        } catch let error as CoreDataError {
            guard let kind = kind(of: error) else { throw error }
            guard error.details.isEmpty else {
                return error.details.map { StoreFault(kind, $0.message, entity: $0.entity) }
            }
            return [StoreFault(kind, error.message, entity: error.entity)]
        }
    }

    /// Those findings with which a store is not sound: faults of the file, and not of what stands in it.
    static func grave(_ findings: [StoreFault]) -> [StoreFault] {
        findings.filter { $0.severity == .fault && !$0.isRuleOfModel }
    }

    /// Those of grave findings that a store did not have before: what was wrong then is no reason to keep an old model.
    static func grave(_ findings: [StoreFault], beyond before: [StoreFault]) -> [StoreFault] {
        let known = Dictionary(grouping: before.filter { $0.severity == .fault }, by: \.kind).mapValues(\.count)
        let new = Dictionary(grouping: findings, by: \.kind).filter { $1.count > known[$0] ?? 0 }
        return new.values.flatMap { $0 }
    }

    /// What the refusal to open a store says about it; nil where it says nothing about the store.
    package static func kind(of error: CoreDataError) -> StoreFault.Kind? {
        switch error.errorCode {
        case NSPersistentStoreIncompatibleVersionHashError: .model
        case NSPersistentStoreIncompatibleSchemaError: .schema
        case NSPersistentStoreTypeMismatchError: .metadata
        case CocoaError.Code.fileReadCorruptFile.rawValue: .integrity
        default: nil
        }
    }

    private static func check(
        _ files: StoreFiles, _ model: CompiledModel, _ progress: ((Int, Int) throws -> Void)? = nil
    ) throws -> [StoreFault] {
        var options = StoreOptions()
        options.isReadOnly = true
        options.disk = files.disk
        let (metadata, open) = try SQLiteStore.openForReading(files, model: model, options: options)
        let connection = try open.pool.takeReader()
        defer { open.pool.giveBack(connection) }
        return try CoreDataError.translating(while: "check", path: open.path) {
            try findings(
                connection, metadata, model: model, layout: open.layout, files: files, progress: progress)
        }
    }

    /// Everything that is found in an open file.
    ///
    /// - Parameter files: The store's files: where its external data is, wherever the database itself is.
    package static func findings(
        _ connection: StoreConnection, _ metadata: StoreMetadata, model: CompiledModel, layout: StoreLayout,
        files: StoreFiles, progress: ((Int, Int) throws -> Void)? = nil
    ) throws -> [StoreFault] {
        let check = StoreCheck(connection: connection, model: model, layout: layout, files: files)
        try check.run(metadata, progress)
        return check.faults + (try HistoryCheck(connection: connection, model: model).faults())
    }
}
