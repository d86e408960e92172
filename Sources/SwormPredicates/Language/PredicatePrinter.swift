extension PredicateTree {
    /// The predicate as a format string in Apple's form, with literal values. Parsing it returns an equal tree.
    ///
    /// Comparisons with Swift's semantics have no syntax; they are written as equality and tests for nil.
    package var format: String { PredicatePrinter.print(.predicate(self), style: .literal).format }

    /// The predicate as a format string with `%@` for every value, and the values.
    ///
    /// Both sides of an AND or OR are in brackets, and so is the operand of NOT.
    package var template: (format: String, arguments: [PredicateArgument]) {
        PredicatePrinter.print(.predicate(self), style: .template)
    }
}

extension ExpressionTree {
    /// The expression as text, with literal values.
    package var format: String { PredicatePrinter.print(.expression(self), style: .literal).format }

    /// The expression as text with `%@` for every value, and the values.
    var template: (format: String, arguments: [PredicateArgument]) {
        PredicatePrinter.print(.expression(self), style: .template)
    }
}

/// A printer that uses a list of pieces still to be printed instead of recursion, so that it can print trees of any
/// depth.
struct PredicatePrinter {
    enum Style { case literal, template }

    /// The position of an expression, which determines whether it needs brackets.
    enum Place { case alone, operand, base }

    enum Piece {
        case text(String)
        case predicate(PredicateTree)
        case expression(ExpressionTree, Place)
    }

    /// The maximum number of parts that are bracketed in pairs, as a chain is built. The brackets of a longer chain
    /// would be too deep to be parsed again.
    private static let longestNestedChain = 16

    private let style: Style
    private var pieces: [Piece] = []
    private var output = ""
    private var arguments: [PredicateArgument] = []

    static func print(_ node: TreeNode, style: Style) -> (format: String, arguments: [PredicateArgument]) {
        var printer = PredicatePrinter(style: style)
        switch node {
        case .predicate(let tree): printer.pieces = [.predicate(tree)]
        case .expression(let tree): printer.pieces = [.expression(tree, .alone)]
        }
        while let piece = printer.pieces.popLast() { printer.print(piece) }
        return (printer.output, printer.arguments)
    }

    private init(style: Style) { self.style = style }

    private mutating func print(_ piece: Piece) {
        switch piece {
        case .text(let text): output += text
        case .predicate(let tree): print(tree)
        case .expression(let tree, let place): print(tree, at: place)
        }
    }

    /// Schedules the pieces to be printed next, in this order.
    private mutating func push(_ next: [Piece]) { pieces.append(contentsOf: next.reversed()) }

    // MARK: Predicates

    private mutating func print(_ tree: PredicateTree) {
        switch tree {
        case .constant(let value): output += value ? "TRUEPREDICATE" : "FALSEPREDICATE"
        case .and(let parts):
            print(style == .template ? tree.chainGrownRight : parts, joinedBy: "AND", empty: "TRUEPREDICATE")
        case .or(let parts):
            print(style == .template ? tree.chainGrownRight : parts, joinedBy: "OR", empty: "FALSEPREDICATE")
        case .not(let part):
            if style == .template || isCompound(part) {
                push([.text("NOT ("), .predicate(part), .text(")")])
            } else {
                push([.text("NOT "), .predicate(part)])
            }
        case .comparison(let comparison): print(comparison)
        }
    }

    private mutating func print(_ parts: [PredicateTree], joinedBy word: String, empty: String) {
        guard let first = parts.first else { return output += empty }
        guard parts.count > 1 else { return push([.predicate(first)]) }
        var next: [Piece] = []
        switch style {
        case .template where parts.count > Self.longestNestedChain:
            next = [.text("("), .predicate(first)]
            for part in parts.dropFirst() { next += [.text(") \(word) ("), .predicate(part)] }
            next.append(.text(")"))
        case .template:
            next = [.text(String(repeating: "(", count: parts.count - 1)), .predicate(first)]
            for part in parts.dropFirst() { next += [.text(") \(word) ("), .predicate(part), .text(")")] }
        case .literal:
            for (index, part) in parts.enumerated() {
                if index > 0 { next.append(.text(" \(word) ")) }
                next += isCompound(part) ? [.text("("), .predicate(part), .text(")")] : [.predicate(part)]
            }
        }
        push(next)
    }

    /// Returns whether the predicate is printed as an AND or OR.
    private func isCompound(_ tree: PredicateTree) -> Bool {
        var tree = tree
        while true {
            switch tree {
            case .and(let parts), .or(let parts):
                guard parts.count == 1 else { return parts.count > 1 }
                tree = parts[0]
            case .comparison(let comparison):
                guard let written = comparison.inPlainOperators else { return false }
                tree = written
            default: return false
            }
        }
    }

    private mutating func print(_ comparison: Comparison) {
        if let written = comparison.inPlainOperators { return push([.predicate(written)]) }
        switch comparison.quantifier {
        case .direct: break
        case .any: output += "ANY "
        case .all: output += "ALL "
        }
        push([
            .expression(comparison.left, .alone),
            .text(" \(comparison.comparator.spelling)\(comparison.options.spelling) "),
            .expression(comparison.right, .alone),
        ])
    }

    // MARK: Expressions

    private mutating func print(_ tree: ExpressionTree, at place: Place) {
        switch tree {
        case .value(let value): print(value, at: place)
        case .list(let items): print(list: items)
        case .evaluatedObject: output += "SELF"
        case .variable(let name): output += "$" + name
        case .key(.evaluatedObject, let key): print(key: key)
        case .key(let base, let key):
            push([.expression(base, .base), .text("."), .expression(.key(.evaluatedObject, key), .alone)])
        case .index(let base, let index):
            push([.expression(base, .base), .text("[")] + pieces(of: index) + [.text("]")])
        case .negate(let operand):
            var inner: Place = .operand
            if case .value(let value) = operand, value.numericDouble != nil { inner = .base }
            bracketed(if: place == .base, [.text("-"), .expression(operand, inner)])
        case .binary(let operation, let left, let right):
            infix(operation.rawValue, between: left, and: right, at: place)
        case .set(let operation, let left, let right): infix(operation.rawValue, between: left, and: right, at: place)
        case .function(let name, let operands): push(call(name, with: operands.map { .expression($0, .alone) }))
        case .cast(let operand, let type):
            push(call("CAST", with: [.expression(operand, .alone), .text(AttributeValue.string(type).literal)]))
        case .subquery(let collection, let name, let condition):
            push(call("SUBQUERY", with: [.expression(collection, .alone), .text("$" + name), .predicate(condition)]))
        case .conditional(let condition, let yes, let no):
            push(call("TERNARY", with: [.predicate(condition), .expression(yes, .alone), .expression(no, .alone)]))
        }
    }

    private mutating func bracketed(if brackets: Bool, _ inner: [Piece]) {
        push(brackets ? [.text("(")] + inner + [.text(")")] : inner)
    }

    private mutating func infix(
        _ sign: String, between left: ExpressionTree, and right: ExpressionTree, at place: Place
    ) {
        bracketed(
            if: style == .template || place != .alone,
            [.expression(left, .operand), .text(" \(sign) "), .expression(right, .operand)])
    }

    private func call(_ name: String, with operands: [Piece]) -> [Piece] {
        var next: [Piece] = [.text(name + "(")]
        for (index, operand) in operands.enumerated() {
            if index > 0 { next.append(.text(", ")) }
            next.append(operand)
        }
        return next + [.text(")")]
    }

    private func pieces(of index: Subscript) -> [Piece] {
        switch index {
        case .first: [.text("FIRST")]
        case .last: [.text("LAST")]
        case .size: [.text("SIZE")]
        // A constant index is printed as a literal, because not every platform accepts an argument in its position.
        case .expression(.value(let value)): [.text(value.literal)]
        case .expression(let tree): [.expression(tree, .alone)]
        }
    }

    private mutating func print(_ value: AttributeValue, at place: Place) {
        guard style == .literal else {
            output += "%@"
            return arguments.append(.value(value))
        }
        let needsBrackets = place == .base && value.numericDouble != nil && !value.literal.hasPrefix("CAST")
        output += needsBrackets ? "(\(value.literal))" : value.literal
    }

    private mutating func print(list items: [ExpressionTree]) {
        if style == .template {
            let values = items.compactMap { item in
                if case .value(let value) = item { return PredicateArgument.value(value) }
                return nil
            }
            if values.count == items.count {
                output += "%@"
                return arguments.append(.list(values))
            }
        }
        var next = call("", with: items.map { .expression($0, .alone) })
        next[0] = .text("{")
        next[next.count - 1] = .text("}")
        push(next)
    }

    private mutating func print(key: String) {
        let name = key.hasPrefix("@") ? String(key.dropFirst()) : key
        let isName = isPlainName(name)
        if key.hasPrefix("@"), isName {
            output += key
        } else if isName {
            output += isReservedWord(key) ? "#" + key : key
        } else if style == .template, key.split(separator: ".").count > 1 {
            // An element of a composite attribute: readers of a template follow one key after the other.
            for (index, part) in key.split(separator: ".").enumerated() {
                if index > 0 { output += "." }
                print(key: String(part))
            }
        } else if style == .template, !key.contains(".") {
            // An argument with dots would be split into several keys.
            output += "%K"
            arguments.append(.value(.string(key)))
        } else {
            output += "#" + AttributeValue.string(key).literal
        }
    }

    private func isPlainName(_ name: String) -> Bool {
        var scalars = name.unicodeScalars.makeIterator()
        guard let first = scalars.next(), first == "_" || first.properties.isIDStart else { return false }
        while let scalar = scalars.next() {
            guard scalar == "_" || scalar.properties.isIDContinue else { return false }
        }
        return true
    }
}

extension ComparisonOptions {
    /// The options as they are written after an operator; an empty string if there are no options.
    var spelling: String {
        let letters: [(ComparisonOptions, String)] = [
            (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"), (.localeSensitive, "l"),
        ]
        let text = letters.filter { contains($0.0) }.map(\.1).joined()
        return text.isEmpty ? "" : "[\(text)]"
    }
}
