#if PostgreSQL
import Foundation
import SwormPredicates

extension PredicateTree {
    /// Returns the predicate with the dates that are compared with columns of a server rounded to the microsecond, as the
    /// columns and the parameters of statements are.
    ///
    /// - Parameter entity: The number of the entity whose objects the predicate tests.
    func roundingDates(in layout: StoreLayout, model: CompiledModel, entity: Int) -> PredicateTree {
        DateRounding(layout: layout, model: model, entity: entity).apply(to: self)
    }
}

extension ProjectionTree {
    /// Returns the projection with its dates rounded in the same way.
    func roundingDates(in layout: StoreLayout, model: CompiledModel, entity: Int) -> ProjectionTree {
        let rounding = DateRounding(layout: layout, model: model, entity: entity)
        var result = self
        result.columns = columns.map { rounding.apply(to: $0) }
        result.groups = groups.map { rounding.apply(to: $0) }
        result.having = having.map { rounding.apply(to: $0) }
        result.sorts = sorts.map { sort in
            var sort = sort
            sort.expression = rounding.apply(to: sort.expression)
            return sort
        }
        return result
    }
}

/// The rounding of dates as in a statement. A date that is compared with a column of doubles keeps its digits.
private struct DateRounding {
    let layout: StoreLayout
    let model: CompiledModel
    /// The number of the entity of the objects.
    let entity: Int
    /// The numbers of the entities of the variables of subqueries.
    private var variables: [String: Int] = [:]

    init(layout: StoreLayout, model: CompiledModel, entity: Int) {
        self.layout = layout
        self.model = model
        self.entity = entity
    }

    func apply(to tree: PredicateTree) -> PredicateTree {
        switch tree {
        case .constant: return tree
        case .and(let parts): return .and(parts.map(apply))
        case .or(let parts): return .or(parts.map(apply))
        case .not(let part): return .not(apply(to: part))
        case .comparison(var comparison):
            let (left, right) = (comparison.left, comparison.right)
            if !isExact(right) { comparison.left = apply(to: left) }
            if !isExact(left) { comparison.right = apply(to: right) }
            return .comparison(comparison)
        }
    }

    func apply(to tree: ExpressionTree) -> ExpressionTree {
        switch tree {
        case .value(.date(let date)):
            return .value(.date(Date(timeIntervalSinceReferenceDate: ServerDate.seconds(date))))
        case .value, .evaluatedObject, .variable: return tree
        case .list(let items): return .list(items.map(apply))
        case .key(let base, let key): return .key(apply(to: base), key)
        case .index(let base, .expression(let index)):
            return .index(apply(to: base), .expression(apply(to: index)))
        case .index(let base, let index): return .index(apply(to: base), index)
        case .binary(let sign, let left, let right): return .binary(sign, apply(to: left), apply(to: right))
        case .negate(let operand): return .negate(apply(to: operand))
        case .function(let name, let operands): return .function(name, operands.map(apply))
        case .cast(let operand, let type): return .cast(apply(to: operand), type)
        case .subquery(let collection, let name, let condition):
            var rounding = self
            rounding.variables[name] = end(of: collection)?.entity
            return .subquery(apply(to: collection), name, rounding.apply(to: condition))
        case .conditional(let condition, let yes, let no):
            return .conditional(apply(to: condition), apply(to: yes), apply(to: no))
        case .set(let word, let left, let right): return .set(word, apply(to: left), apply(to: right))
        }
    }

    /// Returns whether an expression is an attribute whose dates are stored as doubles, with all their digits.
    private func isExact(_ tree: ExpressionTree) -> Bool {
        guard let (entity, path) = end(of: tree), case .attribute(let slot)? = model[entity].slot(named: path) else {
            return false
        }
        return layout.storesSeconds(slot, of: model[entity].attributes[slot].owner)
    }

    /// Returns the entity at the end of a key path, and the path of the attribute in it, which is empty for an object.
    private func end(of tree: ExpressionTree) -> (entity: Int, attribute: String)? {
        switch tree {
        case .evaluatedObject: return (entity, "")
        case .variable(let name): return variables[name].map { ($0, "") }
        case .index(let base, _), .subquery(let base, _, _): return end(of: base)
        case .cast(_, let type): return model.entity(named: type).map { ($0.number, "") }
        case .key(let base, let key):
            guard let (entity, path) = end(of: base) else { return nil }
            // The greatest date is one of the dates.
            if key.hasPrefix("@") { return (entity, path) }
            if path.isEmpty, case .relationship(let slot)? = model[entity].slot(named: key) {
                return (model[entity].relationships[slot].destination, "")
            }
            return (entity, path.isEmpty ? key : path + "." + key)
        default: return nil
        }
    }
}
#endif
