/// What an upsert does about a value whose unique attributes an object has already.
public struct UpsertPolicy<PlainObject: ManagedObjectConvertible>: Sendable {
    enum Action: Sendable {
        case refuse, ignore, updateAll
        case update([any PartialKeyPath<PlainObject> & Sendable])
    }

    let action: Action

    /// The object gets all values of the table.
    public static var updateAll: Self { Self(action: .updateAll) }

    /// The object stays as it is.
    public static var ignore: Self { Self(action: .ignore) }

    /// It is an error, and nothing of the call is written.
    public static var `throw`: Self { Self(action: .refuse) }

    /// The object gets the values of some attributes; the others it keeps.
    ///
    /// - Parameter attributes: Properties of the table.
    public static func update(_ attributes: any PartialKeyPath<PlainObject> & Sendable...) -> Self {
        Self(action: .update(attributes))
    }
}

/// What became of the values of an upsert.
public struct UpsertResult: Sendable, Hashable {
    /// How many were new.
    public var inserted: Int

    /// How many had an object that got the values; it may have had them already.
    public var updated: Int

    /// How many had an object that was left alone.
    public var ignored: Int

    /// Makes a result.
    ///
    /// - Parameters:
    ///   - inserted: How many were new.
    ///   - updated: How many had an object that got the values.
    ///   - ignored: How many had an object that was left alone.
    public init(inserted: Int = 0, updated: Int = 0, ignored: Int = 0) {
        self.inserted = inserted
        self.updated = updated
        self.ignored = ignored
    }
}
