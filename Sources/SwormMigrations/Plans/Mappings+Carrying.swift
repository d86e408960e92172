// This file imports no Foundation of its own: the names of its classes come from the engine, or from Core Data.
import Sworm

// The mappings contain expressions that a migration manager evaluates with the variables `source` and `manager`.

extension NSPropertyMapping {
    /// Returns a mapping from an attribute of the old object.
    static func attribute(_ name: String, from former: String) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = NSExpression(format: "FUNCTION($source, 'valueForKey:', %@)", former)
        return mapping
    }

    /// Returns a mapping from a relationship of the old object to the successors of its destinations.
    static func relationship(_ name: String, from former: String) -> NSPropertyMapping {
        let mapping = NSPropertyMapping()
        mapping.name = name
        mapping.valueExpression = NSExpression(
            format:
                "FUNCTION($manager, 'destinationInstancesForSourceRelationshipNamed:sourceInstances:', %@, FUNCTION($source, 'valueForKey:', %@))",
            former, former)
        return mapping
    }
}

extension NSEntityMapping {
    /// Makes the mapping carry over all objects of the old entity.
    func setSource() {
        sourceExpression = NSExpression(
            format:
                "FETCH(FUNCTION($manager, 'fetchRequestForSourceEntityNamed:predicateString:', %@, 'TRUEPREDICATE'), $manager.sourceContext, NO)",
            sourceEntityName ?? "")
    }
}
