/// An option of a command. It is used both to generate the help and to parse the arguments.
struct OptionSpec: Sendable {
    var name: String
    var short: Character?
    /// The placeholder for the value in the help, or nil for a flag.
    var value: String?
    var summary: String
    /// The only values that are accepted; if empty, all values are accepted.
    var choices: [String]

    init(
        _ name: String, short: Character? = nil, value: String? = nil, choices: [String] = [], summary: String
    ) {
        self.name = name
        self.short = short
        self.value = value
        self.summary = summary
        self.choices = choices
    }
}

/// An argument that is identified by its position.
struct OperandSpec: Sendable {
    var name: String
    var summary: String
    /// Whether the argument may be omitted, which only the last ones can be.
    var isOptional: Bool

    init(_ name: String, summary: String, isOptional: Bool = false) {
        self.name = name
        self.summary = summary
        self.isOptional = isOptional
    }

    /// The name in the usage of the command.
    var usage: String { isOptional ? "[\(name)]" : name }
}

/// The name of a command, its operands and its options.
struct CommandSpec: Sendable {
    var name: String
    var summary: String
    /// The paragraphs of the help.
    var discussion: [String]
    var operands: [OperandSpec]
    var options: [OptionSpec]
    var examples: [String]

    init(
        _ name: String, summary: String, discussion: [String] = [], operands: [OperandSpec],
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
    var allOptions: [OptionSpec] { options + [OptionSpec("help", short: "h", summary: "Show this help.")] }
}

/// A command of the tool.
struct Command: Sendable {
    var spec: CommandSpec
    var run: @Sendable (Arguments, Console) throws -> ExitCode

    init(_ spec: CommandSpec, run: @escaping @Sendable (Arguments, Console) throws -> ExitCode) {
        self.spec = spec
        self.run = run
    }
}
