import Foundation

/// A reader of the history token that the mirroring has archived.
enum ArchivedHistoryToken {
    /// Returns the number of the transaction that a token contains for a store.
    ///
    /// - Parameters:
    ///   - archive: A keyed archive with a dictionary of numbers, by the identifiers of stores.
    ///   - identifier: The identifier of the store.
    /// - Returns: Nil if the archive cannot be read, or does not contain exactly one number for the store.
    static func transaction(in archive: Data, store identifier: String) -> Int64? {
        guard let archive = try? KeyedArchive(archive) else { return nil }
        var numbers: Set<Int64> = []
        for dictionary in archive.dictionaries {
            for (key, value) in archive.pairs(.object(dictionary)) {
                guard case .int(let number) = value, let key = archive.string(key),
                    key.caseInsensitiveCompare(identifier) == .orderedSame
                else { continue }
                numbers.insert(number)
            }
        }
        guard let number = numbers.first, numbers.count == 1, number >= 0 else { return nil }
        return number
    }
}
