import SwormStore

extension StoreDisk {
    /// Creates the disk that a coordinator's options specify. The default is the system's disk.
    init(coordinatorOptions options: [AnyHashable: Any]?) {
        self = options?[SwormDiskOption] as? StoreDisk ?? .system
    }
}
