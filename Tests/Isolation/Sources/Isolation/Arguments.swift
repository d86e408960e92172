import Foundation

/// The words that the program is started with.
struct Arguments {
    /// The number of transactions of all processes.
    var transactions = 10_000
    var seed = UInt64.random(in: 0..<1_000_000)
    var journal: String?
    /// The number of a process that was started by this program; nil in the one that a person has started.
    var process: Int?
    var store: URL?
    var output: URL?

    static let processes = 3
    static let containers = 2
    static let threads = 4

    init(_ words: some Sequence<String>) throws {
        var words = words.makeIterator()
        func value(of name: String) throws -> String {
            guard let value = words.next() else { throw Failure(description: "\(name) needs a value") }
            return value
        }
        while let word = words.next() {
            switch word {
            case "--journal": journal = try value(of: word)
            case "--seed":
                guard let number = UInt64(try value(of: word)) else { throw Failure(description: "--seed NUMBER") }
                seed = number
            case "--process": process = Int(try value(of: word))
            case "--store": store = URL(fileURLWithPath: try value(of: word))
            case "--output": output = URL(fileURLWithPath: try value(of: word))
            default:
                guard let number = Int(word), number > 0 else {
                    throw Failure(description: "usage: Isolation [TRANSACTIONS] [--journal MODE] [--seed NUMBER]")
                }
                transactions = number
            }
        }
    }

    /// The number of transactions of each thread.
    var transactionsOfSession: Int {
        let sessions = Self.processes * Self.containers * Self.threads
        return (transactions + sessions - 1) / sessions
    }

    /// The words that start one of the processes.
    func words(ofProcess number: Int, store: URL, output: URL) -> [String] {
        var words = ["\(transactions)", "--seed", "\(seed)", "--process", "\(number)"]
        words += ["--store", store.path, "--output", output.path]
        if let journal { words += ["--journal", journal] }
        return words
    }
}

struct Failure: Error, CustomStringConvertible { let description: String }
