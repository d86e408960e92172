import SwormPredicates

// Foundation has types of the same names; a declaration of this module's own is preferred to both.
typealias Comparator = SwormPredicates.Comparator
typealias PredicateError = SwormPredicates.PredicateError
