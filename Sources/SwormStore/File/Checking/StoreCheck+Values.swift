import SwormPredicates
import SwormSQLite

extension StoreCheck {
    /// Checks the attributes and to-one relationships that an entity declares itself, in one pass over its rows.
    func checkValues(of entity: CompiledEntity) throws {
        var questions: [(condition: String, issue: (Int64) -> StoreIssue)] = []
        let own = "Z_ENT BETWEEN \(entity.family.lowerBound) AND \(entity.family.upperBound)"
        for (slot, attribute) in entity.attributes.enumerated() where attribute.owner == entity.number {
            guard !attribute.isTransient, let column = layout.column(ofAttribute: slot, in: entity.number) else {
                continue
            }
            let quoted = SQLName.quoted(column)
            if let condition = Self.mistyped(quoted, type: attribute.type) {
                questions.append(
                    (
                        condition,
                        {
                            StoreIssue(
                                .type,
                                "\(entity.name).\(attribute.name): \($0) values are not of the type \(attribute.type.displayName)",
                                entity: entity.name, property: attribute.name)
                        }
                    ))
            }
            // A leaf of a composite can be missing together with the composite.
            if !attribute.isOptional, attribute.derivation == nil, !attribute.name.contains(".") {
                questions.append(missing(quoted, where: own, entity: entity, property: attribute.name))
            }
        }
        for (slot, relationship) in entity.relationships.enumerated() where relationship.owner == entity.number {
            guard !relationship.isOptional, let toOne = layout.toOne(slot, in: entity.number) else { continue }
            questions.append(
                missing(SQLName.quoted(toOne.column), where: own, entity: entity, property: relationship.name))
        }
        // SQLite supports up to 2000 columns.
        for start in stride(from: 0, to: questions.count, by: 200) {
            let part = questions[start..<min(start + 200, questions.count)]
            let sums = part.map { "total(\($0.condition))" }.joined(separator: ", ")
            var counts: [Int64] = []
            try connection.rows("SELECT \(sums) FROM \(table(entity.number))") { row in
                counts = part.indices.map { row.int64($0 - start) }
            }
            for (question, count) in zip(part, counts) where count > 0 { issues.append(question.issue(count)) }
        }
    }

    private func missing(
        _ column: String, where own: String, entity: CompiledEntity, property: String
    ) -> (String, (Int64) -> StoreIssue) {
        (
            "\(own) AND \(column) IS NULL",
            {
                StoreIssue(
                    .required, "\(entity.name).\(property): \($0) rows have no value, but it is required",
                    entity: entity.name, property: property, isRuleOfModel: true)
            }
        )
    }

    /// Returns a condition for values that an attribute of the type cannot have; nil for a type without a column.
    private static func mistyped(_ column: String, type: AttributeType) -> String? {
        func other(_ classes: String...) -> String {
            "typeof(\(column)) NOT IN ('null', \(classes.map { "'\($0)'" }.joined(separator: ", ")))"
        }
        func integer(_ range: String) -> String {
            "(\(other("integer")) OR (typeof(\(column)) = 'integer' AND \(column) NOT BETWEEN \(range)))"
        }
        return switch type {
        case .integer16: integer("-32768 AND 32767")
        case .integer32: integer("-2147483648 AND 2147483647")
        case .integer64: other("integer")
        case .boolean: integer("0 AND 1")
        case .double, .float, .date: other("real", "integer")
        case .decimal: "NOT \(DecimalAggregates.test)(\(column))"
        case .string, .uri: other("text")
        case .uuid: "(\(other("blob")) OR (typeof(\(column)) = 'blob' AND length(\(column)) <> 16))"
        case .binaryData, .transformable: other("blob")
        case .undefined, .objectID, .composite: nil
        }
    }

    /// Checks the uniqueness constraints that an entity declares itself. A missing value is not equal to any value.
    func checkConstraints(of entity: CompiledEntity) throws {
        let inherited = entity.superentity.map { columns[$0 - 1].uniqueConstraints(in: model) } ?? []
        for constraint in columns[entity.number - 1].uniqueConstraints(in: model) where !inherited.contains(constraint)
        {
            let values = constraint.columns.joined(separator: ", ")
            let present = constraint.columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
            let properties = constraint.properties.joined(separator: ", ")
            try count(
                "SELECT count(*) FROM (SELECT 1 FROM \(constraint.table) WHERE Z_ENT BETWEEN \(entity.family.lowerBound) AND \(entity.family.upperBound) AND \(present) GROUP BY \(values) HAVING count(*) > 1)"
            ) {
                StoreIssue(
                    .unique,
                    "\(entity.name): \($0) values of \(properties) must be unique, but several rows have them",
                    entity: entity.name, property: properties, isRuleOfModel: true)
            }
        }
    }
}
