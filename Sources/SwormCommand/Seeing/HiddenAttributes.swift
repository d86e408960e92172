import SwormStore

/// The attributes whose values are not shown, because their names say that they are secret, or because the user says so.
struct HiddenAttributes: Sendable {
    static let options = [
        OptionSpec(
            "hide", value: "LIST",
            summary: "Further attributes whose values are hidden, such as Member.email or email, separated by commas. "
                + "Attributes are hidden without it if their names contain \(words.joined(separator: ", ")), privateKey, "
                + "apiKey or the word pin."),
        OptionSpec(
            "show", value: "LIST",
            summary: "Attributes whose values are shown although their names look like secrets, such as Member.token."),
    ]

    /// The parts of a name that mark a secret anywhere in it.
    private static let words = ["password", "passwd", "token", "secret", "credential"]
    /// Pairs of words that mark a secret together.
    private static let pairs = ["privatekey", "apikey"]
    /// The words that mark a secret if they are not parts of longer ones: `isPinned` and `shippingCost` are no secrets.
    private static let single: Set = ["pin", "pins"]

    private let hidden: [AttributeName]
    private let shown: [AttributeName]

    /// - Throws: ``ToolError`` for a name that the model does not have.
    init(_ arguments: Arguments, model: CompiledModel) throws {
        hidden = try AttributeName.list(arguments, option: "hide", model: model)
        shown = try AttributeName.list(arguments, option: "show", model: model)
    }

    /// Returns whether the values of an attribute are hidden.
    func contains(_ attribute: CompiledAttribute, of entity: CompiledEntity, in model: CompiledModel) -> Bool {
        func isNamed(_ names: [AttributeName]) -> Bool {
            names.contains { $0.matches(attribute, of: entity, in: model) }
        }
        if isNamed(hidden) || Self.isSecret(attribute.name) && !isNamed(shown) { return true }
        // A derived value shows the values that it is computed from.
        let sources = attribute.derivation?.split { !$0.isLetter && !$0.isNumber && $0 != "_" }.map(String.init) ?? []
        return sources.contains { source in
            hidden.contains { $0.attribute == source.lowercased() } || Self.isSecret(source) && !isNamed(shown)
        }
    }

    /// Returns whether the name of an attribute says that its values are secret.
    static func isSecret(_ name: String) -> Bool {
        let parts = self.parts(of: name)
        let joined = parts.joined()
        return !single.isDisjoint(with: parts) || (words + pairs).contains { joined.contains($0) }
    }

    /// Returns the words of a name in lowercase. They begin with capital letters, or are separated by other characters.
    private static func parts(of name: String) -> [String] {
        var parts = [""]
        var before: Character = "_"
        for (index, character) in zip(name.indices, name) {
            let next = name.index(after: index)
            // The last capital letter of several begins a word: the words of `userPINCode` are user, pin and code.
            let endsAcronym =
                character.isUppercase && before.isUppercase && next < name.endIndex && name[next].isLowercase
            if !character.isLetter && !character.isNumber {
                parts.append("")
            } else {
                let changesKind = character.isNumber != before.isNumber
                if character.isUppercase && !before.isUppercase || endsAcronym || changesKind { parts.append("") }
                parts[parts.count - 1] += character.lowercased()
            }
            before = character
        }
        return parts.filter { !$0.isEmpty }
    }
}

/// The name of an attribute as a user writes it: with the name of an entity, or for all entities.
private struct AttributeName: Sendable {
    var entity: Int?
    var attribute: String

    static func list(_ arguments: Arguments, option: String, model: CompiledModel) throws -> [AttributeName] {
        try (arguments.list(option) ?? []).map { text in
            let parts = text.split(separator: ".", maxSplits: 1).map(String.init)
            // An element of a composite attribute has a period in its name.
            let isElement = model.entities.contains { $0.attributes.contains { $0.name == text } }
            if parts.count == 2, !isElement, let entity = model.entity(anyCase: parts[0]) {
                let names = entity.attributes.map(\.name)
                guard names.contains(where: { $0.lowercased() == parts[1].lowercased() }) else {
                    throw ToolError(
                        .usage, "\(entity.name) has no attribute '\(parts[1])', which --\(option) names",
                        hint: nameHint(parts[1], among: names, what: "its attributes are"))
                }
                return AttributeName(entity: entity.number, attribute: parts[1].lowercased())
            }
            let names = model.entities.flatMap { $0.attributes.map(\.name) }
            guard names.contains(where: { $0.lowercased() == text.lowercased() }) else {
                throw ToolError(
                    .usage, "the model has no attribute '\(text)', which --\(option) names",
                    hint: nameHint(text, among: names, what: "its attributes are"))
            }
            return AttributeName(entity: nil, attribute: text.lowercased())
        }
    }

    /// Returns whether this is the name of an attribute in an entity. The name of an entity includes its sub-entities.
    func matches(_ candidate: CompiledAttribute, of owner: CompiledEntity, in model: CompiledModel) -> Bool {
        guard candidate.name.lowercased() == attribute else { return false }
        guard let entity else { return true }
        return model[entity].family.contains(owner.number)
    }
}
