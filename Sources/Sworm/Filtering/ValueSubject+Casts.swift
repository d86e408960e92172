import SwormPredicates

// Steps of a path that continue only with the struct of a case.
extension AnyEntityMapping {
    /// Returns the mapping of the entity of a step, which is a case of this type, or of one of its cases, or a super-entity.
    func castTarget(_ key: String) -> (any AnyEntityMapping)? {
        guard let cast = EntityCast(key), !attributes.contains(where: { $0.name == key }),
            !relations.contains(where: { $0.name == key })
        else { return nil }
        return superentities.first { !cast.isExact && $0.entityName == cast.entity } ?? descendant(of: cast, depth: 0)
    }

    private func descendant(of cast: EntityCast, depth: Int) -> (any AnyEntityMapping)? {
        if entityName == cast.entity, cast.isExact == isOwnCase { return self }
        guard depth < superentityDepthLimit else { return nil }
        for type in subentities {
            if let found = type.anyMapping.descendant(of: cast, depth: depth + 1) { return found }
        }
        return nil
    }
}

extension EntityMapping {
    /// Returns a value as the subject of conditions on a type; nil if it is the struct of another case.
    func castSubject(of value: T, to target: any AnyEntityMapping) -> EvaluationValue? {
        if target === self || superentities.contains(where: { $0 === target }) {
            return .object(ValueSubject(value, mapping: self))
        }
        for link in cases {
            if let subject = link.castSubject(of: value, to: target) { return subject }
        }
        return nil
    }
}

extension SubentityLink {
    fileprivate func castSubject(of value: Superentity, to target: any AnyEntityMapping) -> EvaluationValue? {
        object(of: value).flatMap { mapping.castSubject(of: $0, to: target) }
    }
}

/// The missing struct of a case, or the missing child of a tree: the value of every key of its table is nil.
struct MissingValueSubject: EvaluationSubject {
    let mapping: any AnyEntityMapping
    /// The branches of a child.
    var plan: (any AnyTreePlan)?

    var reference: ObjectReference? { nil }

    func predicateValue(forKey key: String) throws -> EvaluationValue {
        if mapping.attributes.contains(where: { $0.name == key || $0.name.hasPrefix(key + ".") }) { return .null }
        if let target = mapping.castTarget(key) { return .missing(MissingValueSubject(mapping: target)) }
        if let (child, isToMany) = plan?.subject(along: key) {
            if isToMany { return .objects([]) }
            return .missing(MissingValueSubject(mapping: child.mapping, plan: child.plan))
        }
        throw QueryError.notInPlainValue(key, of: mapping, plan)
    }
}
