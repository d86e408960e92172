import SwormStore

extension StoreDisk {
    /// That of a coordinator's options.
    init(coordinatorOptions options: [AnyHashable: Any]?) {
        self = options?[SwormDiskOption] as? StoreDisk ?? .system
    }
}
