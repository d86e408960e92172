/// The changes that a save of trees would make, from ``ManagedObjectContext/plan(saving:on:repeats:replacing:)``.
public struct SavePreview: Sendable, Hashable, CustomStringConvertible {
    /// A change of one object.
    public struct Change: Sendable, Hashable, CustomStringConvertible {
        /// The kind of a change.
        public enum Kind: String, Sendable, Hashable {
            case insert, update, delete, link, unlink
        }

        /// An attribute that the save writes, or the order of a relation.
        public struct Value: Sendable, Hashable {
            /// The name of the attribute; `order of` and the name of a relation for its order, which has no values.
            public let name: String
            /// The stored value, as text; nil for none.
            public let old: String?
            /// The new value, as text; nil for none.
            public let new: String?
        }

        /// The kind of the change.
        public let kind: Kind
        /// The position in the trees, such as `[3].reviews[1]`; for an object that is deleted or unlinked, that of its former
        /// owner's branch.
        public let path: String
        /// The name of the entity.
        public let entity: String
        /// The URL of the object; nil if it is new.
        public let id: String?
        /// The attributes that are written; empty unless the change is an insertion or an update.
        public internal(set) var values: [Value]

        /// The change on one line.
        public var description: String {
            let object = "\(entity)\(id.map { " " + $0.split(separator: "/").suffix(1).joined() } ?? "")"
            let values = values.map { value in
                switch (value.old, value.new) {
                case (nil, nil): kind == .update ? value.name : "\(value.name): nil"
                case (nil, let new): "\(value.name): \(new ?? "nil")"
                case (let old?, let new): "\(value.name): \(old) -> \(new ?? "nil")"
                }
            }
            let place = path.isEmpty ? "" : "\(path): "
            return "\(place)\(kind.rawValue) \(object)\(values.isEmpty ? "" : " (\(values.joined(separator: ", ")))")"
        }
    }

    /// The numbers of objects.
    public let result: TreeSaveResult
    /// The changes, owners before the objects behind their relations.
    public let changes: [Change]

    /// The changes, one on each line.
    public var description: String { changes.map(\.description).joined(separator: "\n") }
}
