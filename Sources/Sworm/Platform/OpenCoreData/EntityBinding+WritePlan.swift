#if !canImport(CoreData)
import OpenCoreData
import SwormPredicates
import SwormSQLite
import SwormRows
import SwormStore

extension EntityBinding {
    /// Returns the mapping for encoding the values of a type into rows.
    static func makeWritePlan(
        _ mapping: EntityMapping<T>, entity: CompiledEntity, slots: [Int],
        composites: [Int: NSCompositeAttributeDescription]
    ) -> WritePlan<T> {
        var fields: [WritePlan<T>.Field] = []
        var sources: [ValueSource] = []
        for (index, attribute) in mapping.attributes.enumerated() {
            if let composite = composites[index] {
                let shape = CompositeShape(composite)
                for (slot, leaf) in entity.attributes.enumerated() where leaf.name.hasPrefix(attribute.name + ".") {
                    let path = leaf.name.dropFirst(attribute.name.count + 1).split(separator: ".").map(String.init)
                    fields.append(.init(slot: slot))
                    sources.append(.element(index, path, shape))
                }
                continue
            }
            fields.append(
                attribute.directOffset.map { offset in
                    .init(
                        slot: slots[index], kind: FieldKind(attribute.kind, isOptional: attribute.isOptional),
                        offset: offset)
                } ?? .init(slot: slots[index]))
            sources.append(.attribute(index))
        }
        return WritePlan(entity: entity.number, fields: fields) { [sources] object, field in
            switch sources[field] {
            case .attribute(let index): try mapping.value(index, of: object)
            case .element(let index, let path, let shape): try shape.element(path, of: mapping.value(index, of: object))
            }
        }
    }
}

/// The source of a column's value: an attribute, or an element of a composite that a type represents.
private enum ValueSource: Sendable {
    case attribute(Int)
    case element(Int, [String], CompositeShape)
}

extension CompositeShape {
    /// Returns the element at a path of a composite that is given as JSON.
    fileprivate func element(_ path: [String], of value: AttributeValue) throws -> AttributeValue {
        guard case .data(let json) = value else { return .null }
        var found: Any? = try decode(json)
        for name in path { found = (found as? [String: Any])?[name] }
        return AttributeValue(any: found) ?? .null
    }
}
#endif
