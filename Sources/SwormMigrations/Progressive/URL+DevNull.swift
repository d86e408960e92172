public import Foundation

extension URL {
    /// The place of an SQLite store that is only kept in memory.
    public static var devNull: URL { URL(fileURLWithPath: "/dev/null") }
}
