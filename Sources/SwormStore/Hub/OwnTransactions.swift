/// The numbers of the transactions in a file's history that this process has committed, each with the store that has made
/// it.
///
/// Consecutive numbers of one store take the memory of one number.
struct OwnTransactions: Sendable {
    private struct Run {
        var numbers: ClosedRange<Int64>
        var store: ObjectIdentifier
    }

    /// The number of runs above which the oldest ones are forgotten. Their transactions then count as those of another
    /// process.
    private static let limit = 100_000

    /// In ascending order of their numbers.
    private var runs: [Run] = []

    /// Adds a transaction. Called under the write lock of the file, so the numbers ascend.
    mutating func add(_ number: Int64, of store: ObjectIdentifier) {
        // The number was used before by a commit that has failed, or of which it is unknown whether it has failed.
        remove(from: number)
        if let last = runs.last, last.store == store, last.numbers.upperBound == number - 1 {
            runs[runs.count - 1].numbers = last.numbers.lowerBound...number
        } else {
            runs.append(Run(numbers: number...number, store: store))
            if runs.count > Self.limit { runs.removeFirst(Self.limit / 10) }
        }
    }

    /// Removes the transactions from a number on, because their commit has failed.
    mutating func remove(from number: Int64) {
        while let last = runs.last, last.numbers.upperBound >= number {
            if last.numbers.lowerBound >= number {
                runs.removeLast()
            } else {
                runs[runs.count - 1].numbers = last.numbers.lowerBound...(number - 1)
            }
        }
    }

    /// Returns the store that has committed a transaction; nil for another process.
    func store(of number: Int64) -> ObjectIdentifier? {
        var (low, high) = (0, runs.count)
        while low < high {
            let middle = (low + high) / 2
            if runs[middle].numbers.upperBound < number { low = middle + 1 } else { high = middle }
        }
        guard low < runs.count, runs[low].numbers.contains(number) else { return nil }
        return runs[low].store
    }
}
