// The engine under Sworm: Core Data where the platform has it, our own elsewhere. `import Sworm` brings it along.
#if canImport(CoreData)
@_exported public import CoreData
#else
@_exported public import OpenCoreData
#endif
@_exported public import SwormPredicates
