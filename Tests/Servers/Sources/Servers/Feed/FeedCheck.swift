import Sworm

/// Compares the lines of a feed with the order in which the transactions were committed.
struct FeedCheck {
    private(set) var faults: [String] = []
    private(set) var commits: [Commit] = []
    private(set) var changes = 0
    private var last: Int64 = 0
    private var turn = 0
    private var numbers: [String: Int] = [:]
    /// The changes of the writes of one transaction, which follow each other up to its last one.
    private var open = (inserted: 0, updated: 0, deleted: 0)

    mutating func read(_ line: FeedLine) {
        let number = line.token.number
        check(number > last, "the write \(number) follows \(last)")
        last = number
        open.inserted += line.inserted
        open.updated += line.updated
        open.deleted += line.deleted
        changes += line.inserted + line.updated + line.deleted + line.commits.count
        check(line.commits.count < 2, "the write \(number) belongs to \(line.commits.count) transactions")
        for commit in line.commits { read(commit) }
    }

    private mutating func read(_ commit: Commit) {
        let name = "transaction \(commit.number) of \(commit.writer)"
        check(
            open == (commit.inserted, commit.updated, commit.deleted),
            "\(name) has made \((commit.inserted, commit.updated, commit.deleted)) changes, and the feed has \(open)")
        open = (0, 0, 0)
        let before = numbers.updateValue(commit.number, forKey: commit.writer) ?? 0
        check(commit.number == before + 1, "\(name) follows its transaction \(before)")
        check(commit.seen <= turn, "\(name) has read the turn \(commit.seen), and comes before it")
        if commit.turn > 0 {
            check(commit.turn == turn + 1, "\(name) with the turn \(commit.turn) follows the turn \(turn)")
            turn = commit.turn
        }
        commits.append(commit)
    }

    /// Checks that no transaction is missing.
    mutating func end(committed: Int, changes: Int) {
        check(open == (0, 0, 0), "the feed ends within a transaction: \(open)")
        check(commits.count == committed, "the feed has \(commits.count) of \(committed) transactions")
        check(changes == self.changes, "the feed has \(self.changes) of \(changes) changes")
        check(Set(commits).count == commits.count, "a transaction is repeated")
    }

    private mutating func check(_ holds: Bool, _ text: String) {
        if !holds { faults.append(text) }
    }
}
