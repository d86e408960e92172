#if PostgreSQL
extension SQLName {
    /// Returns the body of a function as a string constant of the server, whatever the body contains.
    static func dollarQuoted(_ body: String) -> String {
        var tag = "$sworm$"
        var number = 0
        // The server compares bytes, and also finds a tag that begins in the body and ends in the closing tag.
        while (body + tag.dropLast()).utf8.contains(tag.utf8) {
            number += 1
            tag = "$sworm\(number)$"
        }
        return tag + body + tag
    }
}
#endif
