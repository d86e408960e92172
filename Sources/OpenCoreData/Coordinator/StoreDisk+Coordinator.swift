import SwormStore

extension StoreDisk {
    /// Creates the disk from a coordinator's options.
    init(coordinatorOptions options: [AnyHashable: Any]?) {
        self = options?[SwormDiskOption] as? StoreDisk ?? .system
    }
}
