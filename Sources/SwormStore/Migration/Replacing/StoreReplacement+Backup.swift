import Foundation
import SwormSQLite

extension StoreReplacement {
    /// Copies the state that a connection reads, with the files of external data that it references.
    ///
    /// - Parameters:
    ///   - connection: A connection that reads a snapshot.
    ///   - external: The external data folder of the store that the connection reads.
    ///   - model: The model of that store.
    ///   - layout: The tables of that store.
    ///   - check: A closure that is called repeatedly. An error that it throws ends the copying.
    func take(
        _ connection: StoreConnection, externalData external: ExternalDataFolder, model: CompiledModel,
        layout: StoreLayout, check: @escaping () throws -> Void
    ) throws {
        let names = try connection.externalFiles(model, layout: layout)
        // The store's own file may be too new to be recognized as a store beside the target.
        if !names.isEmpty, let folder = external.path.flatMap(FileIdentity.init),
            folder == FileIdentity(path: files.externalData)
        {
            throw Self.sharedFolder(files)
        }
        let next = place()
        try requireRoom(try connection.size())
        try connection.copy(to: next) { _, _ in try check() }
        let target = ExternalDataFolder(path: next.externalData)
        for (index, name) in names.enumerated() {
            try check()
            // A value may name a missing file, as it may in the store itself.
            guard let from = external.file(name), let to = target.file(name), FileKind(itself: from) == .file else {
                continue
            }
            if index == 0 || FileKind(path: next.externalData) == nil {
                try files.calls.makeFolders(next.externalData)
            }
            try files.calls.copyFile(from, to: to)
            try files.calls.synchronize(to)
        }
        advance(to: next)
    }

    /// Calls a closure with a connection to the store that was made.
    func change(_ body: (StoreConnection) throws -> Void) throws {
        guard let current else { return }
        try CoreDataError.translating(while: "copy", path: current.main) { try body(try connection(to: current)) }
    }

    /// Verifies the store that was made.
    ///
    /// - Parameter checkCancellation: A closure that is called repeatedly. An error that it throws ends the check.
    /// - Throws: ``CoreDataError`` that lists the issues found.
    func verify(_ model: CompiledModel, checkCancellation: @escaping () throws -> Void) throws {
        guard let current else { return }
        let findings = try StoreVerification.findings(of: current.url, model: model, disk: options.disk) { _, _ in
            try checkCancellation()
        }
        let issues = StoreVerification.grave(findings)
        guard issues.isEmpty else {
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "The copy of the store is damaged and was discarded: \(issues.prefix(3).map(\.message).joined(separator: "; ")). Check the store itself."
            )
        }
    }
}
