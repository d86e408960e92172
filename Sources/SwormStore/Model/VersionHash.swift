package import Foundation

/// The hashes by which Core Data identifies versions of entities and models.
package enum VersionHash {
    /// Returns the digest of version hashes by entity name that a store's metadata holds, in Base64.
    package static func digest(of hashes: [String: Data]) -> String {
        let pairs = hashes.sorted { precedes($0.key, $1.key) }
        return Data(SHA2.sha512(pairs.flatMap { Array($0.key.utf8) + Array($0.value) })).base64EncodedString()
    }

    /// Returns the checksum of version hashes by entity name, in Base64.
    package static func checksum(of hashes: [String: Data]) -> String {
        let pairs = hashes.sorted { precedes($0.key, $1.key) }
        return Data(SHA2.sha256(pairs.flatMap { Array($0.value) })).base64EncodedString()
    }

    /// Returns whether one name precedes another in the order in which Core Data hashes and lays out names: by bytes.
    package static func precedes(_ left: String, _ right: String) -> Bool {
        left.utf8.lexicographicallyPrecedes(right.utf8)
    }
}
