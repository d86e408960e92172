import Sworm
import TestSupport

/// A condition on leaves, for the library and for the model.
enum RandomFilter: CustomStringConvertible {
    case all
    case keys(Range<Int>)
    case a(String)
    case b(String)
    case owner(Int)

    /// Any condition.
    init(_ run: RandomRun) {
        if run.random.chance(20) { self = .all } else { self = RandomFilter(narrow: run) ?? .all }
    }

    /// A condition that few leaves fulfil.
    init?(narrow run: RandomRun) {
        switch run.random.pick(5) {
        case 0: self = .a(run.recentText())
        case 1: self = .b(run.recentText())
        case 2:
            guard let stem = run.someStem() else { return nil }
            self = .owner(stem)
        default:
            guard let leaf = run.someLeaf() else { return nil }
            self = .keys(leaf.key..<leaf.key + run.random.pick(8) + 1)
        }
    }

    var request: Request<RandomLeaf> {
        switch self {
        case .all: return RandomLeaf.all
        case .keys(let keys):
            let (first, end) = (keys.lowerBound, keys.upperBound)
            return RandomLeaf.all.where { $0.key >= first && $0.key < end }
        case .a(let text): return RandomLeaf.all.where { $0.a == text }
        case .b(let text): return RandomLeaf.all.where { $0.b == text }
        case .owner(let key): return RandomLeaf.all.where { $0.owner.key == key }
        }
    }

    func matches(_ leaf: PlainStore.Leaf) -> Bool {
        switch self {
        case .all: true
        case .keys(let keys): keys.contains(leaf.key)
        case .a(let text): leaf.a == text
        case .b(let text): leaf.b == text
        case .owner(let key): leaf.owner == key
        }
    }

    var description: String {
        switch self {
        case .all: "true"
        case .keys(let keys): "key in \(keys)"
        case .a(let text): "a == \(text)"
        case .b(let text): "b == \(text)"
        case .owner(let key): "owner == \(key)"
        }
    }
}
