package import SwormPredicates

/// The cells in the rows of one fetch, and the mapping from the properties of each possible entity to these cells.
///
/// A fetch of an entity also returns the objects of its sub-entities. The cells are the primary key, the entity
/// number, the version, then the stored attributes and the to-one relationships of the whole family.
@usableFromInline
package final class RowShape: Sendable {
    package enum Cell: Sendable, Hashable {
        case primaryKey
        case entity
        case version
        /// A stored attribute, identified by the entity that declares it and its slot in that entity.
        case attribute(entity: Int, slot: Int)
        /// The key of a to-one relationship's destination.
        case toOneKey(entity: Int, slot: Int)
        /// The entity number of a to-one relationship's destination, if the destination has sub-entities. A shape of chosen
        /// properties has none.
        case toOneEntity(entity: Int, slot: Int)
    }

    // Computed, because a stored constant of another module is read through a call.
    @inlinable
    package static var primaryKeyCell: Int { 0 }
    @inlinable
    package static var entityCell: Int { 1 }
    @inlinable
    package static var versionCell: Int { 2 }

    /// The number of the fetched entity.
    @usableFromInline package let entity: Int
    package let cells: [Cell]
    /// The cells of attributes, entity by entity and by attribute slot; -1 for a transient attribute.
    @usableFromInline let attributeCells: [Int]
    /// The start of an entity's attributes in `attributeCells`, by entity number minus that of the fetched entity.
    @usableFromInline let attributeStarts: [Int]
    /// The cells of key and entity, or -1, by entity number minus that of the fetched entity, and relationship slot.
    @usableFromInline let toOneCells: [[(key: Int, entity: Int)]]

    /// The cell of an attribute whose value needs nothing but this cell.
    package struct PlainCell: Sendable {
        /// The index of the cell; below zero if the entity of the row, or the session, is needed to find the value.
        package let cell: Int32
        package let type: AttributeType
    }

    /// The plain cells by attribute slot if all rows belong to one entity; otherwise empty.
    package let plainCells: ContiguousArray<PlainCell>

    /// - Parameters:
    ///   - number: The number of the fetched entity.
    ///   - names: The names of the properties that have cells; nil for all. A composite attribute has those of its elements.
    ///     Any other property has the cell -1.
    package init(model: CompiledModel, entity number: Int, only names: Set<String>? = nil) {
        func isRead(_ name: String) -> Bool {
            names?.contains { name == $0 || name.hasPrefix($0 + ".") } ?? true
        }
        let fetched = model[number]
        var cells: [Cell] = [.primaryKey, .entity, .version]
        var attributeCells: [[Int]] = []
        var toOneCells: [[(key: Int, entity: Int)]] = []
        for member in fetched.family {
            let entity = model[member]
            // In pre-order, the superentity of a member was laid out before it, unless it is an ancestor of the
            // fetched entity.
            let above = entity.superentity.flatMap { fetched.family.contains($0) ? $0 - number : nil }
            var attributes = above.map { attributeCells[$0] } ?? []
            for slot in attributes.count..<entity.attributes.count {
                if entity.attributes[slot].isTransient || !isRead(entity.attributes[slot].name) {
                    attributes.append(-1)
                } else {
                    attributes.append(cells.count)
                    cells.append(.attribute(entity: member, slot: slot))
                }
            }
            attributeCells.append(attributes)
            var toOnes = above.map { toOneCells[$0] } ?? []
            for slot in toOnes.count..<entity.relationships.count {
                let relationship = entity.relationships[slot]
                guard !relationship.isToMany, !relationship.isTransient, isRead(relationship.name) else {
                    toOnes.append((-1, -1))
                    continue
                }
                let key = cells.count
                cells.append(.toOneKey(entity: member, slot: slot))
                var entityCell = -1
                if model[relationship.destination].hasDescendants, names == nil {
                    entityCell = cells.count
                    cells.append(.toOneEntity(entity: member, slot: slot))
                }
                toOnes.append((key, entityCell))
            }
            toOneCells.append(toOnes)
        }
        plainCells =
            fetched.family.count > 1
            ? []
            : ContiguousArray(
                attributeCells.joined().enumerated().map { slot, cell in
                    PlainCell(
                        cell: fetched.attributes[slot].allowsExternalStorage ? -1 : Int32(cell),
                        type: fetched.attributes[slot].type)
                })
        self.entity = number
        self.cells = cells
        self.attributeCells = attributeCells.flatMap { $0 }
        attributeStarts = attributeCells.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.count) }
        self.toOneCells = toOneCells
    }

    /// The number of entities in the fetched family.
    @inlinable
    package var memberCount: Int { toOneCells.count }

    /// Returns the cell of an attribute in a row that belongs to the entity with the given number; -1 for a transient
    /// attribute.
    @inlinable
    package func cell(ofAttribute slot: Int, in number: Int) -> Int {
        attributeCells[attributeStarts[number - entity] + slot]
    }

    /// Returns the cells of a to-one relationship in a row that belongs to the entity with the given number; -1 for a
    /// missing cell.
    @inlinable
    package func cells(ofToOne slot: Int, in number: Int) -> (key: Int, entity: Int) {
        toOneCells[number - entity][slot]
    }
}
