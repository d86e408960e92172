import Foundation
import SwormSQLite

extension StoreReplacement {
    /// Copies the state that a connection reads, with the files of external data that it references.
    ///
    /// The form in which a mirroring to CloudKit names its files is not established, so the copy of a mirrored store has
    /// all files.
    ///
    /// - Parameters:
    ///   - connection: A connection that reads a snapshot.
    ///   - external: The external data folder of the store that the connection reads.
    ///   - check: A closure that is called repeatedly. An error that it throws ends the copying.
    /// - Returns: Whether the store is mirrored to CloudKit.
    func take(
        _ connection: StoreConnection, externalData external: ExternalDataFolder, check: @escaping () throws -> Void
    ) throws -> Bool {
        let isMirrored = try MirroringTables.first(on: connection) != nil
        let named = try connection.namedExternalFiles()
        let names = named.union(isMirrored ? Self.names(in: external.path ?? "") : [])
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
            do {
                try files.calls.copyFile(from, to: to)
            } catch {
                // Another process may remove a file that no row names.
                guard !named.contains(name), FileKind(itself: from) == nil else { throw error }
                files.calls.removeIfPresent(to)
                continue
            }
            try files.calls.synchronize(to)
        }
        advance(to: next)
        return isMirrored
    }

    /// Calls a closure with a connection to the store that was made.
    func change(_ body: (StoreConnection) throws -> Void) throws {
        guard let current else { return }
        try CoreDataError.translating(while: "copy", path: current.main) { try body(try connection(to: current)) }
    }

    /// Verifies the store that was made, which is a copy of another one.
    ///
    /// - Parameters:
    ///   - known: Returns the findings of the original. It is called only if the copy has issues.
    ///   - checkCancellation: A closure that is called repeatedly. An error that it throws ends the check.
    /// - Returns: The issues that the original has as well.
    /// - Throws: ``CoreDataError`` that lists the issues of the copy that the original does not have, or those of a file
    ///   that SQLite reports as damaged, which must not replace an earlier backup.
    func verify(
        _ model: CompiledModel, known: () throws -> [StoreIssue], checkCancellation: @escaping () throws -> Void
    ) throws -> [StoreIssue] {
        guard let current else { return [] }
        let findings = try StoreVerification.findings(of: current.url, model: model, disk: options.disk) { _, _ in
            try checkCancellation()
        }
        let issues = StoreVerification.grave(findings)
        guard !issues.isEmpty else { return [] }
        let damage = issues.filter { $0.kind == .integrity }
        let new = damage.isEmpty ? StoreVerification.grave(issues, beyond: try known()) : damage
        guard new.isEmpty else {
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "The copy of the store is damaged and was discarded: \(new.prefix(3).map(\.message).joined(separator: "; ")). Check the store itself."
            )
        }
        return issues
    }
}
