import Foundation

/// The words after the name of a command: numbers and names, and the seed.
struct Arguments {
    private(set) var words: [String] = []
    private(set) var seed = UInt64.random(in: 0..<1_000_000)

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        while let word = words.next() {
            guard word == "--seed" else {
                self.words.append(word)
                continue
            }
            guard let number = words.next().flatMap({ UInt64($0) }) else { throw Failure("--seed NUMBER") }
            seed = number
        }
    }

    /// A positive number among the words; the default if there are not so many words.
    func number(_ index: Int, or standard: Double) throws -> Double {
        guard words.indices.contains(index) else { return standard }
        guard let number = Double(words[index]), number > 0 else {
            throw Failure("\(words[index]) is no positive number")
        }
        return number
    }

    func count(or standard: Int) throws -> Int { max(1, Int(try number(0, or: Double(standard)))) }
}
