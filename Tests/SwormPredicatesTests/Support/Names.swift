import SwormPredicates

// Foundation has a type of the same name; a declaration of this module is preferred to both.
typealias Comparator = SwormPredicates.Comparator
