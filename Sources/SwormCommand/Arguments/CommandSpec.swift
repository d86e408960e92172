/// An option that a command takes. The help is made from it, and the arguments are read by it.
package struct OptionSpec: Sendable {
    package var name: String
    package var short: Character?
    /// What stands for the value in the help; nil for a flag.
    package var value: String?
    package var summary: String
    /// The only values that are taken; none for any.
    package var choices: [String]

    package init(
        _ name: String, short: Character? = nil, value: String? = nil, choices: [String] = [], _ summary: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.summary = summary
        self.choices = choices
    }
}

/// An argument that is known by its place.
package struct OperandSpec: Sendable {
    package var name: String
    package var summary: String

    package init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }
}

/// What a command is called and what it takes.
package struct CommandSpec: Sendable {
    package var name: String
    package var summary: String
    /// Paragraphs for the help.
    package var discussion: [String]
    package var operands: [OperandSpec]
    package var options: [OptionSpec]
    package var examples: [String]

    package init(
        _ name: String, _ summary: String, discussion: [String] = [], operands: [OperandSpec],
        options: [OptionSpec] = [], examples: [String] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.operands = operands
        self.options = options
        self.examples = examples
    }

    /// The options with the one that every command has.
    package var allOptions: [OptionSpec] { options + [OptionSpec("help", short: "h", "Show this help.")] }
}

/// A command of the tool.
package struct Command: Sendable {
    package var spec: CommandSpec
    package var run: @Sendable (Arguments, Console) throws -> ExitCode

    package init(_ spec: CommandSpec, run: @escaping @Sendable (Arguments, Console) throws -> ExitCode) {
        self.spec = spec
        self.run = run
    }
}
