public import Foundation

extension URL {
    /// The location of an SQLite store that exists only in memory.
    public static var devNull: URL { URL(fileURLWithPath: "/dev/null") }
}
