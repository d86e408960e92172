import Foundation

/// A position in the history of a store, after the transactions that a consumer has handled.
///
/// Keep it with the results of the consumer's work, and continue with ``PersistentContainer/changes(since:of:excludingAuthor:)``
/// at the next launch:
///
/// ```swift
/// let data = try JSONEncoder().encode(changes.token)
/// let token = try JSONDecoder().decode(ChangeToken.self, from: data)
/// ```
/// Decoding damaged data throws an error. A token is valid until the transactions after it are purged.
public struct ChangeToken: Sendable, Hashable, Codable {
    /// The identifier of the store: an uppercase UUID string.
    public let store: String
    /// The number of the last transaction before the position; 0 for the beginning of the history.
    public let number: Int64
    /// Core Data's own form of the position, which it cannot create from a number.
    let archive: Data?

    init(store: String, number: Int64, archive: Data? = nil) {
        self.store = store
        self.number = number
        self.archive = archive
    }

    /// Decodes a token.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors, and an error for values that no token has.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        store = try values.decode(String.self, forKey: .store)
        number = try values.decode(Int64.self, forKey: .number)
        archive = try values.decodeIfPresent(Data.self, forKey: .archive)
        guard number >= 0, !store.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .number, in: values,
                debugDescription: "A token needs the identifier of a store and a number that is not negative.")
        }
    }

    private enum CodingKeys: String, CodingKey { case store, number, archive }

    /// Returns whether two tokens are the same position in the same store.
    public static func == (one: ChangeToken, other: ChangeToken) -> Bool {
        one.number == other.number && one.store == other.store
    }

    /// Hashes the position.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(number)
        hasher.combine(store)
    }
}

extension ChangeToken: Comparable {
    /// Returns whether a position is before another one in the same store. Positions in different stores are ordered by
    /// the identifiers of the stores.
    public static func < (one: ChangeToken, other: ChangeToken) -> Bool {
        (one.store, one.number) < (other.store, other.number)
    }
}
