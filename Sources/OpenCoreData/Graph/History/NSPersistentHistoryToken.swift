public import Foundation

/// A position in the histories of some stores, after the last transactions that were read.
///
/// A token is an immutable value and may be used from any thread. To keep it until the next launch, archive it:
///
/// ```swift
/// let data = try NSKeyedArchiver.archivedData(withRootObject: token, requiringSecureCoding: true)
/// let token = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPersistentHistoryToken.self, from: data)
/// ```
///
/// Only this framework reads such data, and it does not read tokens that Apple's framework archived. On Linux,
/// Foundation's unarchiver stops the program if its data is damaged. Therefore a token is also `Codable`: decoding
/// damaged data throws an error.
public final class NSPersistentHistoryToken: NSObject, NSCopying, NSSecureCoding, Sendable {
    /// The numbers of the last transactions, keyed by the uppercase identifiers of their stores.
    let transactions: [String: Int64]

    private static let key = "transactions"

    package init(_ transactions: [String: Int64]) {
        self.transactions = Dictionary(transactions.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: max)
        super.init()
    }

    /// Returns the number of the last transaction in a store; nil for a store that the token does not contain.
    func transaction(inStore identifier: String) -> Int64? { transactions[identifier.uppercased()] }

    // MARK: Archives

    /// Whether tokens support secure coding. Always true.
    public static var supportsSecureCoding: Bool { true }

    /// Creates a token from an archive; nil if the archive contains no token.
    ///
    /// - Parameter coder: The archive.
    public init?(coder: NSCoder) {
        // The token is one data value that is checked here: an archived dictionary would let the archive choose the
        // classes.
        guard let data = coder.decodeObject(of: NSData.self, forKey: Self.key),
            let transactions = try? JSONDecoder().decode([String: Int64].self, from: Data(referencing: data)),
            Self.isValid(transactions)
        else { return nil }
        self.transactions = Dictionary(transactions.map { ($0.key.uppercased(), $0.value) }, uniquingKeysWith: max)
        super.init()
    }

    /// Encodes the token into an archive.
    ///
    /// - Parameter coder: The archive.
    public func encode(with coder: NSCoder) {
        // A dictionary of strings and numbers always has a JSON representation.
        guard let data = try? JSONEncoder().encode(transactions) else { return }
        coder.encode(NSData(data: data), forKey: Self.key)
    }

    private static func isValid(_ transactions: [String: Int64]) -> Bool {
        transactions.allSatisfy { !$0.key.isEmpty && $0.value >= 0 }
    }

    // MARK: As a value

    /// Returns the token itself, because it is immutable.
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// Returns whether another token is the same position in the same stores.
    public override func isEqual(_ object: Any?) -> Bool {
        (object as? NSPersistentHistoryToken)?.transactions == transactions
    }

    /// A hash of the position.
    public override var hash: Int { transactions.hashValue }

    /// A description with the stores and the numbers of their last transactions.
    public override var description: String {
        let places = transactions.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
        return "<NSPersistentHistoryToken \(places.joined(separator: ", "))>"
    }
}

extension NSPersistentHistoryToken: Codable {
    /// Decodes a token.
    ///
    /// - Parameter decoder: The decoder.
    /// - Throws: The decoder's errors, and an error for numbers that no transaction can have.
    public convenience init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        let transactions = try container.decode([String: Int64].self)
        guard Self.isValid(transactions) else {
            throw DecodingError.dataCorruptedError(
                in: container,
                debugDescription: "A history token must be a dictionary of store identifiers and transaction numbers.")
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
