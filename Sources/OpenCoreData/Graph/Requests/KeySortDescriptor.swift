public import Foundation
import SwormPredicates
import SwormStore

/// The form of a sort descriptor's class to which members can be added that Foundation's own descriptors lack here.
public protocol SortKeyPathing {}

extension NSSortDescriptor: SortKeyPathing {}

extension SortKeyPathing where Self == NSSortDescriptor {
    /// Makes a descriptor that orders by a key path.
    ///
    /// - Parameters:
    ///   - key: An attribute, or to-one relationships and an attribute joined by dots.
    ///   - ascending: Whether small values come first. Nil is the smallest.
    public init(key: String?, ascending: Bool) { self = KeySortDescriptor(key: key ?? "", ascending: ascending) }
}

extension SortKeyPathing {
    /// The key path that the descriptor orders by; nil for one that was made from a Swift key path.
    public var key: String? { (self as? KeySortDescriptor)?.path }
}

/// A sort descriptor that holds the key path as a string.
final class KeySortDescriptor: NSSortDescriptor {
    let path: String

    init(key: String, ascending: Bool) {
        path = key
        super.init(keyPath: \String.count, ascending: ascending)
    }

    /// Not supported: a descriptor is made from its key.
    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    /// The descriptor for the opposite order.
    override var reversedSortDescriptor: Any { KeySortDescriptor(key: path, ascending: !ascending) }

    /// Returns the descriptor itself: it never changes.
    override func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSSortDescriptor {
    /// The descriptor as a value.
    func sort() throws -> FetchSpecification.Sort {
        guard let key, !key.isEmpty else {
            throw CoreDataError(
                NSPersistentStoreUnsupportedRequestTypeError,
                "A fetch cannot use a sort descriptor made from a Swift key path or a closure. Use NSSortDescriptor(key:ascending:)."
            )
        }
        return FetchSpecification.Sort(path: key.split(separator: ".").map(String.init), ascending: ascending)
    }
}
