import Foundation
import SwormPredicates

extension PredicateExpressions.KeyPath: TranslatablePredicateExpression {
    func translated(by translator: inout PredicateTranslator) throws -> PredicateOperand {
        let base = try translator.operand(root)
        switch base {
        case .constant: return try translator.folded(self, parts: base) ?? base
        case .row(let tree, let type, let isOptional):
            return try translator.member(
                type.member(keyPath), at: keyPath, of: tree, type: type, isOptional: isOptional)
        case .part(let tree, let type, let outer, let isOptional):
            guard let whole = outer.appending(path: keyPath) else { throw type.unknown(outer) }
            return try translator.member(
                type.plainMember(whole), at: whole, of: tree, type: type, isOptional: isOptional)
        case .rows(let tree, let type, let isOrdered):
            return try ofRelation(tree, type: type, isOrdered: isOrdered, using: translator)
        case .value(let tree, _): return try ofAttribute(base, tree: tree, using: translator)
        case .predicate, .optionalPredicate, .order:
            throw translator.issue("\(keyPathName(keyPath).text) cannot be applied to a result")
        }
    }

    private func ofRelation(
        _ tree: ExpressionTree, type: RowType, isOrdered: Bool, using translator: PredicateTranslator
    ) throws -> PredicateOperand {
        switch kind {
        case .collectionCount: return .value(.key(tree, "@count"), isOptional: false)
        case .collectionIsEmpty:
            return .predicate(.comparison(Comparison(.key(tree, "@count"), by: .equal, with: .value(.int(0)))))
        case .collectionFirst where isOrdered: return .row(.index(tree, .first), type, isOptional: true)
        case .bidirectionalCollectionLast where isOrdered: return .row(.index(tree, .last), type, isOptional: true)
        default:
            throw translator.issue(
                "`\(tree.format)` is a to-many relation, to which \(keyPathName(keyPath).text) cannot be applied; it has "
                    + "`contains(where:)`, `allSatisfy`, `filter`, `count` and `isEmpty`, and `first` and `last` where it is "
                    + "ordered")
        }
    }

    private func ofAttribute(
        _ base: PredicateOperand, tree: ExpressionTree, using translator: PredicateTranslator
    ) throws -> PredicateOperand {
        let isText = Root.Output.self is any StringProtocol.Type
        switch kind {
        case .collectionCount where isText: return .value(.key(tree, "length"), isOptional: false)
        case .collectionIsEmpty where isText:
            return .predicate(.comparison(Comparison(tree, by: .equal, with: .value(.string("")))))
        default: break
        }
        if keyPath is Swift.KeyPath<Output?, Output> { return base.unwrapped }
        if leadsToRawValue { return base }
        throw translator.issue(
            "the attribute `\(tree.format)` is stored as a whole, so \(keyPathName(keyPath).text) cannot be applied to it; "
                + "compare the \(Root.Output.self) itself")
    }

    // MARK: Raw values

    /// Whether the key path refers to the raw value of an enum or option set, which is the value that its attribute
    /// holds.
    ///
    /// A key path to `rawValue` cannot be distinguished from a key path to another computed property. Therefore it is
    /// tried on examples.
    private var leadsToRawValue: Bool {
        guard let type = Root.Output.self as? any RawRepresentable.Type else { return false }
        return isRawValue(of: type)
    }

    private func isRawValue<Raw: RawRepresentable>(of type: Raw.Type) -> Bool {
        guard let keyPath = keyPath as? Swift.KeyPath<Raw, Raw.RawValue> else { return false }
        if MemoryLayout<Raw>.offset(of: keyPath) == 0, MemoryLayout<Raw>.size == MemoryLayout<Raw.RawValue>.size {
            return true
        }
        var examples = ((type as? any CaseIterable.Type).map { allCases(of: $0) } ?? []).compactMap { $0 as? Raw }
        if let node = root as? any KeyPathNode, let value = node.example as? Raw { examples.append(value) }
        return !examples.isEmpty
            && examples.allSatisfy { example in
                let stored = try? (example as? any SupportedAttributeType)?.encoded().attributeValue
                let asked = try? (example[keyPath: keyPath] as? any SupportedAttributeType)?.encoded().attributeValue
                return stored != nil && stored == asked
            }
    }
}

private func allCases<Cases: CaseIterable>(of type: Cases.Type) -> [Any] { Array(type.allCases) }

/// A node that follows a key path.
private protocol KeyPathNode {
    /// The value at the key path of a new instance.
    var example: Any? { get }
}

extension PredicateExpressions.KeyPath: KeyPathNode {
    fileprivate var example: Any? {
        let base: Any? =
            switch Root.Output.self {
            case let type as any ManagedObjectConvertible.Type: type.init()
            case let type as any AnyRow.Type: type.init()
            default: (root as? any KeyPathNode)?.example
            }
        return (base as? Root.Output).flatMap { withoutOptionals($0[keyPath: keyPath]) }
    }
}

extension PredicateTranslator {
    /// Returns the operand for a member of a row.
    fileprivate func member(
        _ member: RowMember?, at keyPath: AnyKeyPath, of tree: ExpressionTree, type: RowType, isOptional: Bool
    ) throws -> PredicateOperand {
        switch member {
        case .attribute(let name, let attributeIsOptional):
            .value(.key(tree, name), isOptional: isOptional || attributeIsOptional)
        case .toOne(let name, let destination): .row(.key(tree, name), destination, isOptional: true)
        case .toMany(let name, let destination, let isOrdered):
            .rows(.key(tree, name), destination, isOrdered: isOrdered)
        case .composite(let name, let type, let compositeIsOptional):
            .row(.key(tree, name), type, isOptional: isOptional || compositeIsOptional)
        case .identity: .value(tree, isOptional: isOptional)
        case .part(let plain): .part(tree, type, plain, isOptional: isOptional)
        case nil: throw type.unknown(keyPath)
        }
    }
}
