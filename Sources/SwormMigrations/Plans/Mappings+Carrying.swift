import Foundation
import Sworm

// Core Data's mappings contain expressions that it evaluates with the variables `source` and `manager`. Foundation
// supports such expressions on Apple's platforms only.

extension NSPropertyMapping {
    /// Returns a mapping from an attribute of the old object.
    static func attribute(_ name: String, from former: String) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        #if canImport(Darwin)
        mapping.valueExpression = NSExpression(format: "FUNCTION($source, 'valueForKey:', %@)", former)
        #else
        mapping.valueExpression = .source(former)
        #endif
        return mapping
    }

    /// Returns a mapping from a relationship of the old object to the successors of its destinations.
    static func relationship(_ name: String, from former: String) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        #if canImport(Darwin)
        mapping.valueExpression = NSExpression(
            format:
                "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', %@, FUNCTION($source, 'valueForKey:', %@))",
            former, former)
        #else
        mapping.valueExpression = .destinationInstances(forSourceRelationshipNamed: former)
        #endif
        return mapping
    }
}

extension NSEntityMapping {
    /// Makes the mapping carry over all objects of the old entity.
    func setSource() {
        #if canImport(Darwin)
        sourceExpression = NSExpression(
            format:
                "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', %@, 'TRUEPREDICATE'), $manager.sourceContext, NO)",
            sourceEntityName ?? "")
        #endif
    }
}
