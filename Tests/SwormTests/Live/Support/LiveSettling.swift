import Dispatch
@testable import Sworm

extension LiveCenter {
    /// Returns after the commits that were announced before have been handled, also those of a burst.
    func settle() {
        let end = DispatchSemaphore(value: 0)
        afterCommits { end.signal() }
        end.wait()
    }
}
