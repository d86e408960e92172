// API of Apple's framework that the engine does not have, and that the branch uses.
#if !TEXT_INTERFACE
public import OpenCoreData
#endif

extension NSManagedObjectContext {
    /// The context to which saves are pushed. The engine has none.
    public var parent: NSManagedObjectContext? { nil }
}
