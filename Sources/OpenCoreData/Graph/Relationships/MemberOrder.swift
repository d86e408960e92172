/// The order of numbered members. Finding the position of a member and moving a member do not walk over all of them.
///
/// It is a treap: a binary tree whose nodes count the nodes of their subtrees. Each number has a priority that is
/// derived from it, and no node is below a node of a lower priority. Therefore the tree stays shallow, regardless of
/// the sequence of operations.
final class MemberOrder {
    /// A node of the tree. Links are indexes in `nodes`; 0 means no link.
    private struct Node {
        var left = 0
        var right = 0
        var parent = 0
        /// The number of nodes in the subtree, including this node.
        var count = 0
    }

    /// The nodes. The node of a number is at the index after it; the first node belongs to no number and stays empty.
    private var nodes = [Node()]
    private var root = 0
    /// The number of nodes that were visited.
    private(set) var steps = 0

    /// Creates an order.
    ///
    /// - Parameter numbers: The numbers from 0, each at most once, in their order.
    init(_ numbers: some Sequence<Int>) {
        var last = 0
        for number in numbers {
            let node = number + 1
            makeRoom(for: node)
            // The nodes with a lower priority on the right edge of the tree become children of the new node.
            var (below, above) = (0, last)
            while above != 0, Self.priority(above) < Self.priority(node) {
                count(above)
                (below, above) = (above, nodes[above].parent)
            }
            link(below, toLeftOf: node)
            if above == 0 { makeRoot(node) } else { link(node, toRightOf: above) }
            last = node
        }
        while last != 0 {
            count(last)
            last = nodes[last].parent
        }
    }

    init(copying other: MemberOrder) {
        nodes = other.nodes
        root = other.root
        steps = other.steps
    }

    var count: Int { nodes[root].count }

    /// The numbers in order.
    var numbers: [Int] {
        var found: [Int] = []
        found.reserveCapacity(count)
        var node = leftmost(root)
        while node != 0 {
            found.append(node - 1)
            node = next(after: node)
        }
        steps += found.count
        return found
    }

    /// Returns the number at a position, which must be valid.
    func number(at position: Int) -> Int {
        var (node, rest) = (root, position)
        while node != 0 {
            steps += 1
            let before = nodes[nodes[node].left].count
            if rest == before { break }
            if rest < before {
                node = nodes[node].left
            } else {
                rest -= before + 1
                node = nodes[node].right
            }
        }
        return node - 1
    }

    /// Returns the position of a number, which must be in the order.
    func position(of number: Int) -> Int {
        var node = number + 1
        var position = nodes[nodes[node].left].count
        while nodes[node].parent != 0 {
            steps += 1
            let parent = nodes[node].parent
            if nodes[parent].right == node { position += nodes[nodes[parent].left].count + 1 }
            node = parent
        }
        return position
    }

    /// Inserts a number at a position. The number must not be in the order yet.
    func insert(_ number: Int, at position: Int) {
        let node = number + 1
        makeRoom(for: node)
        nodes[node] = Node(count: 1)
        guard root != 0 else { return makeRoot(node) }
        var (parent, rest) = (root, position)
        while true {
            steps += 1
            nodes[parent].count += 1
            let (left, right) = (nodes[parent].left, nodes[parent].right)
            let before = nodes[left].count
            if rest <= before {
                guard left != 0 else {
                    link(node, toLeftOf: parent)
                    break
                }
                parent = left
            } else {
                rest -= before + 1
                guard right != 0 else {
                    link(node, toRightOf: parent)
                    break
                }
                parent = right
            }
        }
        while nodes[node].parent != 0, Self.priority(nodes[node].parent) < Self.priority(node) { raise(node) }
    }

    /// Removes a number, which must be in the order.
    func remove(_ number: Int) {
        let node = number + 1
        while true {
            let (left, right) = (nodes[node].left, nodes[node].right)
            if left == 0 && right == 0 { break }
            raise(right == 0 || left != 0 && Self.priority(left) > Self.priority(right) ? left : right)
        }
        replace(node, by: 0)
        var above = nodes[node].parent
        while above != 0 {
            steps += 1
            nodes[above].count -= 1
            above = nodes[above].parent
        }
        nodes[node] = Node()
    }

    // MARK: The tree

    /// Returns the priority of a node. It is always the same for a node, and behaves like a random number.
    private static func priority(_ node: Int) -> UInt64 {
        var bits = UInt64(truncatingIfNeeded: node) &* 0x9E37_79B9_7F4A_7C15
        bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
        bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
        return bits ^ (bits >> 31)
    }

    private func makeRoom(for node: Int) {
        while nodes.count <= node { nodes.append(Node()) }
    }

    private func count(_ node: Int) {
        steps += 1
        nodes[node].count = nodes[nodes[node].left].count + nodes[nodes[node].right].count + 1
    }

    private func makeRoot(_ node: Int) {
        root = node
        if node != 0 { nodes[node].parent = 0 }
    }

    private func link(_ node: Int, toLeftOf parent: Int) {
        nodes[parent].left = node
        if node != 0 { nodes[node].parent = parent }
    }

    private func link(_ node: Int, toRightOf parent: Int) {
        nodes[parent].right = node
        if node != 0 { nodes[node].parent = parent }
    }

    /// Replaces a node in its parent by another node, or by none.
    private func replace(_ node: Int, by other: Int) {
        let parent = nodes[node].parent
        if parent == 0 {
            makeRoot(other)
        } else if nodes[parent].left == node {
            link(other, toLeftOf: parent)
        } else {
            link(other, toRightOf: parent)
        }
    }

    /// Rotates a node with its parent. The order does not change.
    private func raise(_ node: Int) {
        let parent = nodes[node].parent
        replace(parent, by: node)
        if nodes[parent].left == node {
            link(nodes[node].right, toLeftOf: parent)
            link(parent, toRightOf: node)
        } else {
            link(nodes[node].left, toRightOf: parent)
            link(parent, toLeftOf: node)
        }
        count(parent)
        count(node)
    }

    private func leftmost(_ node: Int) -> Int {
        var node = node
        while nodes[node].left != 0 { node = nodes[node].left }
        return node
    }

    private func next(after node: Int) -> Int {
        if nodes[node].right != 0 { return leftmost(nodes[node].right) }
        var (node, parent) = (node, nodes[node].parent)
        while parent != 0, nodes[parent].right == node { (node, parent) = (parent, nodes[parent].parent) }
        return parent
    }
}
