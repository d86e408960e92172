extension KeyedDecodingContainer {
    /// Decodes a value that may be absent, and distinguishes that from null.
    ///
    /// The synthesized `init(from:)` decodes nil in both cases. Use this method in an initializer of your own, for a property
    /// that can be left out of a tree:
    ///
    /// ```swift
    /// init(from decoder: any Decoder) throws {
    ///     let container = try decoder.container(keyedBy: CodingKeys.self)
    ///     isbn = try container.decode(String.self, forKey: .isbn)
    ///     author = try container.decodeGiven(Author.self, forKey: .author)
    /// }
    /// ```
    /// - Parameters:
    ///   - type: The type of the value.
    ///   - key: The key of the value.
    /// - Returns: Nil if there is no such key, and `.some(nil)` if its value is null.
    /// - Throws: `DecodingError` if the value is not of the type.
    public func decodeGiven<Value: Decodable>(_ type: Value.Type, forKey key: Key) throws -> Value?? {
        contains(key) ? .some(try decodeIfPresent(type, forKey: key)) : nil
    }
}
