/// A column that other programs have added to a table of the model.
struct UnmanagedColumn: Sendable, Hashable {
    var name: String
    /// The declared type; empty for none.
    var type: String
    /// The definition of the column in the table's statement, including its name; nil if it cannot be determined.
    var definition: String?
    /// Whether SQLite computes its values.
    var isGenerated: Bool
    /// The number of rows that have a value in the column.
    var values: Int64

    /// The name and the type of the column. SQLite accepts any text as a type, and reports it without its quotes.
    var plain: String {
        SQLName.alwaysQuoted(name) + (type.isEmpty ? "" : " " + SQLName.alwaysQuoted(type))
    }
}

/// A reference that a third party has declared, from any table to one that may belong to the model.
struct ForeignKey: Sendable, Hashable {
    var table: String
    var column: String
    /// The table that the reference points to, as spelled in the declaration.
    var target: String
    /// Whether the reference holds keys of objects.
    var leadsToKeys: Bool
}

/// The column definitions in the SQL of a `CREATE TABLE` statement.
struct ColumnDefinitions {
    private var texts: [String: String] = [:]

    init(_ sql: String) {
        for item in Self.items(of: sql) {
            guard let name = Self.name(of: item) else { continue }
            texts[name.lowercased()] = item
        }
    }

    /// Returns the definition of a column; nil if it is not found.
    subscript(name: String) -> String? { texts[name.lowercased()] }

    /// Returns the parts between the outermost parentheses, without comments, because these would hide any text that is
    /// appended to them.
    private static func items(of sql: String) -> [String] {
        var items: [String] = []
        var current = String.UnicodeScalarView()
        var depth = 0
        var rest = Array(sql.unicodeScalars)[...]
        func starts(_ one: Unicode.Scalar, _ two: Unicode.Scalar) -> Bool {
            rest.first == one && rest.dropFirst().first == two
        }
        while let next = rest.first {
            if starts("-", "-") {
                rest = rest.drop { $0 != "\n" }
                current.append(" ")
            } else if starts("/", "*") {
                rest = rest.dropFirst(2)
                while !rest.isEmpty, !starts("*", "/") { rest = rest.dropFirst() }
                rest = rest.dropFirst(2)
                current.append(" ")
            } else if let end = closing(next) {
                // A doubled quote ends one quoted string here and starts the next, which has the same result.
                let text = rest.dropFirst().prefix { $0 != end }
                current.append(next)
                current.append(contentsOf: text)
                current.append(end)
                rest = rest.dropFirst(text.count + 2)
            } else {
                rest = rest.dropFirst()
                if next == "(" { depth += 1 }
                if next == ")" { depth -= 1 }
                let ends = (next == ")" && depth == 0) || (next == "," && depth == 1)
                if ends { items.append(trimmed(current)) }
                if next == ")", depth == 0 { return items }
                if ends || (next == "(" && depth == 1) { current = .init() } else { current.append(next) }
            }
        }
        return []
    }

    private static func closing(_ quote: Unicode.Scalar) -> Unicode.Scalar? {
        switch quote {
        case "'", "\"", "`": quote
        case "[": "]"
        default: nil
        }
    }

    private static func trimmed(_ text: String.UnicodeScalarView) -> String {
        let start = text.drop { $0.properties.isWhitespace }
        return String(String.UnicodeScalarView(start.reversed().drop { $0.properties.isWhitespace }.reversed()))
    }

    /// Returns the name of a column; nil for a table constraint.
    private static func name(of item: String) -> String? {
        let scalars = Array(item.unicodeScalars)
        guard let first = scalars.first else { return nil }
        var name = String.UnicodeScalarView()
        if let end = closing(first) {
            var index = 1
            while index < scalars.count {
                if scalars[index] == end {
                    guard end != "]", index + 1 < scalars.count, scalars[index + 1] == end else { break }
                    index += 1
                }
                name.append(scalars[index])
                index += 1
            }
            return String(name)
        }
        for scalar in scalars.prefix(while: { !$0.properties.isWhitespace && $0 != "(" }) { name.append(scalar) }
        let word = String(name)
        return ["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains(word.uppercased()) ? nil : word
    }
}
