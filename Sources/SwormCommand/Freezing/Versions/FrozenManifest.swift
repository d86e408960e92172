import Foundation
import SwormStore

/// The list of the files of a frozen version, with their digests. It is written last, so that a version without it is not
/// complete.
struct FrozenManifest: Codable, Equatable {
    /// The name of the version.
    var version: String
    /// The name of the model, from which the Swift names are made.
    var model: String
    /// The name of the model's version in the model file from which it was frozen; nil for a store.
    var source: String?
    /// The SHA-256 digests of the files, by name.
    var files: [String: String]

    init(_ names: FrozenNames, source: String?, files: [String: String]) {
        (version, model, self.source, self.files) = (names.version, names.model, source, files)
    }

    /// - Throws: An error if there is no file, or if it is not a manifest.
    init(contentsOf url: URL) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(contentsOf: url))
    }

    func encoded() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return try encoder.encode(self)
    }

    /// Returns the digest of a file.
    static func digest(of url: URL) throws -> String {
        let digits = SHA2.sha256(Array(try Data(contentsOf: url))).map { byte in
            let text = String(byte, radix: 16)
            return byte < 16 ? "0" + text : text
        }
        return digits.joined()
    }
}
