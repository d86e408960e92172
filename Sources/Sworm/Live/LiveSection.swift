/// A section of a live list: adjacent objects with the same key.
///
/// A section is a collection of its objects, with offsets from zero.
public struct LiveSection<PlainObject: ManagedObjectConvertible, Key: Hashable & Sendable>: RandomAccessCollection,
    Identifiable
{
    /// The value that the objects of the section have in common.
    public let key: Key
    /// The offsets of the objects in the list.
    public let range: Range<Int>
    let rows: LiveRows<PlainObject>

    /// The identity of the section, which is its key.
    public var id: Key { key }

    /// The offset of the first object, which is zero.
    public var startIndex: Int { 0 }
    /// The number of objects.
    public var endIndex: Int { range.count }

    /// Accesses the object at an offset in the section.
    public subscript(offset: Int) -> LiveRow<PlainObject> { LiveRow(rows, at: range.lowerBound + offset) }
}

extension LiveSection: Sendable where PlainObject: Sendable {}
