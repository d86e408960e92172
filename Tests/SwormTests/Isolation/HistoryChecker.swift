/// An issue that a history of transactions over lists shows.
enum HistoryAnomaly: Equatable, CustomStringConvertible {
    /// A committed element is in no list.
    case lostUpdate(key: Int, element: Int)
    /// An element is in a list that was never committed, or twice.
    case abortedRead(key: Int, element: Int)
    /// A list ends with an element after which its transaction appended another one.
    case intermediateRead(key: Int, element: Int)
    /// A list that is not the beginning of the last state of it, though all its elements were committed.
    case otherOrder(key: Int, list: [Int])
    /// A transaction read something else than what it had read and appended before.
    case unstableRead(key: Int, list: [Int])
    /// Transactions each of which has to come before the next one, and the last before the first.
    case circle([HistoryEdge.Kind], transactions: [Int])

    var description: String {
        switch self {
        case .lostUpdate(let key, let element): "the committed element \(element) of list \(key) is lost"
        case .abortedRead(let key, let element): "list \(key) shows the element \(element), which was not committed"
        case .intermediateRead(let key, let element): "list \(key) ends with \(element), a part of a transaction"
        case .otherOrder(let key, let list): "list \(key) was once \(list), which is not how it begins in the end"
        case .unstableRead(let key, let list): "list \(key) changed within a transaction, to \(list)"
        case .circle(let kinds, let transactions):
            zip(transactions, kinds).map { "\($0) -\($1.rawValue)-> " }.joined() + "\(transactions.first ?? 0)"
        }
    }
}

/// One transaction comes before another one.
struct HistoryEdge: Equatable {
    enum Kind: String {
        /// Its element comes before the other one's.
        case ww
        /// The other one read its element.
        case wr
        /// It read the list without the other one's element.
        case rw
        /// The other one is the next in its session.
        case session
        /// It begins before it commits.
        case within
    }

    let kind: Kind
    let target: Int
}

/// Looks for anomalies in the transactions over lists that one store has seen.
///
/// A transaction reads at one moment and commits at another one, which is the same for those that are a point. From what it
/// read follows which moments come before which. If these go in a circle, there is no order of moments that explains the
/// history: transactions that are all points are not serializable, and the rest have not each read one snapshot and committed
/// over it. Write skew, two transactions that each read what the other one changed, is a circle for points alone.
struct HistoryChecker {
    private let transactions: [ListTransaction]
    private let final: [Int: [Int]]
    private var writers: [Int: Int] = [:]
    private var anomalies: [HistoryAnomaly] = []
    private var edges: [[HistoryEdge]]

    /// - Parameters:
    ///   - transactions: The transactions of each session in their order.
    ///   - final: The lists in the end, by their keys.
    init(_ transactions: [ListTransaction], final: [Int: [Int]]) {
        self.transactions = transactions
        self.final = final
        edges = Array(repeating: [], count: transactions.count * 2)
    }

    /// All that is wrong, circles last.
    static func anomalies(of transactions: [ListTransaction], final: [Int: [Int]]) -> [HistoryAnomaly] {
        var checker = HistoryChecker(transactions, final: final)
        checker.checkFinalLists()
        for number in transactions.indices { checker.checkReads(of: number) }
        checker.joinSessions()
        return checker.anomalies + checker.circles()
    }

    // MARK: Moments

    /// The moment at which a transaction reads.
    private func reading(_ number: Int) -> Int { 2 * number }

    /// The moment at which it commits.
    private func commit(_ number: Int) -> Int { isPoint(number) ? 2 * number : 2 * number + 1 }

    private func isPoint(_ number: Int) -> Bool {
        let transaction = transactions[number]
        // Without a commit there are only its reads.
        return transaction.isPoint || !transaction.isCommitted
    }

    private mutating func add(_ kind: HistoryEdge.Kind, _ first: Int, _ second: Int) {
        guard first != second else { return }
        switch kind {
        case .rw: edges[reading(first)].append(HistoryEdge(kind: kind, target: commit(second)))
        default: edges[commit(first)].append(HistoryEdge(kind: kind, target: reading(second)))
        }
    }

    // MARK: Lists

    private mutating func checkFinalLists() {
        for (number, transaction) in transactions.enumerated() where transaction.isCommitted {
            for (_, element) in transaction.appended { writers[element] = number }
        }
        var seen = Set<Int>()
        for (key, list) in final.sorted(by: { $0.key < $1.key }) {
            for (index, element) in list.enumerated() {
                guard let writer = writers[element], seen.insert(element).inserted else {
                    anomalies.append(.abortedRead(key: key, element: element))
                    continue
                }
                guard index > 0, let before = writers[list[index - 1]] else { continue }
                add(.ww, before, writer)
            }
        }
        for transaction in transactions where transaction.isCommitted {
            for (key, element) in transaction.appended where !seen.contains(element) {
                anomalies.append(.lostUpdate(key: key, element: element))
            }
        }
        for number in transactions.indices where !isPoint(number) {
            edges[reading(number)].append(HistoryEdge(kind: .within, target: commit(number)))
        }
    }

    private mutating func checkReads(of number: Int) {
        var known: [Int: [Int]] = [:]
        var appended: [Int: [Int]] = [:]
        for operation in transactions[number].operations {
            switch operation {
            case .append(let key, let element):
                if known[key] != nil { known[key]?.append(element) } else { appended[key, default: []].append(element) }
            case .read(let key, let list):
                if let before = known[key] {
                    if before != list { anomalies.append(.unstableRead(key: key, list: list)) }
                    continue
                }
                known[key] = list
                let own = appended[key] ?? []
                guard list.suffix(own.count).elementsEqual(own) else {
                    anomalies.append(.unstableRead(key: key, list: list))
                    continue
                }
                checkRead(of: number, key, list.dropLast(own.count))
            }
        }
    }

    /// Checks a list that a transaction found.
    private mutating func checkRead(of number: Int, _ key: Int, _ list: ArraySlice<Int>) {
        let last = final[key] ?? []
        guard last.starts(with: list) else {
            if let element = list.first(where: { writers[$0] == nil }) {
                anomalies.append(.abortedRead(key: key, element: element))
            } else if let element = endsInside(list, key) {
                anomalies.append(.intermediateRead(key: key, element: element))
            } else {
                anomalies.append(.otherOrder(key: key, list: Array(list)))
            }
            return
        }
        if let element = endsInside(list, key) { anomalies.append(.intermediateRead(key: key, element: element)) }
        if let element = list.last, let writer = writers[element] { add(.wr, writer, number) }
        if list.count < last.count, let writer = writers[last[list.count]] { add(.rw, number, writer) }
    }

    /// The last element of a list, if its transaction appended another one after it.
    private func endsInside(_ list: ArraySlice<Int>, _ key: Int) -> Int? {
        guard let element = list.last, let writer = writers[element] else { return nil }
        let last = transactions[writer].appended.last { $0.key == key }?.element
        return last == element ? nil : element
    }

    private mutating func joinSessions() {
        var last: [Int: Int] = [:]
        for (number, transaction) in transactions.enumerated() {
            if let before = last[transaction.session] { add(.session, before, number) }
            last[transaction.session] = number
        }
    }

    // MARK: Circles

    private func circles() -> [HistoryAnomaly] {
        StrongComponents.of(edges).filter { $0.count > 1 }.map { component in
            let circle = shortestCircle(from: component[0], in: Set(component))
            let steps = circle.filter { $0.kind != .within }
            return .circle(steps.map(\.kind), transactions: steps.map(\.source))
        }
    }

    /// A shortest way from a moment back to itself, as the numbers of transactions and the kinds of edges that leave them.
    private func shortestCircle(
        from start: Int, in component: Set<Int>
    ) -> [(source: Int, kind: HistoryEdge.Kind)] {
        var arrivals: [Int: (source: Int, kind: HistoryEdge.Kind)] = [:]
        var waiting = [start]
        var next = 0
        while next < waiting.count, arrivals[start] == nil {
            let moment = waiting[next]
            next += 1
            for edge in edges[moment] where component.contains(edge.target) && arrivals[edge.target] == nil {
                arrivals[edge.target] = (moment, edge.kind)
                waiting.append(edge.target)
            }
        }
        var circle: [(source: Int, kind: HistoryEdge.Kind)] = []
        var moment = start
        repeat {
            guard let arrival = arrivals[moment] else { break }
            circle.append((arrival.source / 2, arrival.kind))
            moment = arrival.source
        } while moment != start
        return circle.reversed()
    }
}
