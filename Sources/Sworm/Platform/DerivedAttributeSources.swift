import Foundation

#if canImport(CoreData)
import CoreData
#else
import OpenCoreData
#endif

extension NSDerivedAttributeDescription {
    /// The paths of the properties from which the value is computed, from the object.
    var sourcePaths: [[String]] {
        #if canImport(CoreData)
        let text = derivationExpression?.description
        #else
        let text = derivation
        #endif
        guard let text else { return [] }
        var path = text[...]
        if let open = text.firstIndex(of: "("), text.hasSuffix(")") {
            path = text[text.index(after: open)...].dropLast()
        }
        // A time of the last save changes with every property of the object.
        if path.isEmpty { return Self.storedNames(of: entity).map { [$0] } }
        return [path.split(separator: ".").map(String.init)]
    }

    private static func storedNames(of entity: NSEntityDescription) -> [String] {
        entity.attributesByName.filter { !($1 is NSDerivedAttributeDescription) }.keys.sorted()
            + entity.relationshipsByName.keys.sorted()
    }
}
