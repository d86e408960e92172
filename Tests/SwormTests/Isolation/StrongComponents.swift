/// The strongly connected components of a graph, by Tarjan's algorithm without recursion.
struct StrongComponents {
    private let edges: [[HistoryEdge]]
    private var indices: [Int]
    private var lowest: [Int]
    private var isOnStack: [Bool]
    private var stack: [Int] = []
    private var count = 0
    private var components: [[Int]] = []

    private init(_ edges: [[HistoryEdge]]) {
        self.edges = edges
        indices = Array(repeating: -1, count: edges.count)
        lowest = indices
        isOnStack = Array(repeating: false, count: edges.count)
    }

    /// - Parameter edges: The edges that leave each node.
    static func of(_ edges: [[HistoryEdge]]) -> [[Int]] {
        var search = StrongComponents(edges)
        for node in edges.indices where search.indices[node] < 0 { search.visit(node) }
        return search.components
    }

    private mutating func visit(_ root: Int) {
        // Nodes whose edges are being followed, each with its next edge.
        var way = [(node: root, next: 0)]
        enter(root)
        while let (node, next) = way.last {
            if next < edges[node].count {
                way[way.count - 1].next += 1
                let target = edges[node][next].target
                if indices[target] < 0 {
                    enter(target)
                    way.append((target, 0))
                } else if isOnStack[target] {
                    lowest[node] = min(lowest[node], indices[target])
                }
                continue
            }
            way.removeLast()
            if let above = way.last { lowest[above.node] = min(lowest[above.node], lowest[node]) }
            if lowest[node] == indices[node] { leave(node) }
        }
    }

    private mutating func enter(_ node: Int) {
        (indices[node], lowest[node]) = (count, count)
        count += 1
        stack.append(node)
        isOnStack[node] = true
    }

    /// Takes the component whose first node this is.
    private mutating func leave(_ first: Int) {
        var component: [Int] = []
        while let node = stack.popLast() {
            isOnStack[node] = false
            component.append(node)
            if node == first { break }
        }
        components.append(component.reversed())
    }
}
