/// The words after the name of the program: a command, and options with values.
struct Arguments {
    let command: String
    private var values: [String: String] = [:]

    static let help = """
        Soak run [--minutes 10] [--clients 200] [--readers 5] [--rows 30000] [--warm-up 20] [--seed N]
            [--plant threads|snapshot|uncancelled|memory|descriptors|lost]
        Soak compare [--runs 5] [--seconds 15] [--clients 20] [--writes 20] [--rows 100000]
            [--work mixed|read|write] [--plant slow]
        Soak suspend [--stops 10000] [--seed N] [--plant awake]
        Soak external [--rounds 3] [--plant removed|orphan]

        Each prints what it measured and what is wanted, and ends with 0 or 1. A planted issue has to be found.
        """

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        command = words.next() ?? "help"
        while let name = words.next() {
            guard name.hasPrefix("--"), let value = words.next() else {
                throw Failure("\(name) is no option with a value")
            }
            values[String(name.dropFirst(2))] = value
        }
    }

    /// The option of that name, or else the usual number.
    func number(_ name: String, or usual: Int) throws -> Int {
        guard let text = values[name] else { return usual }
        guard let number = Int(text), number >= 0 else { throw Failure("--\(name) \(text) is no number") }
        return number
    }

    func decimal(_ name: String, or usual: Double) throws -> Double {
        guard let text = values[name] else { return usual }
        guard let number = Double(text), number > 0, number < 1e6 else {
            throw Failure("--\(name) \(text) is no number")
        }
        return number
    }

    func text(_ name: String) -> String? { values[name] }

    func requiredText(_ name: String) throws -> String {
        guard let text = values[name] else { throw Failure("--\(name) is missing") }
        return text
    }

    /// Throws where there is an option of another name.
    func allow(_ names: String...) throws {
        for name in values.keys.sorted() where !names.contains(name) {
            throw Failure("\(command) has no option --\(name)")
        }
    }

    /// The issue that is planted, one of those given.
    func plant(_ names: String...) throws -> String? {
        guard let name = values["plant"] else { return nil }
        guard names.contains(name) else { throw Failure("\(command) has no fault \(name) to plant") }
        return name
    }

    func seed() throws -> UInt64 {
        UInt64(try number("seed", or: Int.random(in: 0..<1_000_000_000)))
    }
}

struct Failure: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
