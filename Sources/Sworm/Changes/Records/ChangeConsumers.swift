import Foundation

/// The positions of the named consumers of a store's history, in the form in which the metadata of the store keep them:
/// for each name a dictionary with the number, and with Core Data's form of the position if that is known.
struct ChangeConsumers {
    /// The key of the metadata.
    static let key = "SwormChangeConsumers"

    private(set) var positions: [String: ChangeToken] = [:]
    private let store: String

    /// Reads a value of the metadata. Entries that cannot be read are left out.
    init(_ value: Any?, store: String) {
        self.store = store
        for (name, entry) in value as? [String: Any] ?? [:] {
            guard let entry = entry as? [String: Any], let number = (entry["number"] as? NSNumber)?.int64Value,
                number >= 0
            else { continue }
            positions[name] = ChangeToken(store: store, number: number, archive: entry["token"] as? Data)
        }
    }

    /// The value for the metadata; nil without consumers.
    var value: Any? {
        if positions.isEmpty { return nil }
        return positions.mapValues { token -> [String: Any] in
            var entry: [String: Any] = ["number": NSNumber(value: token.number)]
            if let archive = token.archive { entry["token"] = archive }
            return entry
        }
    }

    /// The position before which no consumer needs the history any more.
    var slowest: ChangeToken? { positions.values.min() }

    /// Returns the position of a consumer, which is added at the given position if it is new.
    mutating func position(of name: String, orNew position: ChangeToken) -> ChangeToken {
        if let known = positions[name] { return known }
        positions[name] = position
        return position
    }

    /// Moves the position of a consumer. A position never moves backward.
    mutating func acknowledge(_ token: ChangeToken, by name: String) {
        if let known = positions[name], known > token { return }
        positions[name] = token
    }

    mutating func remove(_ name: String) { positions[name] = nil }
}
