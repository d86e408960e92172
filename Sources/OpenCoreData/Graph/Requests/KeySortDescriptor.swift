public import Foundation
import SwormPredicates
import SwormStore

/// A protocol of the sort descriptor class, for members that Foundation's own sort descriptors lack on this platform.
public protocol SortKeyPathing {}

extension NSSortDescriptor: SortKeyPathing {}

extension SortKeyPathing where Self == NSSortDescriptor {
    /// Creates a descriptor that sorts by a key path.
    ///
    /// - Parameters:
    ///   - key: An attribute, or the names of to-one relationships and of an attribute joined by dots.
    ///   - ascending: Whether small values come first. Nil is the smallest value.
    public init(key: String?, ascending: Bool) { self = KeySortDescriptor(key: key ?? "", ascending: ascending) }
}

extension SortKeyPathing {
    /// The key path to sort by; nil if the descriptor was created from a Swift key path.
    public var key: String? { (self as? KeySortDescriptor)?.path }
}

/// A sort descriptor that stores the key path as a string.
final class KeySortDescriptor: NSSortDescriptor {
    let path: String

    init(key: String, ascending: Bool) {
        path = key
        super.init(keyPath: \String.count, ascending: ascending)
    }

    /// Not supported, because a descriptor is created from its key.
    @available(*, unavailable)
    required init?(coder: NSCoder) { nil }

    /// The descriptor for the opposite order.
    override var reversedSortDescriptor: Any { KeySortDescriptor(key: path, ascending: !ascending) }

    /// Returns the descriptor itself, because it is immutable.
    override func copy(with zone: NSZone? = nil) -> Any { self }
}

extension NSSortDescriptor {
    /// Returns the descriptor as a value.
    func sort() throws -> FetchSpecification.Sort {
        guard let key, !key.isEmpty else {
            throw CoreDataError(
                NSPersistentStoreUnsupportedRequestTypeError,
                "A fetch cannot use a sort descriptor made from a Swift key path or a closure. Use `NSSortDescriptor(key:ascending:)`."
            )
        }
        return FetchSpecification.Sort(path: key.split(separator: ".").map(String.init), ascending: ascending)
    }
}
