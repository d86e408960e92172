import Foundation
import OpenCoreData
import SwormStore

/// The values of external data whose files are missing. They are skipped and counted.
final class MissingFiles {
    private var count = 0
    private var first: UUID?

    /// Reads external data.
    ///
    /// - Returns: The content, or the name of the file that is missing.
    func content(
        of column: UnsafeRawBufferPointer, _ session: any StoreSession
    ) throws -> Result<Data, MissingFile> {
        do {
            return .success(try session.externalData(column))
        } catch let error where error.asCoreData?.isOfMissingFile ?? false {
            guard let name = ExternalDataFolder.reference(in: column) else { throw error }
            count += 1
            first = first ?? name
            return .failure(MissingFile(name: name))
        }
    }

    /// Returns the phrase for a number of values whose files are missing.
    static func words(_ count: Int) -> String {
        count == 1
            ? "a value refers to an external data file that is"
            : "\(count) values refer to external data files that are"
    }

    /// Warns about the missing files.
    func report(_ console: Console, of store: String) {
        guard let first else { return }
        console.warn(
            "\(Self.words(count)) missing in '\(store)': \(first.uuidString)\(count == 1 ? "" : " and more"). Copy a store together with its hidden support folder."
        )
    }
}

/// An error that names a missing file of external data.
struct MissingFile: Error {
    var name: UUID
}
