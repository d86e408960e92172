import SwormPredicates

extension WholeChild {
    var hasVersion: Bool { Child.treePlan.version != nil }

    func hasNewVersion(_ value: UnsafePointer<Child>, as binding: EntityBinding<Child>) throws -> Bool {
        guard let keyPath = Child.treePlan.version else { return true }
        let index = try binding.mapping.index(of: keyPath)
        return binding.mapping.attributes[index].isVersion(
            ofNewObject: try binding.mapping.writtenValue(index, of: value.pointee))
    }

    func comparer(keys: [Int], in binding: EntityBinding<Child>) throws -> RowComparer {
        guard binding.isComparable else { throw NeedsObjects() }
        return binding.mapping.comparer(keys: keys)
    }

    func written(_ value: UnsafePointer<Child>, as binding: EntityBinding<Child>) throws -> [AttributeValue?] {
        try binding.mapping.writtenValues(of: value.pointee)
    }

    func compareBranches(of trees: ComparedTrees<Child>, besides inverse: String?, _ comparison: TreeComparison) throws
    {
        try comparison.compareBranches(of: trees, besides: inverse)
    }
}

extension AttributeChild {
    var hasVersion: Bool { false }
    func hasNewVersion(_ value: UnsafePointer<Value>, as binding: EntityBinding<Object>) -> Bool { true }

    func comparer(keys: [Int], in binding: EntityBinding<Object>) throws -> RowComparer {
        guard binding.isComparable else { throw NeedsObjects() }
        let mapping = binding.mapping
        let index = try mapping.index(of: attribute)
        let isKey = keys == [index]
        guard isKey || keys.isEmpty else { throw NeedsObjects() }
        // Unsafe: see `RowComparer`.
        func value(_ place: UnsafeRawPointer) throws -> AttributeValue {
            try place.assumingMemoryBound(to: Value.self).pointee.encoded().attributeValue
        }
        let key = { (place: UnsafeRawPointer) in SaveKey([try value(place)]) }
        if mapping.attributes[index].directOffset != nil {
            let field = FieldRead(of: mapping.attributes[index])
            return RowComparer(
                stride: MemoryLayout<Value>.stride, fields: [field], readings: [], keyFields: isKey ? [field] : [],
                keyReadings: [], key: key)
        }
        let isSame: RowComparer.Comparison = { try value($0).isStoredSame(as: value($1)) }
        let isSameKey: RowComparer.Comparison = { try value($0) != .null && value($0).isStoredSame(as: value($1)) }
        return RowComparer(
            stride: MemoryLayout<Value>.stride, fields: [], readings: [isSame], keyFields: [],
            keyReadings: isKey ? [isSameKey] : [], key: key)
    }

    func written(_ value: UnsafePointer<Value>, as binding: EntityBinding<Object>) throws -> [AttributeValue?] {
        var values = [AttributeValue?](repeating: nil, count: binding.mapping.attributes.count)
        values[try binding.mapping.index(of: attribute)] = try value.pointee.encoded().attributeValue
        return values
    }

    func compareBranches(of trees: ComparedTrees<Value>, besides inverse: String?, _ comparison: TreeComparison) {}
}

extension AttributeMapping {
    /// Returns whether a tree with a version can be that of a new object, whose version is the default or left out.
    func isVersion(ofNewObject version: AttributeValue?) -> Bool {
        guard let version, version != .null else { return true }
        guard let defaultValue else { return false }
        return version.isStoredSame(as: defaultValue)
    }
}

extension EntityBinding {
    /// Whether values are written as one row of one entity, an attribute in each column.
    fileprivate var isComparable: Bool { cases == nil && mapping.composites.isEmpty && !isAbstract }
}
