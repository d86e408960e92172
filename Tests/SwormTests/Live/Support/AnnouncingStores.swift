import TestSupport
import Testing

extension Trait where Self == OverStores {
    /// The test runs over each kind of store that announces a commit once, so that the work of live results can be counted. With
    /// Core Data, a file announces its own commits again, as those of other processes.
    static var overEachStoreThatAnnouncesOnce: Self {
        #if canImport(CoreData)
        .over(.memory)
        #else
        .overEachStore
        #endif
    }
}
