/// The names and numbers that a store on a server has once given to the parts of its model.
///
/// The store keeps them in its metadata, so that they do not change with the order of entities and properties when the
/// model changes.
package struct PostgresNames: Sendable, Hashable, Codable {
    /// The numbers in the columns `_entity`, by entity name.
    package var numbers: [String: Int] = [:]
    /// The tables, by the name of the root entity; the join tables, by `Entity.relationship`.
    package var tables: [String: String] = [:]
    /// The columns, by `Entity.property`, or `Entity.` and the name of another column.
    package var columns: [String: String] = [:]

    package init() {}

    /// The longest name in bytes. A server cuts longer names, and two of them can become one.
    private static let longest = 63

    /// Returns a name that is not cut: a longer one becomes its beginning and a hash of the whole name.
    package static func shortened(_ name: String) -> String {
        guard name.utf8.count > longest else { return name }
        let digits = Array("0123456789abcdef".utf8)
        let hash = SHA2.sha256(Array(name.utf8)).prefix(4).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
        var start = String.UnicodeScalarView()
        var count = 0
        for scalar in name.unicodeScalars {
            count += UTF8.width(scalar)
            if count > longest - hash.count - 1 { break }
            start.append(scalar)
        }
        return String(start) + "_" + String(decoding: hash, as: UTF8.self)
    }
}
