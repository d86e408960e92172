/// The purpose of a column of an entity's table.
struct ColumnUse {
    enum Role: Hashable {
        /// The value of an attribute, by slot.
        case attribute(Int)
        /// The key of the object that a to-one relationship points to, by slot.
        case key(Int)
        /// The number of the entity of the object that a to-one relationship points to, by slot.
        case entity(Int)
        /// The position of the row in the ordered inverse of a to-one relationship, by slot.
        case order(Int)
        /// The key of the object that owns the row through a to-many relationship without inverse.
        case ownerKey(PropertyLocation)
        /// The position of the row in such a relationship.
        case ownerOrder(PropertyLocation)
    }

    var column: String
    /// The number of the entity whose rows, and whose descendants' rows, have the column.
    var entity: Int
    var role: Role
}

extension StoreLayout {
    /// Returns the purposes of the columns of a table, without the columns that every table has.
    func uses(of root: CompiledEntity, in model: CompiledModel) -> [ColumnUse] {
        var uses: [ColumnUse] = []
        for number in root.family {
            let entity = model[number]
            for slot in model.ownAttributes(of: entity) {
                guard let column = column(ofAttribute: slot, in: number) else { continue }
                uses.append(ColumnUse(column: column, entity: number, role: .attribute(slot)))
            }
            for slot in model.ownRelationships(of: entity) {
                guard let toOne = toOne(slot, in: number) else { continue }
                uses.append(ColumnUse(column: toOne.column, entity: number, role: .key(slot)))
                if let column = toOne.entityColumn {
                    uses.append(ColumnUse(column: column, entity: number, role: .entity(slot)))
                }
                if let column = order(ofToOne: slot, in: entity) {
                    uses.append(ColumnUse(column: column, entity: number, role: .order(slot)))
                }
            }
        }
        for entity in model.entities {
            for slot in model.ownRelationships(of: entity) {
                let destination = model[entity.relationships[slot].destination]
                guard destination.root == root.number,
                    case .oneWay(let column, let order)? = toMany(slot, in: entity.number)
                else { continue }
                let place = PropertyLocation(entity: entity.number, slot: slot)
                uses.append(ColumnUse(column: column, entity: destination.number, role: .ownerKey(place)))
                if let order {
                    uses.append(ColumnUse(column: order, entity: destination.number, role: .ownerOrder(place)))
                }
            }
        }
        return uses
    }

    /// Returns the column that orders the rows in the inverse of a to-one relationship.
    func order(ofToOne slot: Int, in entity: CompiledEntity) -> String? {
        guard let inverse = entity.relationships[slot].inverse,
            case .inverse(_, let order?)? = toMany(inverse, in: entity.relationships[slot].destination)
        else { return nil }
        return order
    }
}
