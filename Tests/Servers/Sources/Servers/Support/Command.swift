import Foundation

/// A command that a person starts.
struct Command: Sendable {
    let name: String
    /// The count of the short form.
    let short: String
    let run: @Sendable (Arguments) throws -> Bool

    static let all: [Command] = [
        Command(name: "bank", short: "1500", run: bank),
        Command(name: "losses", short: "60", run: losses),
        Command(name: "rules", short: "1200", run: rules),
        Command(name: "feed", short: "8000", run: feed),
        Command(name: "versions", short: "0.04", run: versions),
    ]

    static let usage =
        "use: bank TRANSFERS, losses INTERRUPTIONS, rules STEPS, feed CHANGES, versions MINUTES, or short; each with --seed NUMBER"

    /// Runs the command of a line, and returns whether nothing happened that must not happen.
    static func run(_ words: [String]) throws -> Bool {
        let rest = Array(words.dropFirst())
        switch words.first {
        case "worker" where rest.count >= 2:
            Worker.followParent()
            try runWorker(rest[0], output: URL(filePath: rest[1]), Array(rest.dropFirst(2)))
            return true
        case "short":
            let seed = try Arguments(rest).seed
            return try all.map { try $0.run(Arguments([$0.short, "--seed", "\(seed)"])) }.allSatisfy { $0 }
        case let name?:
            guard let command = all.first(where: { $0.name == name }) else { throw Failure(usage) }
            return try command.run(Arguments(rest))
        case nil: throw Failure(usage)
        }
    }

    private static func runWorker(_ name: String, output: URL, _ words: [String]) throws {
        switch name {
        case "bank": try BankWorker(words).run().write(to: output)
        case "losses": try LossWorker(words).run().write(to: output)
        case "rules": try RuleWorker(words).run().write(to: output)
        case "feed-writer":
            var writer = try FeedWriter(words)
            try writer.run()
        case "feed-reader": try FeedReader(words, output: output).run()
        case "versions":
            var worker = try VersionWorker(words)
            try worker.run().write(to: output)
        default: throw Failure("there is no worker \(name)")
        }
    }
}

extension Encodable {
    /// Writes the value to a file, which is there completely or not at all.
    func write(to url: URL) throws { try JSONEncoder().encode(self).write(to: url, options: .atomic) }
}
