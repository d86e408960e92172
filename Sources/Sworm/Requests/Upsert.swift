/// The types of ``ManagedObjectContext/upsert(_:on:onConflict:)``.
public enum Upsert {
    /// The policy of an upsert for a value whose unique attributes match an existing object.
    public struct Policy<PlainObject: ManagedObjectConvertible>: Sendable {
        enum Action: Sendable {
            case refuse, ignore, updateAll
            case update([any PartialKeyPath<PlainObject> & Sendable])
        }

        let action: Action

        /// Writes all attributes of the table into the existing object.
        public static var updateAll: Self { Self(action: .updateAll) }

        /// Leaves the existing object unchanged.
        public static var ignore: Self { Self(action: .ignore) }

        /// Throws an error, without writing any value of the call.
        public static var `throw`: Self { Self(action: .refuse) }

        /// Writes the given attributes into the existing object.
        ///
        /// Its remaining attributes are unchanged.
        ///
        /// - Parameter attributes: Properties of the table.
        public static func update(_ attributes: any PartialKeyPath<PlainObject> & Sendable...) -> Self {
            Self(action: .update(attributes))
        }
    }

    /// The result of an upsert: the numbers of values that were inserted, updated and ignored.
    public struct Result: Sendable, Hashable {
        /// The number of values that were inserted.
        public var inserted: Int

        /// The number of values that were written into an existing object, including objects that already had them.
        public var updated: Int

        /// The number of values whose existing object was left unchanged.
        public var ignored: Int

        /// Creates a result.
        ///
        /// - Parameters:
        ///   - inserted: The number of values that were inserted.
        ///   - updated: The number of values that were written into an existing object.
        ///   - ignored: The number of values whose existing object was left unchanged.
        public init(inserted: Int = 0, updated: Int = 0, ignored: Int = 0) {
            self.inserted = inserted
            self.updated = updated
            self.ignored = ignored
        }
    }
}

/// The policy of an upsert, under its former name.
@available(*, deprecated, renamed: "Upsert.Policy")
public typealias UpsertPolicy<PlainObject: ManagedObjectConvertible> = Upsert.Policy<PlainObject>

/// The result of an upsert, under its former name.
@available(*, deprecated, renamed: "Upsert.Result")
public typealias UpsertResult = Upsert.Result
