import SwormPredicates
import SwormStore

/// The default values of the leaves of a composite attribute.
enum CompositeDefault {
    /// Returns the values by the paths of the leaves, relative to the composite; nil if the dictionary does not match
    /// the composite.
    static func values(_ any: Any, of composite: NSCompositeAttributeDescription) -> [String: AttributeValue]? {
        guard let dictionary = any as? [String: Any], composite.nestingDepth <= ModelLimits.compositeDepth else {
            return nil
        }
        var result: [String: AttributeValue] = [:]
        let elements = Dictionary(composite.elements.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        for (name, value) in dictionary {
            guard let element = elements[name] else { return nil }
            if let inner = element as? NSCompositeAttributeDescription {
                guard let values = values(value, of: inner) else { return nil }
                for (path, value) in values { result["\(name).\(path)"] = value }
            } else {
                guard let value = AttributeDefault.value(value, as: element.attributeType.attributeType) else {
                    return nil
                }
                if element.keeps(defaultValue: dictionary[name]) { result[name] = value }
            }
        }
        return result
    }
}
