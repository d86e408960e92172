/// One transaction of a history over lists: what it read and what it appended, in the order in which it did so.
///
/// Every element is appended once, so that a list says in which order its transactions were committed.
struct ListTransaction: Equatable, Sendable {
    enum Operation: Equatable, Sendable {
        case read(key: Int, list: [Int])
        case append(key: Int, element: Int)
    }

    /// The thread that ran it: the transactions of one session follow each other.
    var session: Int
    /// Whether it has one moment: it only reads, or holds the write lock from its snapshot on. Else it reads at one moment
    /// and commits at another one.
    var isPoint: Bool
    var isCommitted = false
    var operations: [Operation] = []
    /// Elements that inner calls appended and undid.
    var undone: [Int] = []

    /// The elements that it appended, if it was committed.
    var appended: [(key: Int, element: Int)] {
        operations.compactMap { if case .append(let key, let element) = $0 { (key, element) } else { nil } }
    }
}

// A line of text for each transaction, to be passed from process to process.
extension ListTransaction {
    var line: String {
        var words = ["\(session)", isPoint ? "point" : "interval", isCommitted ? "committed" : "aborted"]
        words.append("u:" + Self.text(undone))
        for operation in operations {
            switch operation {
            case .read(let key, let list): words.append("r\(key):" + Self.text(list))
            case .append(let key, let element): words.append("a\(key):\(element)")
            }
        }
        return words.joined(separator: " ")
    }

    init?(line: some StringProtocol) {
        let words = line.split(separator: " ")
        guard words.count >= 4, let session = Int(words[0]) else { return nil }
        self.init(session: session, isPoint: words[1] == "point", isCommitted: words[2] == "committed")
        for word in words.dropFirst(3) {
            guard let colon = word.firstIndex(of: ":") else { return nil }
            let numbers = Self.numbers(word[word.index(after: colon)...])
            let key = Int(word[..<colon].dropFirst())
            switch (word.first, key) {
            case ("u", _): undone = numbers
            case ("r", let key?): operations.append(.read(key: key, list: numbers))
            case ("a", let key?):
                guard numbers.count == 1 else { return nil }
                operations.append(.append(key: key, element: numbers[0]))
            default: return nil
            }
        }
    }

    static func text(_ list: [Int]) -> String { list.map(String.init).joined(separator: ",") }
    static func numbers(_ text: some StringProtocol) -> [Int] { text.split(separator: ",").compactMap { Int($0) } }
}
