/// The pause after commits were handled, before the next ones are.
///
/// A single commit is handled immediately. When commits come faster than they are handled, the next ones are collected for
/// a while, so that a burst of commits causes few reads and deliveries. Commits of other processes are collected by the watch
/// of the file, and need no pause.
struct LivePacing: Sendable {
    private static let shortest = Duration.milliseconds(2)
    private static let longest = Duration.milliseconds(32)

    private var pause = Duration.zero

    /// Returns the pause after a number of commits of this process were handled together.
    mutating func pause(after commits: Int) -> Duration {
        if commits < 2 {
            pause = .zero
        } else {
            pause = pause == .zero ? Self.shortest : min(pause * 2, Self.longest)
        }
        return pause
    }
}
