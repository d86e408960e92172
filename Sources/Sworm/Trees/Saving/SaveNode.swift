import SwormPredicates

/// An object of the saved trees, which may be in them more than once.
final class SaveNode {
    /// The importance of an appearance's values.
    enum Rank: Int, Comparable {
        /// The values are not written.
        case linked
        /// The values are written if the object is new.
        case inserted
        case updated

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    let place: SavePlace
    private(set) var rank: Rank
    /// The values, and those of further appearances as other types.
    private(set) var parts: [EncodedValue]
    /// The object; nil for a new one that is not inserted yet.
    var object: NSManagedObject?
    let isNew: Bool
    /// Whether the save has changed an attribute, or the order of a relation.
    var isUpdated = false
    /// The index of the object's update among the changes of a preview.
    var update: Int?
    /// Whether the save has changed a relation.
    var isRelinked = false
    /// Whether the save has changed an object that belongs to this one.
    var hasChangedParts = false
    /// The version that the tree has read; see ``Branch/version(_:)``.
    var version: SavedVersion?
    /// The number of trees and relations that have the object. It is not written without any.
    var uses = 0
    /// Whether the save has objects behind its relations.
    var hasLinks = false

    init(_ value: EncodedValue, at place: SavePlace, rank: Rank, object: NSManagedObject?) {
        self.place = place
        self.rank = rank
        self.object = object
        isNew = object == nil
        parts = [value]
    }

    var type: any SaveType { parts[0].type }
    var entityName: String { type.entityName }

    /// Adds another appearance of the object.
    ///
    /// - Throws: An error if it has other values, unless the policy takes the last ones.
    func add(_ value: EncodedValue, at place: SavePlace, rank: Rank, repeats policy: RepeatPolicy) throws {
        if rank > self.rank {
            parts = [value]
            self.rank = rank
            return
        }
        if rank < self.rank || rank == .linked { return }
        // The parts may be of several entities of one hierarchy, in which a name is that of one attribute.
        for index in parts.indices {
            var part = parts[index]
            try merge(value, into: &part, at: place, repeats: policy)
            parts[index] = part
        }
        let isKnown = parts.contains { $0.type.attributes.map(\.name) == value.type.attributes.map(\.name) }
        if !isKnown { parts.append(value) }
    }

    /// Adds the version of another appearance of the object. One that leaves it out does not hide the version of another one.
    func add(_ version: SavedVersion, repeats policy: RepeatPolicy) {
        if self.version?.value == nil || policy.takesLast && version.value != nil { self.version = version }
    }

    private func merge(
        _ value: EncodedValue, into part: inout EncodedValue, at place: SavePlace, repeats policy: RepeatPolicy
    ) throws {
        let names = part.type.attributes.map(\.name)
        for (index, attribute) in value.type.attributes.enumerated() {
            guard let new = value.values[index], let own = names.firstIndex(of: attribute.name) else { continue }
            if let old = part.values[own], !old.isStoredSame(as: new), !policy.takesLast {
                throw StoreError(
                    .validation,
                    "\(place.path) and \(self.place.path) are the same \(entityName), and have different values: \(attribute.name) is \(excerpt(new)) and \(excerpt(old)). Make them equal, or save with `repeats: .last`.",
                    entity: entityName, attribute: attribute.name, path: place.path)
            }
            part.values[own] = new
        }
    }
}

/// The position of an appearance in the saved trees.
final class SavePlace {
    private let owner: SavePlace?
    private let label: String
    private let index: Int?
    /// Whether the trees have an attribute there, and not an object.
    let isAttribute: Bool

    init(in owner: SavePlace? = nil, label: String = "", index: Int? = nil, isAttribute: Bool = false) {
        (self.owner, self.label, self.index, self.isAttribute) = (owner, label, index, isAttribute)
    }

    /// The position, such as `[3].reviews[1]`. It is composed only for messages.
    var path: String {
        let above = owner?.path ?? ""
        let name = above.isEmpty || label.isEmpty ? label : "." + label
        return above + name + (index.map { "[\($0)]" } ?? "")
    }

    /// The position of an attribute of the object.
    func path(of attribute: String?) -> String {
        [path, isAttribute ? "" : attribute ?? ""].filter { !$0.isEmpty }.joined(separator: ".")
    }
}

/// A version that a save compares and moves on.
struct SavedVersion {
    let type: any SaveType
    /// The index of the attribute.
    let index: Int
    /// The version that the tree was read at; nil if the tree leaves it out, so that nothing is compared.
    let value: AttributeValue?

    /// The name of the attribute.
    var name: String { type.attributes[index].name }
}
