import Foundation

/// A reader of the history token that the mirroring has archived.
enum ArchivedHistoryToken {
    /// The size that an archive can have. That of one store has a few hundred bytes.
    private static let largest = 16_384
    /// The number of dictionaries that an archive can have. A token has one; an archive that repeats a long one would be
    /// read for a long time.
    private static let most = 64

    /// Returns the number of the transaction that a token contains for a store.
    ///
    /// - Parameters:
    ///   - archive: A keyed archive with a dictionary of numbers, by the identifiers of stores.
    ///   - identifier: The identifier of the store.
    /// - Returns: Nil if the archive cannot be read, is much larger than that of a token, or does not contain exactly one
    ///   number for the store.
    static func transaction(in archive: Data, store identifier: String) -> Int64? {
        guard archive.count <= largest, let content = try? KeyedArchive(archive) else { return nil }
        let dictionaries = content.dictionaries
        guard dictionaries.count <= most else { return nil }
        var numbers: Set<Int64> = []
        for dictionary in dictionaries {
            for (key, value) in content.pairs(.object(dictionary)) {
                guard case .int(let number) = value, let key = content.string(key),
                    key.utf8.count == identifier.utf8.count,
                    key.caseInsensitiveCompare(identifier) == .orderedSame
                else { continue }
                numbers.insert(number)
            }
        }
        guard let number = numbers.first, numbers.count == 1, number >= 0 else { return nil }
        return number
    }
}
