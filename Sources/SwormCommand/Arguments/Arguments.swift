import Foundation
import SwormPredicates

/// The arguments of one command, parsed according to its option table.
struct Arguments: Sendable {
    private(set) var operands: [String] = []
    private var values: [String: String] = [:]
    private var flags: Set<String> = []

    /// Parses the arguments after the command's name.
    ///
    /// - Throws: ``ToolError`` for an option that the command does not have, a value that is missing or not allowed,
    ///   and too few or too many operands.
    init(_ words: [String], for spec: CommandSpec) throws {
        var rest = words[...]
        var takesOptions = true
        while let word = rest.popFirst() {
            guard takesOptions, word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            if word == "--" {
                takesOptions = false
                continue
            }
            try read(word, rest: &rest, for: spec)
        }
        guard !has("help") else { return }
        let required = spec.operands.filter { !$0.isOptional }
        if operands.count < required.count {
            let missing = required[operands.count...].map(\.name).joined(separator: " and ")
            throw ToolError(.usage, "'\(spec.name)' needs \(missing)", hint: Self.helpHint(spec))
        }
        if operands.count > spec.operands.count {
            throw ToolError(
                .usage,
                "'\(spec.name)' does not take the argument '\(ServerOperand.shown(operands[spec.operands.count]))'",
                hint: "quote arguments that contain spaces, and see 'sworm-tool \(spec.name) --help'")
        }
    }

    private mutating func read(_ word: String, rest: inout ArraySlice<String>, for spec: CommandSpec) throws {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let isLong = word.hasPrefix("--")
        let name = String(parts[0].drop { $0 == "-" })
        let found = spec.allOptions.first { isLong ? $0.name == name : $0.short.map { String($0) == name } ?? false }
        guard let option = found else {
            let shown = isLong ? "--\(name)" : "-\(name)"
            let nearest = nearestName(to: name, in: spec.allOptions.map(\.name))
            throw ToolError(
                .usage, "'\(spec.name)' has no option '\(shown)'",
                hint: nearest.map { "did you mean '--\($0)'?" } ?? Self.helpHint(spec))
        }
        guard let valueName = option.value else {
            guard parts.count == 1 else {
                throw ToolError(.usage, "the option '--\(option.name)' takes no value", hint: Self.helpHint(spec))
            }
            flags.insert(option.name)
            return
        }
        guard let value = parts.count > 1 ? parts[1] : rest.popFirst() else {
            throw ToolError(
                .usage, "the option '--\(option.name)' needs a value", hint: "write --\(option.name) \(valueName)")
        }
        guard option.choices.isEmpty || option.choices.contains(value) else {
            throw ToolError(
                .usage, "'\(value)' is not a valid value of '--\(option.name)'",
                hint: nearestName(to: value, in: option.choices).map { "did you mean '\($0)'?" }
                    ?? "the values are \(option.choices.joined(separator: ", "))")
        }
        guard values.updateValue(value, forKey: option.name) == nil else {
            throw ToolError(
                .usage, "the option '--\(option.name)' is given twice", hint: "give it once")
        }
    }

    private static func helpHint(_ spec: CommandSpec) -> String { "see 'sworm-tool \(spec.name) --help'" }

    /// Returns whether a flag is given.
    func has(_ flag: String) -> Bool { flags.contains(flag) }

    /// Returns the value of an option, or nil if it is not given.
    func value(_ option: String) -> String? { values[option] }

    /// Returns the comma-separated parts of a value, without surrounding blanks. Commas in brackets and quotes do not
    /// separate parts.
    ///
    /// - Throws: ``ToolError`` for an empty part.
    func list(_ option: String) throws -> [String]? {
        guard let text = values[option] else { return nil }
        let parts = Self.parts(text)
        guard !parts.contains("") else {
            throw ToolError(
                .usage,
                text.isEmpty
                    ? "the option '--\(option)' is empty" : "the option '--\(option)' has an empty item: '\(text)'",
                hint: "separate names with commas, or omit --\(option)")
        }
        return parts
    }

    /// Returns the whole number of an option.
    func count(_ option: String) throws -> Int? {
        guard let text = values[option] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw ToolError(.usage, "'\(text)' is not a count", hint: "write a whole number after --\(option)")
        }
        return number
    }

    /// Returns the path of an option or operand as a URL.
    static func url(_ path: String) -> URL {
        URL(fileURLWithPath: (path as NSString).expandingTildeInPath)
    }

    func url(_ option: String) -> URL? { values[option].map(Self.url) }

    static func parts(_ text: String) -> [String] {
        var parts = [""]
        var depth = 0
        var quote: Character?
        for character in text {
            if let open = quote {
                if character == open { quote = nil }
            } else if character == "\"" || character == "'" {
                quote = character
            } else if "([{".contains(character) {
                depth += 1
            } else if ")]}".contains(character) {
                depth -= 1
            } else if character == ",", depth == 0 {
                parts.append("")
                continue
            }
            parts[parts.count - 1].append(character)
        }
        return parts.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
