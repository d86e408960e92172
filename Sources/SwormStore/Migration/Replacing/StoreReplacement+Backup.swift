import Foundation
import SwormSQLite

extension StoreReplacement {
    /// Takes a copy of the state that a connection reads, with the files of external data that it names.
    ///
    /// - Parameters:
    ///   - connection: Reads a snapshot.
    ///   - external: The files of the store that it belongs to.
    ///   - model: The model of that store.
    ///   - layout: The tables of that store.
    ///   - check: Called again and again. What it throws ends the copying.
    func take(
        _ connection: StoreConnection, externalData external: ExternalDataFolder, model: CompiledModel,
        layout: StoreLayout, check: @escaping () throws -> Void
    ) throws {
        let names = try connection.externalFiles(model, layout)
        // Its own file may be too young to be known as a store beside the target.
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
            // A value may name a file that is missing, as the store itself does.
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

    /// Checks what was made.
    ///
    /// - Parameter tell: Called again and again. What it throws ends the check.
    /// - Throws: ``CoreDataError`` with what is wrong with it.
    func verify(_ model: CompiledModel, tell: @escaping () throws -> Void) throws {
        guard let current else { return }
        let findings = try StoreVerification.findings(of: current.url, model: model, disk: options.disk) { _, _ in
            try tell()
        }
        let faults = StoreVerification.grave(findings)
        guard faults.isEmpty else {
            throw CoreDataError(
                CocoaError.Code.fileReadCorruptFile.rawValue,
                "The copy of the store is damaged, and was not kept: \(faults.prefix(3).map(\.message).joined(separator: "; ")). Check the store itself."
            )
        }
    }
}
