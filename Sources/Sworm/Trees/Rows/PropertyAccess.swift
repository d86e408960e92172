/// Access to a property of a tree, through its memory if it has storage of its own.
struct PropertyAccess<Tree, Value>: Sendable {
    let keyPath: any WritableKeyPath<Tree, Value> & Sendable
    private let offset: Int?

    init(_ keyPath: any WritableKeyPath<Tree, Value> & Sendable) {
        self.keyPath = keyPath
        offset = MemoryLayout<Tree>.offset(of: keyPath)
    }

    /// The part of the tree's memory that belongs to the property.
    var memory: Range<Int>? { offset.map { $0..<$0 + MemoryLayout<Value>.size } }

    func set(_ value: consuming Value, of tree: UnsafeMutablePointer<Tree>) {
        // Unsafe: a key path with an offset leads to a stored property of exactly this type.
        if let offset {
            (UnsafeMutableRawPointer(tree) + offset).assumingMemoryBound(to: Value.self).pointee = value
        } else {
            tree.pointee[keyPath: keyPath] = value
        }
    }
}
