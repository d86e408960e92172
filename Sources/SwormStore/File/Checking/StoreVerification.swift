package import Foundation
import SwormSQLite

/// A verification that a store's file conforms to the rules that Core Data relies on.
package enum StoreVerification {
    /// Returns the messages of all issues of the file; empty for a sound store. Nothing is changed.
    ///
    /// - Throws: ``CoreDataError`` if the store cannot be opened with the model.
    package static func issues(of url: URL, model: CompiledModel) throws -> [String] {
        try grave(check(StoreFiles(url: url), model: model)).map(\.message)
    }

    /// Returns all findings, including violations of the model's rules; empty for a sound store. Nothing is changed.
    ///
    /// If a file cannot be opened with the model, this is reported as its only issue.
    ///
    /// - Parameter progress: A closure that is called with the number of checked units and of all units.
    /// - Throws: ``CoreDataError`` if there is no file, or it cannot be read for reasons outside of the file.
    package static func findings(
        of url: URL, model: CompiledModel, disk: StoreDisk = .system,
        progress: ((_ done: Int, _ total: Int) throws -> Void)? = nil
    ) throws -> [StoreIssue] {
        do {
            return try check(StoreFiles(url: url, disk: disk), model: model, progress: progress)
        } catch let error as CoreDataError {
            guard let kind = kind(of: error) else { throw error }
            guard error.details.isEmpty else {
                return error.details.map { StoreIssue(kind, $0.message, entity: $0.entity) }
            }
            return [StoreIssue(kind, error.message, entity: error.entity)]
        }
    }

    /// Returns the findings that make a store unsound: issues of the file, not of its content.
    static func grave(_ findings: [StoreIssue]) -> [StoreIssue] {
        findings.filter { $0.severity == .error && !$0.isRuleOfModel }
    }

    /// Returns the grave findings that a store did not have before: an issue that already existed is no reason to
    /// retain an old model.
    static func grave(_ findings: [StoreIssue], beyond before: [StoreIssue]) -> [StoreIssue] {
        let known = Dictionary(grouping: before.filter { $0.severity == .error }, by: \.kind).mapValues(\.count)
        let new = Dictionary(grouping: findings, by: \.kind).filter { $1.count > known[$0] ?? 0 }
        return new.values.flatMap { $0 }
    }

    /// Returns the kind of issue that an error on opening a store indicates; nil if the error is not about the store's
    /// content.
    package static func kind(of error: CoreDataError) -> StoreIssue.Kind? {
        switch error.errorCode {
        case NSPersistentStoreIncompatibleVersionHashError: .model
        case NSPersistentStoreIncompatibleSchemaError: .schema
        case NSPersistentStoreTypeMismatchError: .metadata
        case CocoaError.Code.fileReadCorruptFile.rawValue: .integrity
        default: nil
        }
    }

    private static func check(
        _ files: StoreFiles, model: CompiledModel, progress: ((Int, Int) throws -> Void)? = nil
    ) throws -> [StoreIssue] {
        var options = StoreOptions()
        options.isReadOnly = true
        options.disk = files.disk
        let (metadata, open) = try SQLiteStore.openForReading(files, model: model, options: options)
        let connection = try open.pool.takeReader()
        defer { open.pool.giveBack(connection) }
        return try CoreDataError.translating(while: "check", path: open.path) {
            try findings(
                connection, metadata: metadata, model: model, layout: open.layout, files: files, progress: progress)
        }
    }

    /// Returns all findings of an open file.
    ///
    /// - Parameter files: The store's files, which determine the location of its external data, even if the database is
    ///   read from another location.
    static func findings(
        _ connection: StoreConnection, metadata: StoreMetadata, model: CompiledModel, layout: StoreLayout,
        files: StoreFiles, progress: ((Int, Int) throws -> Void)? = nil
    ) throws -> [StoreIssue] {
        let check = StoreCheck(connection: connection, model: model, layout: layout, files: files)
        try check.run(metadata, progress: progress)
        let mirroring = try MirroringCheck(
            connection: connection, model: model, layout: layout, identifier: metadata.identifier)
        return check.issues + (try HistoryCheck(connection: connection, model: model).issues())
            + (try mirroring?.issues() ?? [])
    }
}
