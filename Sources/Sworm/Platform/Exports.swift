// The engine under Sworm, which is re-exported: Core Data if the platform has it, or else OpenCoreData.
#if canImport(CoreData)
@_exported public import CoreData
#else
@_exported public import OpenCoreData
#endif
@_exported public import SwormPredicates
