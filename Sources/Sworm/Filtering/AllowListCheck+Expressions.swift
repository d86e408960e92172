import SwormPredicates

extension AllowListCheck {
    // MARK: Keys

    /// Returns the possible values under a key, over all values that the key may be applied to.
    func step(from base: PossibleValues, by key: String, in tree: ExpressionTree) throws -> PossibleValues {
        if key.hasPrefix("@") { return try collect(base, by: key, in: tree) }
        // Strings have a length; other plain values have no keys.
        let isLength = base.hasTexts && key == "length"
        guard !base.hasIDs, !base.hasOthers, isLength || !base.hasTexts, isLength || !base.entities.isEmpty else {
            throw refusal("'\(key)' cannot be applied to a value.", key: key)
        }
        var result = base
        (result.entities, result.hasTexts, result.hasOthers) = ([], false, isLength)
        for entity in base.entities.sorted() {
            let member = try member(key, of: entity)
            result.entities.formUnion(member.entities)
            result.hasTexts = result.hasTexts || member.isText
            result.hasOthers = result.hasOthers || member.isOtherValue
            if member.isToMany {
                result = result.collected
                result.loops = base.loops + 1
            }
        }
        result.nesting = try limited(max(base.nesting, result.loops))
        return result
    }

    private func member(_ key: String, of entity: String) throws -> AllowedMember {
        if let member = allowed.member(key, of: entity) { return member }
        let names = allowed.names(of: entity)
        let hint =
            names.isEmpty
            ? "\(entity) has no allowed properties."
            : "The allowed properties of \(entity) are: \(names.joined(separator: ", "))."
        throw refusal("'\(key)' of \(entity) is not allowed. \(hint)", key: key, entity: entity)
    }

    /// Returns the possible results of a collection operator. The result of `@max` includes the values of the keys that
    /// follow it.
    private func collect(_ base: PossibleValues, by key: String, in tree: ExpressionTree) throws -> PossibleValues {
        guard base.isCollection else { throw refusal("'\(key)' can only be applied to a collection.", key: key) }
        switch key {
        case "@count": return PossibleValues.other.computed(from: [base])
        case "@sum", "@avg", "@min", "@max":
            var result = base
            (result.isTotal, result.isSingle) = (true, true)
            return result
        default: throw refusal("The collection operator '\(key)' is unknown.", key: key)
        }
    }

    /// Returns the possible values of an element. The index must be a literal number, because a string index acts as a
    /// key.
    func element(at place: Subscript, of base: PossibleValues, _ tree: ExpressionTree) throws -> PossibleValues {
        guard base.isCollection else {
            throw refused(tree, reason: "takes an element of a value that is not a collection")
        }
        switch place {
        case .first, .last, .expression(.value(.int)):
            var result = base
            result.isSingle = true
            return result
        case .size: return PossibleValues.other.computed(from: [base])
        case .expression: throw refused(tree, reason: "has an index that is not written as a whole number")
        }
    }

    // MARK: Computing

    /// Returns the possible values of a computation with plain values.
    func computed(from operands: [PossibleValues], _ tree: ExpressionTree) throws -> PossibleValues {
        guard operands.allSatisfy({ !$0.hasObjects }) else { throw refused(tree, reason: "computes with objects") }
        return PossibleValues.other.computed(from: operands)
    }

    func call(_ name: String, with operands: [PossibleValues], in tree: ExpressionTree) throws -> PossibleValues {
        guard let function = PredicateFunction(rawValue: name), function.arity.contains(operands.count) else {
            throw refused(tree, reason: "calls an unknown function")
        }
        switch function {
        case .noindex: return operands.first ?? PossibleValues()
        case .count: return PossibleValues.other.computed(from: operands)
        case .min, .max:
            let nesting = try computed(from: operands, tree).nesting
            let all = operands.reduce(PossibleValues()) { $0.union($1) }
            return PossibleValues(
                hasTexts: all.hasTexts, hasOthers: all.hasOthers, nesting: nesting, sentBytes: all.sentBytes)
        case .uppercase, .lowercase, .canonical:
            return PossibleValues.text.computed(from: [try computed(from: operands, tree)])
        case .sum, .average, .median, .stddev, .sqrt, .log, .ln, .exp, .floor, .ceiling, .abs, .trunc, .now, .length,
            .modulus, .leftShift, .rightShift, .onesComplement, .float:
            return try computed(from: operands, tree)
        }
    }

    func cast(_ operand: PossibleValues, to type: String, in tree: ExpressionTree) throws -> PossibleValues {
        guard let cast = ValueCast(rawValue: type) else { throw refused(tree, reason: "casts to an unknown type") }
        switch cast {
        case .object:
            // An object stays unchanged, and a string becomes the id that it encodes.
            var result = operand
            result.hasIDs = operand.hasIDs || operand.hasPlainValues
            (result.hasTexts, result.hasOthers) = (false, false)
            return result
        case .string, .url: return PossibleValues.text.computed(from: [try computed(from: [operand], tree)])
        case .number, .decimal, .date, .uuid, .data: return try computed(from: [operand], tree)
        }
    }

    private func refused(_ tree: ExpressionTree, reason: String) -> StoreError {
        refusal("`\(excerpt(tree.format))` \(reason).")
    }
}
