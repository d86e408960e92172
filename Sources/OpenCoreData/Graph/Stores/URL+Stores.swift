import Foundation

extension URL {
    /// The URL in messages: the path of a file, or the whole URL of a store that is not a file.
    var shown: String { isFileURL ? path : absoluteString }

    /// Returns whether two URLs are those of the same store.
    func isSameStore(as other: URL) -> Bool {
        guard isFileURL || other.isFileURL else { return absoluteString == other.absoluteString }
        return standardizedFileURL.path == other.standardizedFileURL.path
    }
}
