import SwormPredicates

/// A plain value as a subject of predicates: its attributes, under their names in the model.
struct ValueSubject<T: ManagedTreeConvertible>: EvaluationSubject {
    private let value: T
    private let mapping: EntityMapping<T>

    init(_ value: T, mapping: EntityMapping<T>) {
        self.value = value
        self.mapping = mapping
    }

    /// The id that a tree holds; nil for other values, which are not objects of a store.
    var reference: ObjectReference? { plan?.identifier?(value) }

    /// The branches of a tree; nil for a value without any.
    private var plan: TreePlan<T>? { mapping.hasBranches ? T.treePlan : nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        if let found = try content(key) { return found }
        if let target = mapping.castTarget(key) {
            return mapping.castSubject(of: value, to: target)
                ?? .missing(MissingValueSubject(mapping: target))
        }
        if let branch = plan?.wholeBranch(along: key) {
            guard let children = try branch.subjects(of: value) else { throw QueryError.leftOut(key, of: "\(T.self)") }
            if branch.isToMany { return .objects(children) }
            return children.first.map(EvaluationValue.object)
                ?? .missing(MissingValueSubject(mapping: branch.subject.mapping, plan: branch.subject.plan))
        }
        throw QueryError.notInPlainValue(key, of: mapping, plan)
    }

    /// Returns the value of an attribute of the table, or the elements of a composite attribute; nil if the table
    /// declares neither.
    fileprivate func content(_ name: String) throws -> EvaluationValue? {
        if let index = mapping.index(named: name) { return .value(try mapping.read(index, of: value).asStored) }
        guard mapping.attributes.contains(where: { $0.name.hasPrefix(name + ".") }) else { return nil }
        return .object(ElementSubject(value: self, prefix: name + "."))
    }

    /// The elements of a composite attribute that the table declares.
    private struct ElementSubject: EvaluationSubject {
        let value: ValueSubject
        let prefix: String

        var reference: ObjectReference? { nil }

        func predicateValue(forKey key: String) throws -> EvaluationValue {
            if let found = try value.content(prefix + key) { return found }
            throw QueryError.noElement(key, under: prefix, of: value.mapping)
        }
    }
}
