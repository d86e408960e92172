import Dispatch

/// The queue of the main actor. On Linux, its jobs may run on any thread.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    /// Whether the calling code runs on the main queue.
    static var isCurrent: Bool { DispatchQueue.getSpecific(key: key) ?? false }
}
