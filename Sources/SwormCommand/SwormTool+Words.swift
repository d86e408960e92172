extension SwormTool {
    /// Runs the tool with the arguments after its name, as the system passes them.
    ///
    /// An argument that is not UTF-8 is rejected. Conversion to a string would repair it, and a repaired path
    /// identifies another file.
    package static func run(bytes words: [[UInt8]], console: Console) -> ExitCode {
        var texts: [String] = []
        for word in words {
            let text = String(decoding: word, as: UTF8.self)
            guard text.utf8.elementsEqual(word) else {
                console.report(
                    "the argument '\(escaped(word))' is not UTF-8, as all arguments and paths must be",
                    hint: "rename the file, or use a symbolic link with a UTF-8 name: ln -s")
                return .usage
            }
            texts.append(text)
        }
        return run(texts, console: console)
    }

    /// Returns an argument in which every byte that is not a printable ASCII character is escaped as `\xFF`.
    private static func escaped(_ word: [UInt8]) -> String {
        word.map { byte in
            guard (0x20..<0x7F).contains(byte), byte != UInt8(ascii: "\\") else {
                let digits = String(byte, radix: 16, uppercase: true)
                return "\\x" + (digits.count < 2 ? "0" : "") + digits
            }
            return String(UnicodeScalar(byte))
        }.joined()
    }
}
