/// The names in a file: its tables and their columns.
package struct ExistingSchema: Sendable, Hashable {
    /// The columns of each table, by the table's name.
    var tables: [String: [String]]

    package init(tables: [String: [String]]) { self.tables = tables }
}

/// A name that contains an entity's number: `Z_14USERS`, `Z1_BOOK`, `Z1SPEC`, `Z_FOK_2TAGS`.
package struct NumberedName {
    package var prefix: String
    package var number: Int
    package var rest: String

    package init?(_ name: String) {
        for prefix in ["Z_FOK_", "Z_", "Z"] where name.hasPrefix(prefix) {
            let digits = name.dropFirst(prefix.count).prefix { $0.isASCII && $0.isNumber }
            guard let number = Int(digits) else { continue }
            self.prefix = prefix
            self.number = number
            rest = String(name.dropFirst(prefix.count + digits.count))
            return
        }
        return nil
    }

    /// Returns whether the name is derived from a property's name, with or without a number after it.
    func isMade(from upper: String) -> Bool {
        rest.hasPrefix(upper) && rest.dropFirst(upper.count).allSatisfy { $0.isASCII && $0.isNumber }
    }
}
