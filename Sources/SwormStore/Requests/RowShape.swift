package import SwormPredicates

/// Which cells the rows of one fetch have, and which of them hold the properties of each entity that can turn up.
///
/// A fetch of an entity also brings the objects of its sub-entities. The cells are the primary key, the entity number, the
/// version, then the stored attributes and the to-one relationships of the whole family.
package final class RowShape: Sendable {
    package enum Cell: Sendable, Hashable {
        case primaryKey
        case entity
        case version
        /// A stored attribute: the entity that declares it, and its slot there.
        case attribute(entity: Int, slot: Int)
        /// The key of a to-one relationship's destination.
        case toOneKey(entity: Int, slot: Int)
        /// The entity number of a to-one relationship's destination, where that has sub-entities.
        case toOneEntity(entity: Int, slot: Int)
    }

    package static let primaryKeyCell = 0
    package static let entityCell = 1
    package static let versionCell = 2

    /// The number of the fetched entity.
    package let entity: Int
    package let cells: [Cell]
    /// For one entity after the other, by attribute slot: the cell, or -1 for a transient attribute.
    private let attributeCells: [Int]
    /// By entity number less the fetched entity's: where its attributes begin in `attributeCells`.
    private let attributeStarts: [Int]
    /// By entity number less the fetched entity's, then relationship slot: the cells of key and entity, or -1.
    private let toOneCells: [[(key: Int, entity: Int)]]

    /// Where the value of an attribute stands that is no more than its cell.
    package struct PlainCell: Sendable {
        /// Below zero where the entity of the row, or the session, has to be asked.
        package let cell: Int32
        package let type: AttributeType
    }

    /// By attribute slot, where all rows are of one entity; otherwise empty.
    package let plainCells: ContiguousArray<PlainCell>

    package init(model: CompiledModel, entity number: Int) {
        let fetched = model[number]
        var cells: [Cell] = [.primaryKey, .entity, .version]
        var attributeCells: [[Int]] = []
        var toOneCells: [[(key: Int, entity: Int)]] = []
        for member in fetched.family {
            let entity = model[member]
            // In pre-order the superentity of a member has been laid out before it, unless it stands above the fetched one.
            let above = entity.superentity.flatMap { fetched.family.contains($0) ? $0 - number : nil }
            var attributes = above.map { attributeCells[$0] } ?? []
            for slot in attributes.count..<entity.attributes.count {
                if entity.attributes[slot].isTransient {
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
                guard !relationship.isToMany, !relationship.isTransient else {
                    toOnes.append((-1, -1))
                    continue
                }
                let key = cells.count
                cells.append(.toOneKey(entity: member, slot: slot))
                var entityCell = -1
                if model[relationship.destination].hasDescendants {
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
    package var memberCount: Int { toOneCells.count }

    /// The cell of an attribute for a row whose own entity has the given number; -1 for a transient attribute.
    package func cell(ofAttribute slot: Int, in number: Int) -> Int {
        attributeCells[attributeStarts[number - entity] + slot]
    }

    /// The cells of a to-one relationship for a row whose own entity has the given number; -1 where there is none.
    package func cells(ofToOne slot: Int, in number: Int) -> (key: Int, entity: Int) {
        toOneCells[number - entity][slot]
    }
}
