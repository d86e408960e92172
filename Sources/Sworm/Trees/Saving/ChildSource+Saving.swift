import SwormPredicates

extension WholeChild {
    var isAttribute: Bool { false }
    var hasIDs: Bool { Child.treePlan.identifier != nil }
    func reference(of value: Child) -> ObjectReference? { Child.treePlan.identifier?(value) }
    func defaultRole(isToMany: Bool) -> BranchRole? { nil }
    func identifyingIndex(in mapping: EntityMapping<Child>) -> Int? { nil }

    func encoded(_ value: Child, as type: TypedSave<Child>) throws -> EncodedValue {
        try type.binding.cases == nil
            ? EncodedValue(type: type, values: type.binding.mapping.writtenValues(of: value))
            : type.binding.encoded(value)
    }

    func version(of value: EncodedValue) throws -> SavedVersion? {
        guard let keyPath = Child.treePlan.version else { return nil }
        let name = Child.mapping.attributes[try Child.mapping.index(of: keyPath)].name
        // The attributes of a case may have another order than those of its enum.
        return value.type.attributes.firstIndex { $0.name == name }.map { index in
            SavedVersion(type: value.type, index: index, value: value.values[index])
        }
    }

    func saveBranches(of trees: [SavedTree<Child>], besides inverse: String?, _ saver: TreeSaver) throws {
        if Child.branches.isEmpty { return }
        try saver.addBranches(of: trees, besides: inverse)
    }
}

extension AttributeChild {
    var isAttribute: Bool { true }
    var hasIDs: Bool { false }
    func reference(of value: Value) -> ObjectReference? { nil }
    func defaultRole(isToMany: Bool) -> BranchRole? { isToMany ? .linkedOrInserted : .linked }
    func identifyingIndex(in mapping: EntityMapping<Object>) throws -> Int? { try mapping.index(of: attribute) }

    func encoded(_ value: Value, as type: TypedSave<Object>) throws -> EncodedValue {
        var values = [AttributeValue?](repeating: nil, count: type.attributes.count)
        let index = try type.binding.mapping.index(of: attribute)
        do {
            values[index] = try value.encoded().attributeValue
        } catch {
            throw type.binding.mapping.attributeError(at: index, value: nil, cause: error)
        }
        return EncodedValue(type: type, values: values)
    }

    func version(of value: EncodedValue) -> SavedVersion? { nil }
    func saveBranches(of trees: [SavedTree<Value>], besides inverse: String?, _ saver: TreeSaver) {}
}
