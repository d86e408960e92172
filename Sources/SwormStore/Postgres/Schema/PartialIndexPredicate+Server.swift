#if PostgreSQL
import SwormPredicates

extension PartialIndexPredicate {
    /// Creates a printer for the index of a server.
    ///
    /// Constants have the types of their columns, so that the server recognizes the conditions of requests.
    init(onServer entity: CompiledEntity, layout: StoreLayout) {
        func type(of column: Column) -> (attribute: AttributeType, storesSeconds: Bool)? {
            column.attribute.map { slot in
                let attribute = entity.attributes[slot]
                return (attribute.type, layout.storesSeconds(slot, of: attribute.owner))
            }
        }
        self.init(
            entity: entity, layout: layout, quoted: { SQLName.alwaysQuoted($0) },
            literal: { value, column in
                type(of: column).flatMap {
                    ServerLiteral.text(value, as: $0.attribute, storesSeconds: $0.storesSeconds)
                }
            },
            areComparable: { left, right in
                let (first, second) = (type(of: left), type(of: right))
                return first?.attribute == second?.attribute && first?.storesSeconds == second?.storesSeconds
            })
    }
}
#endif
