#if PostgreSQL
import SwormPostgres
import SwormPredicates

/// A check of the rows of a store on a server for what no save leaves there.
///
/// Constraints of the server keep most of it from happening; other programs can write the rest, and tables with less constraints
/// than usual can have anything.
struct ServerRowCheck {
    let schema: ServerSchema
    let connection: PostgresConnection
    private var model: CompiledModel { schema.compiler.model }
    private var key: String { SystemColumns.postgres.key }

    /// A question for rows that violate a rule.
    private struct Question {
        var kind: StoreIssue.Kind
        var entity: CompiledEntity
        var property: String?
        /// The violation, as a phrase in front of the rows.
        var violation: String
        var severity = StoreIssue.Severity.error
        var isRuleOfModel = false
        /// The rows, with a column of their keys.
        var source: String
        var column: String
    }

    /// Returns the violations, one for each rule.
    func issues() throws -> [StoreIssue] {
        var questions: [Question] = []
        for entity in model.entities { questions += self.questions(about: entity) }
        guard !questions.isEmpty else { return [] }
        let results = try connection.run(
            questions.map {
                SQLStatement("SELECT pg_catalog.count(*), pg_catalog.min(\($0.column)) FROM \($0.source)")
            })
        return try zip(questions, results).compactMap { question, result -> StoreIssue? in
            let count = try result.int(0, column: 0) ?? 0
            guard count > 0 else { return nil }
            let first = "\(question.entity.name)/p\(try result.int64(0, column: 1) ?? 0)"
            let rows = count == 1 ? first : "\(count) objects, the first of them \(first)"
            let property = question.property.map { "\(question.entity.name).\($0): " } ?? ""
            return StoreIssue(
                question.kind, "\(property)\(question.violation): \(rows)", severity: question.severity,
                entity: question.entity.name, property: question.property, isRuleOfModel: question.isRuleOfModel)
        }
    }

    private func questions(about entity: CompiledEntity) -> [Question] {
        let columns = schema.columns[entity.number - 1]
        // Rows of the entity itself; its sub-entities are asked for separately.
        let own = "\(columns.table) AS t WHERE TRUE\(columns.entityTest("t."))"
        var questions: [Question] = []
        if entity.root == entity.number {
            questions.append(
                Question(
                    kind: .key, entity: entity, violation: "keys that are not greater than zero",
                    source: "\(columns.table) AS t WHERE t.\(key) <= 0", column: "t.\(key)"))
            if columns.numbersEntities {
                let known = entity.family.filter { !model[$0].isAbstract }
                    .map { String(schema.columns[$0 - 1].storedNumber) }.joined(separator: ", ")
                let test = known.isEmpty ? "TRUE" : "t.\(SystemColumns.postgres.entity) NOT IN (\(known))"
                questions.append(
                    Question(
                        kind: .rowEntity, entity: entity, violation: "rows of no entity of the model",
                        // An entity that only another version has.
                        severity: .warning, source: "\(columns.table) AS t WHERE \(test)", column: "t.\(key)"))
            }
        }
        guard !entity.isAbstract else { return questions }
        for place in columns.attributes where !place.attribute.isOptional {
            questions.append(
                Question(
                    kind: .required, entity: entity, property: place.attribute.name,
                    violation: "a required value is missing",
                    isRuleOfModel: true, source: "\(own) AND t.\(place.column) IS NULL", column: "t.\(key)"))
        }
        for slot in entity.relationships.indices { questions += self.questions(about: slot, of: entity, own: own) }
        return questions
    }

    private func questions(about slot: Int, of entity: CompiledEntity, own: String) -> [Question] {
        let columns = schema.columns[entity.number - 1]
        let relationship = entity.relationships[slot]
        let destination = schema.columns[relationship.destination - 1]
        var questions: [Question] = []
        func ask(
            _ kind: StoreIssue.Kind, violation: String, in source: String, column: String? = nil,
            severity: StoreIssue.Severity = .error, isRuleOfModel: Bool = false
        ) {
            questions.append(
                Question(
                    kind: kind, entity: entity, property: relationship.name, violation: violation, severity: severity,
                    isRuleOfModel: isRuleOfModel, source: source, column: column ?? "t.\(key)"))
        }
        if let toOne = columns.toOne(slot) {
            let column = "t.\(toOne.column)"
            // A deletion leaves links that no delete rule knows.
            let isKept = model.inverse(of: relationship).map { $0.deleteRule != .noActionDeleteRule } ?? false
            ask(
                .dangling, violation: "links to objects that do not exist",
                in:
                    "\(own) AND \(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(destination.table) AS d WHERE d.\(key) = \(column))",
                severity: isKept ? .error : .warning)
            if let partners = toOne.partners {
                ask(
                    .inverse, violation: "links to objects that do not refer back",
                    in:
                        "\(own) AND \(column) IS NOT NULL AND NOT EXISTS (SELECT 1 FROM \(partners.table) AS d WHERE d.\(key) = \(column) AND d.\(partners.column) = t.\(key))"
                )
            }
            if !relationship.isOptional {
                ask(
                    .required, violation: "a required object is missing", in: "\(own) AND \(column) IS NULL",
                    isRuleOfModel: true)
            }
        }
        // Tables of relationships belong to the entity that declares them.
        guard relationship.owner == entity.number else { return questions }
        switch schema.layout.toMany(slot, in: entity.number) {
        case .inverse(let column, let order?)?, .oneWay(let column, let order?)?:
            let (owner, place) = (SQLName.alwaysQuoted(column), SQLName.alwaysQuoted(order))
            ask(
                .orderMissing, violation: "members without a position",
                in: "\(destination.table) AS t WHERE t.\(owner) IS NOT NULL AND t.\(place) IS NULL",
                column: "t.\(owner)")
        case .join(let layout)?:
            let join = ServerDerivations.Join(layout, schema.layout)
            ask(
                .dangling, violation: "members that do not exist",
                in:
                    "\(join.table) AS t WHERE NOT EXISTS (SELECT 1 FROM \(destination.table) AS d WHERE d.\(key) = t.\(join.other))",
                column: "t.\(join.own)")
            if let order = layout.orderColumn {
                ask(
                    .orderMissing, violation: "members without a position",
                    in: "\(join.table) AS t WHERE t.\(SQLName.alwaysQuoted(order)) IS NULL", column: "t.\(join.own)")
            }
        default: break
        }
        return questions
    }
}
#endif
