/// A statement of the schema of a damaged store. It is parsed but never run, because it may contain anything.
enum SchemaStatement {
    /// Returns the names of the columns that a statement defines for a table, or nil if the statement does not create a
    /// table with a list of columns, or creates one without row numbers.
    static func columns(of sql: String) -> [String]? {
        var tokens = tokens(of: sql)[...]
        guard tokens.popFirst()?.isWord("CREATE") == true, tokens.popFirst()?.isWord("TABLE") == true,
            tokens.popFirst()?.isName == true, tokens.popFirst() == .mark("(")
        else { return nil }
        var names: [String] = []
        var depth = 1
        var isFirst = true
        while let token = tokens.popFirst() {
            switch token {
            case .mark("("): depth += 1
            case .mark(")"):
                depth -= 1
                if depth == 0 { return tokens.contains { $0.isWord("WITHOUT") } ? nil : names }
            case .mark(",") where depth == 1:
                isFirst = true
                continue
            case .word(let name) where isFirst && depth == 1:
                // A table constraint ends the list of columns.
                if !["CONSTRAINT", "PRIMARY", "UNIQUE", "CHECK", "FOREIGN"].contains(name.uppercased()) {
                    names.append(name)
                }
            case .quoted(let name) where isFirst && depth == 1: names.append(name)
            default: break
            }
            isFirst = false
        }
        return nil
    }

    private enum Token: Equatable {
        case word(String)
        case quoted(String)
        case mark(Character)

        var isName: Bool { if case .mark = self { false } else { true } }

        func isWord(_ word: String) -> Bool {
            if case .word(let own) = self { own.uppercased() == word } else { false }
        }
    }

    private static func tokens(of sql: String) -> [Token] {
        var tokens: [Token] = []
        var rest = sql[...]
        while let character = rest.first {
            if character.isWhitespace {
                rest.removeFirst()
            } else if let end = ["\"": "\"", "'": "'", "`": "`", "[": "]"][character] as Character? {
                rest.removeFirst()
                var name = ""
                while let next = rest.popFirst() {
                    // A doubled quotation mark is a part of the name.
                    if next == end {
                        guard rest.first == end, end != "]" else { break }
                        rest.removeFirst()
                    }
                    name.append(next)
                }
                tokens.append(.quoted(name))
            } else if character.isLetter || character.isNumber || character == "_" || character == "$" {
                let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
                tokens.append(.word(String(word)))
                rest = rest.dropFirst(word.count)
            } else {
                tokens.append(.mark(character))
                rest.removeFirst()
            }
        }
        return tokens
    }
}
