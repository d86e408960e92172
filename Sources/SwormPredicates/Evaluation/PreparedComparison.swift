import Foundation

/// A comparison in which everything that does not depend on the object is precomputed.
struct PreparedComparison: Sendable {
    /// The part of the right side that is known in advance.
    private enum RightSide: Sendable {
        case computed
        case constant(SQLValue)
        /// A set of values. A literal nil is a member of a list; a nil that a value represents, such as not-a-number,
        /// makes the result undecided.
        case members(Set<SQLValue>, ConvertedMembers?, hasNil: Bool, isDecided: Bool)
        case items([PreparedOperand])
        case text(TextPattern)
        case like(LikePattern)
        case regularExpression(RegularExpressionPattern)
    }

    private let comparison: Comparison
    private let left: PreparedOperand
    private let right: PreparedOperand
    private let logic: NilLogic
    private let options: ComparisonOptions
    private var rightSide = RightSide.computed
    /// Whether the left side is an attribute, to whose kind the constants of a list are converted.
    private let convertsMembers: Bool

    /// Prepares a comparison.
    ///
    /// - Parameter items: The elements of a list literal on the right side.
    init(
        _ comparison: Comparison, left: PreparedOperand, right: PreparedOperand, items: [PreparedOperand]?,
        logic: NilLogic
    ) throws {
        self.comparison = comparison
        self.left = left
        self.right = right
        self.logic = logic
        options = comparison.options.contains(.normalized) ? [] : comparison.options
        convertsMembers = comparison.comparator == .in && comparison.left.isPropertyPath
        rightSide = try knownRightSide(items)
    }

    private func knownRightSide(_ items: [PreparedOperand]?) throws -> RightSide {
        if comparison.comparator == .between, let items { return .items(items) }
        guard let constant = right.constant else {
            return comparison.comparator == .in ? items.map(RightSide.items) ?? .computed : .computed
        }
        switch (comparison.comparator, constant) {
        case (.in, .list(let constants)):
            let values = try constants.map { try normalized($0.evaluationValue) }
            let nils = values.count { $0 == .null }
            let written = constants.count { $0 == .value(.null) }
            return .members(
                Set(values.filter { $0 != .null }), convertsMembers ? ConvertedMembers(constants) : nil,
                hasNil: written > 0, isDecided: nils == written)
        case (.contains, .value(let value)):
            guard case .text(let text) = SQLValue(value) else { return .computed }
            return .text(TextPattern(text, at: .anywhere, options: options))
        case (.beginsWith, .value), (.endsWith, .value), (.like, .value), (.matches, .value):
            guard let text = try text(constant.evaluationValue) else { return .computed }
            return try pattern(text)
        case (_, .value): return .constant(try normalized(constant.evaluationValue))
        case (_, .list): return .computed
        }
    }

    private func pattern(_ text: String) throws -> RightSide {
        switch comparison.comparator {
        case .beginsWith: .text(TextPattern(text, at: .beginning, options: options))
        case .endsWith: .text(TextPattern(text, at: .end, options: options))
        case .like: .like(LikePattern(text, options: options))
        case .matches: .regularExpression(try RegularExpressionPattern(text, options: options))
        default: .text(TextPattern(text, at: .anywhere, options: options))
        }
    }

    // MARK: Evaluation

    func evaluate(_ scope: EvaluationScope) throws -> Bool? {
        let value = try left.value(in: scope)
        guard comparison.quantifier != .direct else { return try test(value, in: scope) }
        guard let elements = value.elements else {
            let word = comparison.quantifier == .any ? "ANY" : "ALL"
            throw issue(
                "\(word) needs a path through a to-many relationship, and `\(comparison.left.format)` is \(value.kind)")
        }
        for element in elements {
            let result = try test(element, in: scope)
            if comparison.quantifier == .any, result == true { return true }
            if comparison.quantifier == .all, result != true { return false }
        }
        return comparison.quantifier == .all
    }

    private func test(_ value: EvaluationValue, in scope: EvaluationScope) throws -> Bool? {
        switch comparison.comparator {
        case .equal: return try isEqual(value, in: scope)
        case .notEqual: return try isEqual(value, in: scope).map { !$0 }
        case .identical: return try normalized(value) == rightValue(scope)
        case .notIdentical: return try normalized(value) != rightValue(scope)
        case .less, .lessOrEqual, .greater, .greaterOrEqual: return try isOrdered(value, in: scope)
        case .between: return try isBetween(value, in: scope)
        case .in: return try isMember(value, in: scope)
        case .contains: return try contains(value, in: scope)
        case .beginsWith, .endsWith, .like, .matches: return try matches(value, in: scope)
        }
    }

    /// The result of a comparison with nil.
    private var undecided: Bool? { logic == .sql ? nil : false }

    private func rightValue(_ scope: EvaluationScope) throws -> SQLValue {
        if case .constant(let value) = rightSide { return value }
        return try normalized(try right.value(in: scope))
    }

    // MARK: Equality and order

    private func isEqual(_ value: EvaluationValue, in scope: EvaluationScope) throws -> Bool? {
        // An object differs from nil, even if it has no identity.
        if self.right.isWrittenNil, case .object = value { return false }
        if self.left.isWrittenNil, self.right.constant == nil, case .object = try self.right.value(in: scope) {
            return false
        }
        let left = try normalized(value)
        let right = try rightValue(scope)
        if left == .null || right == .null {
            let isTest = self.left.isWrittenNil || self.right.isWrittenNil
            return isTest || logic == .cocoa ? left == right : nil
        }
        return left == right
    }

    private func isOrdered(_ value: EvaluationValue, in scope: EvaluationScope) throws -> Bool? {
        // No value comes before or after a literal nil, so the result is false and not undecided.
        if left.isWrittenNil || right.isWrittenNil { return false }
        guard let order = try order(try normalized(value), try rightValue(scope)) else { return undecided }
        switch comparison.comparator {
        case .less: return order == .orderedAscending
        case .lessOrEqual: return order != .orderedDescending
        case .greater: return order == .orderedDescending
        default: return order != .orderedAscending
        }
    }

    /// Returns the order of two values, or nil if one of them is nil.
    private func order(_ left: SQLValue, _ right: SQLValue) throws -> ComparisonResult? {
        switch (left, right) {
        case (.null, _), (_, .null): return nil
        case (.object, _), (_, .object): throw issue("objects have no order")
        case (.text(let left), .text(let right)) where options.contains(.localeSensitive):
            return compareTexts(left, right, options: options)
        default:
            guard left.isComparable(to: right) else {
                throw issue("\(left.kind) and \(right.kind) cannot be ordered")
            }
            return left.order(right)
        }
    }

    private func isBetween(_ value: EvaluationValue, in scope: EvaluationScope) throws -> Bool? {
        let bounds: [EvaluationValue]
        if case .items(let items) = rightSide {
            bounds = try items.map { try $0.value(in: scope) }
        } else {
            bounds = try right.value(in: scope).elements ?? []
        }
        guard bounds.count == 2 else { throw issue("BETWEEN takes a list of two values") }
        let value = try normalized(value)
        let lower = try order(value, try normalized(bounds[0])).map { $0 != .orderedAscending }
        let upper = try order(value, try normalized(bounds[1])).map { $0 != .orderedDescending }
        if lower == false || upper == false { return false }
        return lower == nil || upper == nil ? undecided : true
    }

    // MARK: Collections

    private func isMember(_ value: EvaluationValue, in scope: EvaluationScope) throws -> Bool? {
        switch rightSide {
        case .members(let members, let converted, let hasNil, let isDecided):
            let left = try normalized(value)
            if left == .null { return hasNil ? true : (members.isEmpty && isDecided ? false : undecided) }
            if members.contains(left) || converted?.contains(left, folding: fold) ?? false { return true }
            return isDecided ? false : undecided
        case .items(let items): return try isMember(try normalized(value), of: items, in: scope)
        default: break
        }
        let collection = try right.value(in: scope)
        switch collection {
        case .objects, .list:
            return try isMember(try normalized(value), of: collection.elements ?? [], isWrittenNil: left.isWrittenNil)
        case .value, .missing:
            switch SQLValue(collection.single ?? .null) {
            case .null: return undecided
            case .text(let text):
                guard let part = try self.text(value) else { return undecided }
                return TextPattern(part, at: .anywhere, options: options).matches(text)
            default: throw issue("IN takes a list, a collection or a string on its right side")
            }
        case .object: throw issue("IN takes a list, a collection or a string on its right side")
        }
    }

    /// Returns whether a value is in a list literal with some computed elements. A computed nil makes the result
    /// undecided.
    private func isMember(_ left: SQLValue, of items: [PreparedOperand], in scope: EvaluationScope) throws -> Bool? {
        var decided = left != .null || items.isEmpty
        for item in items {
            let element = try normalized(converted(item, for: left) ?? item.value(in: scope))
            if left == element, left != .null || item.isWrittenNil || logic == .cocoa { return true }
            if element == .null, !item.isWrittenNil { decided = false }
        }
        return decided ? false : undecided
    }

    /// Returns a constant of a list in the form in which it is compared with an attribute of another kind; nil if it is
    /// not converted.
    private func converted(_ item: PreparedOperand, for left: SQLValue) -> EvaluationValue? {
        guard convertsMembers, case .value(let constant)? = item.constant else { return nil }
        switch left {
        case .text: return constant.numberAsText.map { .value(.string($0)) }
        case .integer, .real: return constant.textAsNumber.map { .value($0) }
        case .null, .blob, .object: return nil
        }
    }

    /// Returns whether a value is in a collection of an object. The result is never undecided, as for EXISTS.
    private func isMember(_ left: SQLValue, of elements: [EvaluationValue], isWrittenNil: Bool) throws -> Bool {
        guard left != .null || isWrittenNil || logic == .cocoa else { return false }
        return try elements.contains { try normalized($0) == left }
    }

    private func contains(_ value: EvaluationValue, in scope: EvaluationScope) throws -> Bool? {
        switch value {
        case .objects, .list:
            let right = try normalized(try self.right.value(in: scope))
            return try isMember(right, of: value.elements ?? [], isWrittenNil: self.right.isWrittenNil)
        case .value, .object, .missing: return try matches(value, in: scope)
        }
    }

    // MARK: Strings

    private func matches(_ value: EvaluationValue, in scope: EvaluationScope) throws -> Bool? {
        guard let text = try text(value) else { return undecided }
        var side = rightSide
        switch side {
        case .text, .like, .regularExpression: break
        default:
            guard let part = try self.text(try right.value(in: scope)) else { return undecided }
            side = try pattern(part)
        }
        switch side {
        case .text(let pattern): return pattern.matches(text)
        case .like(let pattern): return pattern.matches(text)
        case .regularExpression(let pattern): return pattern.matches(text)
        default: return undecided
        }
    }

    /// Returns the string of a value, or nil for nil.
    private func text(_ value: EvaluationValue) throws -> String? {
        if let single = value.single {
            switch SQLValue(single) {
            case .null: return nil
            case .text(let text): return text
            default: break
            }
        }
        throw issue("\(comparison.comparator.spelling) compares strings, not \(value.kind)")
    }

    /// Returns the value to compare, with strings folded.
    private func normalized(_ value: EvaluationValue) throws -> SQLValue {
        switch value {
        case .objects, .list:
            throw issue("a collection is not a single value; a to-many path needs ANY, ALL or a collection operator")
        case .value, .object, .missing: break
        }
        let result = try comparable(value, in: comparison.left)
        guard !options.isEmpty, case .text(let text) = result else { return result }
        return .text(fold(text))
    }

    private func fold(_ text: String) -> String { options.isEmpty ? text : folded(text, options: options) }

    private func issue(_ reason: String) -> QueryError {
        QueryError(.typeMismatch, "\(reason): `\(PredicateTree.comparison(comparison).format)`")
    }
}
