import SwormPredicates

/// The merge of three versions of a value, attribute by attribute: the version that was read, and two versions that were
/// changed independently.
struct DraftMerge<T: ManagedTreeConvertible> {
    private let versions: any MergedVersions<T>

    /// - Throws: The error of a value that cannot be encoded, and a ``StoreError`` if the versions are different cases of an
    ///   enum of structs.
    init(base: T, mine: T, theirs: T) throws { versions = try T.mapping.merge(base: base, mine: mine, theirs: theirs) }

    /// The attributes that both sides have changed, to different values, sorted by name.
    var conflicts: [DraftConflict.Attribute] { versions.conflicts }

    /// The attributes to write into the store, and their values: those that only this side has changed, and those of
    /// conflicts for which it has precedence.
    func written(_ resolution: DraftResolution) -> [(name: String, value: AttributeValue)] {
        versions.written(resolution)
    }

    /// Returns the merged value.
    ///
    /// - Throws: The error of a stored value that the type cannot hold.
    func merged(_ resolution: DraftResolution, into value: T) throws -> T {
        try versions.merged(resolution, into: value)
    }

    /// Returns the version to compare with after what only the other side has changed was taken over.
    func rebased(from value: T) throws -> T { try versions.rebased(from: value) }
}

/// Three versions of a value. See ``DraftMerge``.
protocol MergedVersions<Value> {
    associatedtype Value

    var conflicts: [DraftConflict.Attribute] { get }
    func written(_ resolution: DraftResolution) -> [(name: String, value: AttributeValue)]
    func merged(_ resolution: DraftResolution, into value: Value) throws -> Value
    func rebased(from value: Value) throws -> Value
}

extension EntityMapping {
    fileprivate func merge(base: T, mine: T, theirs: T) throws -> any MergedVersions<T> {
        if cases.isEmpty { return try StructVersions(base: base, mine: mine, theirs: theirs) }
        if let versions = try link(of: base).merge(base: base, mine: mine, theirs: theirs) { return versions }
        throw StoreError(
            .invalidRequest,
            "\(entityName): the draft is another case than the object. The entity of an object does not change; delete the object, and insert another one.",
            entity: entityName)
    }
}

extension SubentityLink {
    /// Returns the versions of a case; nil if they are different cases.
    fileprivate func merge(
        base: Superentity, mine: Superentity, theirs: Superentity
    ) throws -> (any MergedVersions<Superentity>)? {
        guard let base = object(of: base), let mine = object(of: mine), let theirs = object(of: theirs) else {
            return nil
        }
        return LinkedVersions(link: self, merge: try DraftMerge(base: base, mine: mine, theirs: theirs))
    }
}

/// Three versions of the same case of an enum of structs.
private struct LinkedVersions<Link: SubentityLink>: MergedVersions {
    let link: Link
    let merge: DraftMerge<Link.Object>

    var conflicts: [DraftConflict.Attribute] { merge.conflicts }

    func written(_ resolution: DraftResolution) -> [(name: String, value: AttributeValue)] { merge.written(resolution) }

    func merged(_ resolution: DraftResolution, into value: Link.Superentity) throws -> Link.Superentity {
        try changing(value) { try merge.merged(resolution, into: $0) }
    }

    func rebased(from value: Link.Superentity) throws -> Link.Superentity {
        try changing(value) { try merge.rebased(from: $0) }
    }

    private func changing(
        _ value: Link.Superentity, by change: (Link.Object) throws -> Link.Object
    ) throws -> Link.Superentity {
        try link.object(of: value).map { link.embed(try change($0)) } ?? value
    }
}
