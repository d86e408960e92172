import Foundation
import Sworm

// Core Data's mappings hold expressions that it evaluates with the variables `source` and `manager`. Foundation has such
// expressions on Apple's platforms only.

extension NSPropertyMapping {
    /// The value of an attribute of the old object.
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

    /// What those objects have become that a relationship of the old object leads to.
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
    /// Has all objects of the old entity carried over.
    func setSource() {
        #if canImport(Darwin)
        sourceExpression = NSExpression(
            format:
                "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', %@, 'TRUEPREDICATE'), $manager.sourceContext, NO)",
            sourceEntityName ?? "")
        #endif
    }
}
