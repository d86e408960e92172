import Foundation
import SwormPredicates
import SwormStore

/// The content of an expression.
final class ExpressionContent {
    typealias Block = (Any?, [Any], NSMutableDictionary?) -> Any

    enum Form {
        /// Nothing but the tree.
        case tree
        /// A constant of any type.
        case constant(Any?)
        /// A block, with its arguments.
        case block(Block, arguments: [ExpressionContent])
    }

    let form: Form
    /// The expression as a tree; the error in its format, or for a form that has no tree.
    let tree: Result<ExpressionTree, any Error>
    /// The text of the expression, if it was read from a model.
    private let givenText: String?
    /// The size, if it was known when the expression was created.
    private let givenSize: TreeSize?

    init(
        _ tree: Result<ExpressionTree, any Error>, form: Form = .tree, text: String? = nil, size: TreeSize? = nil
    ) {
        self.tree = tree
        self.form = form
        givenText = text
        givenSize = size
    }

    /// The size of the expression, as a part of other ones. That of a block includes its arguments.
    var size: TreeSize {
        if let givenSize { return givenSize }
        guard let tree = try? tree.get() else { return .leaf }
        return TreeSize(tree)
    }

    /// The expression in the form in which Foundation describes it, which models contain: `author.name`,
    /// `count:(pages)`, `now()`.
    var text: String {
        if let givenText { return givenText }
        switch tree {
        case .success(let tree): return tree.functionText
        case .failure(let error): return "\(error)"
        }
    }
}

extension ExpressionTree {
    /// The expression with the names of functions as selectors.
    fileprivate var functionText: String {
        guard rowAggregate == nil, case .function(let name, let operands) = self else { return format }
        let selector = operands.count == 1 && !name.contains(":") ? name + ":" : name
        return "\(selector)(\(operands.map(\.functionText).joined(separator: ", ")))"
    }
}
