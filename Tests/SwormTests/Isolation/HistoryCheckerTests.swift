import TestSupport
import Testing

@Suite("The checker of histories")
struct HistoryCheckerTests {
    typealias Operation = ListTransaction.Operation

    /// A committed transaction in a session of its own.
    private func transaction(
        _ session: Int, _ operations: Operation..., isPoint: Bool = false, isCommitted: Bool = true, undone: [Int] = []
    ) -> ListTransaction {
        ListTransaction(
            session: session, isPoint: isPoint, isCommitted: isCommitted, operations: operations, undone: undone)
    }

    private func anomalies(_ transactions: [ListTransaction], _ final: [Int: [Int]]) -> [HistoryAnomaly] {
        // The order in which sessions are listed is of no importance.
        let found = HistoryChecker.anomalies(of: transactions, final: final)
        #expect(HistoryChecker.anomalies(of: transactions.reversed(), final: final).isEmpty == found.isEmpty)
        return found
    }

    // MARK: Planted anomalies

    @Test func `finds a lost update`() {
        let found = anomalies(
            [
                transaction(1, .read(key: 1, list: []), .append(key: 1, element: 10)),
                transaction(2, .read(key: 1, list: []), .append(key: 1, element: 20)),
            ], [1: [20]])
        #expect(found == [.lostUpdate(key: 1, element: 10)])
    }

    @Test func `finds reads of values that were never committed`() {
        let failed = transaction(1, .append(key: 1, element: 10), isCommitted: false)
        #expect(
            anomalies([failed, transaction(2, .read(key: 1, list: [10]))], [:]) == [.abortedRead(key: 1, element: 10)])
        // An inner call that was undone, in a transaction that was committed.
        let inner = transaction(1, .append(key: 1, element: 11), undone: [10])
        #expect(
            anomalies([inner, transaction(2, .read(key: 1, list: [10]))], [1: [11]])
                == [.abortedRead(key: 1, element: 10)])
        #expect(anomalies([inner], [1: [10, 11]]) == [.abortedRead(key: 1, element: 10)])
    }

    @Test func `finds a read of a part of a transaction`() {
        let writer = transaction(1, .append(key: 1, element: 10), .append(key: 1, element: 11))
        let found = anomalies([writer, transaction(2, .read(key: 1, list: [10]))], [1: [10, 11]])
        #expect(found.first == .intermediateRead(key: 1, element: 10))
    }

    @Test(arguments: [false, true]) func `finds two transactions that saw each other`(isPoint: Bool) {
        let found = anomalies(
            [
                transaction(1, .read(key: 2, list: [20]), .append(key: 1, element: 10), isPoint: isPoint),
                transaction(2, .read(key: 1, list: [10]), .append(key: 2, element: 20), isPoint: isPoint),
            ], [1: [10], 2: [20]])
        #expect(found.count == 1)
        guard case .circle(let kinds, let transactions)? = found.first else { return #expect(Bool(false)) }
        #expect(kinds == [.wr, .wr] && Set(transactions) == [0, 1])
    }

    @Test func `finds a reader of two states`() {
        // It sees the one element of a transaction and not the other one.
        let found = anomalies(
            [
                transaction(1, .append(key: 1, element: 10), .append(key: 2, element: 20)),
                transaction(2, .read(key: 1, list: [10]), .read(key: 2, list: [])),
            ], [1: [10], 2: [20]])
        guard case .circle(let kinds, _)? = found.first else { return #expect(Bool(false)) }
        #expect(Set(kinds) == [.rw, .wr] && kinds.count == 2)
    }

    @Test func `finds readers that see two transactions in different orders`() {
        let found = anomalies(
            [
                transaction(1, .append(key: 1, element: 10)), transaction(2, .append(key: 2, element: 20)),
                transaction(3, .read(key: 1, list: [10]), .read(key: 2, list: [])),
                transaction(4, .read(key: 1, list: []), .read(key: 2, list: [20])),
            ], [1: [10], 2: [20]])
        #expect(found.count == 1)
    }

    @Test func `finds write skew where transactions are to be serializable, and only there`() {
        func skew(_ first: Bool, _ second: Bool) -> [HistoryAnomaly] {
            anomalies(
                [
                    transaction(1, .read(key: 1, list: []), .append(key: 2, element: 20), isPoint: first),
                    transaction(2, .read(key: 2, list: []), .append(key: 1, element: 10), isPoint: second),
                ], [1: [10], 2: [20]])
        }
        #expect(skew(true, true).count == 1)
        #expect(skew(false, false) == [])
        // The one that holds the lock has a moment between the two of the other one.
        #expect(skew(true, false) == [] && skew(false, true) == [])
    }

    @Test func `finds a session that does not see its own commits`() {
        let history = [transaction(1, .append(key: 1, element: 10)), transaction(1, .read(key: 1, list: []))]
        #expect(HistoryChecker.anomalies(of: history, final: [1: [10]]).count == 1)
        // In the other order of the two there is nothing wrong.
        #expect(HistoryChecker.anomalies(of: history.reversed(), final: [1: [10]]) == [])
    }

    @Test func `finds lists that change within a transaction, or are not prefixes of each other`() {
        let writer = transaction(1, .append(key: 1, element: 10))
        #expect(
            anomalies([writer, transaction(2, .read(key: 1, list: []), .read(key: 1, list: [10]))], [1: [10]])
                == [.unstableRead(key: 1, list: [10])])
        #expect(
            anomalies(
                [writer, transaction(2, .append(key: 1, element: 20)), transaction(3, .read(key: 1, list: [20]))],
                [1: [10, 20]]) == [.otherOrder(key: 1, list: [20])])
        #expect(anomalies([writer], [1: [10, 10]]) == [.abortedRead(key: 1, element: 10)])
    }

    // MARK: Clean histories

    @Test func `accepts a transaction that sees its own writes`() {
        let found = anomalies(
            [
                transaction(
                    1, .read(key: 1, list: []), .append(key: 1, element: 10), .read(key: 1, list: [10]),
                    .append(key: 1, element: 11), .append(key: 2, element: 20), .read(key: 2, list: [20])),
                transaction(2, .append(key: 1, element: 12), .read(key: 1, list: [10, 11, 12]), isCommitted: false),
            ], [1: [10, 11], 2: [20]])
        #expect(found == [])
    }

    /// Transactions over snapshots, of which the first to commit wins, in a random order.
    private func snapshotHistory(seed: UInt64) -> ([ListTransaction], [Int: [Int]]) {
        var random = SeededRandom(seed: seed)
        var lists: [Int: [Int]] = [:]
        var running: [Int: (snapshot: [Int: [Int]], transaction: ListTransaction)] = [:]
        var history: [ListTransaction] = []
        for element in 1...300 {
            let session = random.pick(6)
            guard var (snapshot, transaction) = running[session] else {
                running[session] = (lists, ListTransaction(session: session, isPoint: false))
                continue
            }
            let key = random.pick(4)
            if random.chance(60) {
                let own = transaction.appended.filter { $0.key == key }.map(\.element)
                transaction.operations.append(.read(key: key, list: snapshot[key, default: []] + own))
                if random.chance(50) { transaction.operations.append(.append(key: key, element: element)) }
                running[session] = (snapshot, transaction)
            } else {
                transaction.isCommitted = transaction.appended.allSatisfy { lists[$0.key] == snapshot[$0.key] }
                if transaction.isCommitted {
                    for (key, element) in transaction.appended { lists[key, default: []].append(element) }
                }
                snapshot = lists
                history.append(transaction)
                running[session] = nil
            }
        }
        return (history, lists)
    }

    @Test func `accepts random histories over snapshots, most of which are not serializable`() {
        var circles = 0
        for seed in 0..<50 {
            let (history, final) = snapshotHistory(seed: UInt64(seed))
            #expect(HistoryChecker.anomalies(of: history, final: final) == [], "seed \(seed)")
            let points = history.map { transaction in
                var transaction = transaction
                transaction.isPoint = true
                return transaction
            }
            if !HistoryChecker.anomalies(of: points, final: final).isEmpty { circles += 1 }
        }
        #expect(circles > 25)
    }

    @Test func `transactions are passed as lines`() {
        let (history, _) = snapshotHistory(seed: 3)
        for var transaction in history {
            transaction.undone = [7, 8]
            #expect(ListTransaction(line: transaction.line) == transaction)
        }
        #expect(ListTransaction(line: "1 point committed u: x1:2") == nil && ListTransaction(line: "") == nil)
    }
}
