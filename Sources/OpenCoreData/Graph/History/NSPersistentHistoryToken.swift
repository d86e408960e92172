public import Foundation

/// A place in the histories of some stores: behind the transactions that were read.
///
/// A token is a plain immutable value in an object's clothes and may be used from any thread. To keep it until the next
/// launch, archive it:
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
/// let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
/// ```
///
/// Such data is read by this framework only; a token that Apple's framework has archived is not understood here. On Linux
/// Foundation's unarchiver stops the program when its data is damaged, so a token is `Codable` here, too: decoding one
/// throws.
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The number of the last transaction, by the uppercase identifier of its store.
    package let transactions: [String: Int64]

    private static let key = "transactions"

    package init(_ transactions: [String: Int64]) {
        self.transactions = Dictionary(transactions.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: max)
        super.init()
    }

    /// The number of the last transaction in a store; nil for a store that the token does not name.
    package func transaction(inStore identifier: String) -> Int64? { transactions[identifier.uppercased()] }

    // MARK: Archives

    /// Tokens are archived securely.
    public static var supportsSecureCoding: Bool { true }

    /// Reads a token from an archive; nil when the archive holds none.
    ///
    /// - Parameter coder: The archive.
    public init?(coder: NSCoder) {
        // One blob, checked here: a dictionary in the archive would let the archive choose classes.
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.key),
            let transactions = try? JSONDecoder().decode([String: Int64].self, from: Data(referencing: data)),
            Self.isValid(transactions)
        else { return nil }
        self.transactions = Dictionary(transactions.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: max)
        super.init()
    }

    /// Writes the token into an archive.
    ///
    /// - Parameter coder: The archive.
    public func encode(with coder: NSCoder) {
        // A dictionary of texts and numbers has always a form in JSON.
        guard let data = try? JSONEncoder().encode(transactions) else { return }
        coder.encode(NSData(data: data), forKey: Self.key)
    }

    private static func isValid(_ transactions: [String: Int64]) -> Bool {
        transactions.allSatisfy { !$0.key.isEmpty && $0.value >= 0 }
    }

    // MARK: As a value

    /// Returns the token itself: it never changes.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Whether another token is the same place in the same stores.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.transactions == transactions
    }

    /// A hash of the place.
    public override var hash: Int { transactions.hashValue }

    /// The stores with the numbers of their last transactions.
    public override var description: String {
        let places = transactions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "<NSPersistentHistoryToken \(places.joined(separator: ", "))>"
    }
}

extension NSPersistentHistoryToken: Codable {
    /// Decodes a token.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: What the decoder throws, and an error for numbers that no transaction has.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let transactions = try container.decode([String: Int64].self)
        guard Self.isValid(transactions) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "A history token names stores with the numbers of transactions.")
        }
        self.init(transactions)
    }

    /// Encodes the token.
    ///
    /// - Parameter encoder: The encoder.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(transactions)
    }
}
