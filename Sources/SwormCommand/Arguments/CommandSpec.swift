/// An option of a command. It is used both to generate the help and to parse the arguments.
package struct OptionSpec: Sendable {
    package var name: String
    package var short: Character?
    /// The placeholder for the value in the help, or nil for a flag.
    package var value: String?
    package var summary: String
    /// The only values that are accepted; if empty, all values are accepted.
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

/// An argument that is identified by its position.
package struct OperandSpec: Sendable {
    package var name: String
    package var summary: String

    package init(_ name: String, _ summary: String) {
        self.name = name
        self.summary = summary
    }
}

/// The name of a command, its operands and its options.
package struct CommandSpec: Sendable {
    package var name: String
    package var summary: String
    /// The paragraphs of the help.
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

    /// The options, including the help option that every command has.
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
