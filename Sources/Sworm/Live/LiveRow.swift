/// An object of a live list: its value, together with its identity.
///
/// The properties of the value are members of the row: `row.title`.
@dynamicMemberLookup
public struct LiveRow<PlainObject: ManagedObjectConvertible>: Identifiable {
    /// The identity of the object, which stays the same while its value changes.
    public let id: ManagedObjectID<PlainObject>
    /// The value of the object.
    public let value: PlainObject

    init(_ rows: LiveRows<PlainObject>, at offset: Int) {
        let record = rows[offset]
        id = ManagedObjectID(rows.sources.reference(of: record.identity))
        value = record.value
    }

    /// Accesses a property of the value.
    public subscript<Property>(dynamicMember keyPath: KeyPath<PlainObject, Property>) -> Property {
        value[keyPath: keyPath]
    }
}

extension LiveRow: Sendable where PlainObject: Sendable {}
