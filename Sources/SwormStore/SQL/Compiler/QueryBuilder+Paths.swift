import SwormPredicates

extension QueryBuilder {
    /// Returns the alias of an object's row, and joins the row to its FROM clause on first use.
    func row(of object: QueryObject) -> String {
        if let alias = object.alias { return alias }
        if let alias = object.scope.alias(forKey: object.key) { return alias }
        let alias = nextAlias()
        let word = object.isMember ? "JOIN" : "LEFT JOIN"
        let table = compiler.table(of: object.entity)
        object.scope.add("\(word) \(table) \(alias) ON \(alias).\(compiler.system.key) = \(object.key)")
        object.scope.remember(alias, forKey: object.key)
        return alias
    }

    /// Follows one key of a path.
    func step(_ operand: QueryOperand, to key: String) throws -> QueryOperand {
        switch operand {
        case .object(let object): return try step(from: object, to: key)
        case .composite(let object, let name): return try leaf(name + "." + key, of: object)
        case .collection(let collection): return try step(from: collection, to: key)
        case .aggregate(let function, let collection):
            return .aggregate(function, collection.adding(.key(key), path: collection.path + "." + key))
        case .constant(.string(let text)) where key == "length":
            return .constant(.int(Int64(textLength(text))))
        case .scalar(let scalar) where key == "length" && scalar.kind == .text:
            return .scalar(
                QueryScalar(
                    sql: "length(\(scalar.sql))", kind: .integer, path: scalar.path + ".length", entity: scalar.entity))
        case .scalar(let scalar):
            throw QueryError.keyBehindAttribute(key, path: scalar.path, entity: scalar.entity)
        case .constant(.null): return .constant(.null)
        case .constant, .list, .count:
            throw QueryError.unsupported("The key '\(key)' cannot follow a constant or a count in a key path.")
        }
    }

    private func step(from object: QueryObject, to key: String) throws -> QueryOperand {
        let entity = model[object.entity]
        let path = object.path == "SELF" ? key : object.path + "." + key
        switch entity.slot(named: key) {
        case .attribute(let slot): return try attribute(slot, of: object, path: path)
        case .relationship(let slot): return try relationship(slot, of: object, path: path)
        case nil: break
        }
        if entity.composites[key] != nil { return .composite(object, key) }
        if let step = EntityCast(key), let target = model.entity(named: step.entity) {
            return .object(try cast(object, to: target, isExact: step.isExact, path: path))
        }
        switch key {
        case "self", "SELF", "objectID": return .object(object)
        case "@count", "@sum", "@min", "@max", "@avg":
            throw QueryError.unsupported(
                "'\(key)' needs a to-many relationship before it", path: path, entity: entity.name)
        default: throw QueryError.unknownKey(key, path: path, entity: entity)
        }
    }

    /// Returns an object as one of a sub-entity or super-entity, which is missing if the object belongs to another
    /// entity.
    ///
    /// - Parameter isExact: Whether objects of the entity's sub-entities are missing too.
    private func cast(
        _ object: QueryObject, to target: CompiledEntity, isExact: Bool, path: String
    ) throws -> QueryObject {
        let entity = model[object.entity]
        var result = object
        result.path = path
        // A sub-entity has all properties of its super-entities.
        if target.family.contains(entity.number), !isExact || !target.hasDescendants { return result }
        guard entity.family.contains(target.number) else {
            throw QueryError.unrelatedCast(to: target.name, from: entity.name)
        }
        result.entity = target.number
        let row = row(of: object)
        result.optionalRows = optionalRows(behind: object, row)
        let test = compiler.entityRestriction(of: target, including: !isExact, alias: row) ?? dialect.constant(true)
        result.cast = test
        result.isExact = isExact
        result.key = "CASE WHEN \(test) THEN \(row).\(compiler.system.key) END"
        result.alias = row
        result.isOptional = true
        return result
    }

    /// Returns the SQL of a column of an object's row.
    private func value(of column: String, in row: String, owner: Int, of object: QueryObject) -> String {
        let sql = "\(row).\(compiler.quoted(column))"
        // Only rows of the entity and its sub-entities have a value in a column of its own.
        guard let cast = object.cast, owner != object.entity || object.isExact else { return sql }
        return "CASE WHEN \(cast) THEN \(sql) END"
    }

    private func leaf(_ name: String, of object: QueryObject) throws -> QueryOperand {
        let entity = model[object.entity]
        let path = object.path == "SELF" ? name : object.path + "." + name
        if case .attribute(let slot) = entity.slot(named: name) { return try attribute(slot, of: object, path: path) }
        guard entity.composites[name] != nil || entity.attributes.contains(where: { $0.name.hasPrefix(name + ".") })
        else {
            throw QueryError.unknownKey(name, path: path, entity: entity)
        }
        return .composite(object, name)
    }

    private func attribute(_ slot: Int, of object: QueryObject, path: String) throws -> QueryOperand {
        let entity = model[object.entity]
        let attribute = entity.attributes[slot]
        guard let column = layout.column(ofAttribute: slot, in: entity.number) else {
            throw QueryError.transient(path, entity: entity.name)
        }
        let row = row(of: object)
        let sql = value(of: column, in: row, owner: attribute.owner, of: object)
        var scalar = QueryScalar(
            sql: dialect.value(ofColumn: sql, type: attribute.type), column: sql,
            optionalRows: optionalRows(behind: object, row), kind: attribute.type.valueKind,
            isWide: attribute.type == .integer64, path: path,
            entity: entity.name)
        if dialect.hasNativeForm(attribute.type), !layout.storesSeconds(slot, of: attribute.owner) {
            scalar.form = .native
        }
        if dialect == .postgres, attribute.type == .string {
            scalar.hasFoldedIndex = attribute.serverTraits.contains(.foldedIndex)
            scalar.searchColumn = layout.searchColumn(slot, of: attribute.owner).map {
                value(of: $0, in: row, owner: attribute.owner, of: object)
            }
        }
        if attribute.allowsExternalStorage {
            // The column of a file holds a marker or a file name, before or instead of the bytes.
            scalar.kind = nil
            scalar.isExternal = true
            scalar.opaqueName = "data that can be stored externally"
        } else if scalar.kind == nil {
            scalar.opaqueName = attribute.type.kindName
        }
        return .scalar(scalar)
    }

    /// Returns the aliases of the rows that may be missing on the way to a column of an object's row.
    private func optionalRows(behind object: QueryObject, _ row: String) -> Set<String> {
        object.alias == nil && !object.isMember ? object.optionalRows.union([row]) : object.optionalRows
    }

    private func relationship(_ slot: Int, of object: QueryObject, path: String) throws -> QueryOperand {
        let entity = model[object.entity]
        let relationship = entity.relationships[slot]
        if let toOne = layout.toOne(slot, in: entity.number) {
            let row = row(of: object)
            let key = value(of: toOne.column, in: row, owner: relationship.owner, of: object)
            return .object(
                QueryObject(
                    entity: relationship.destination, key: key, alias: nil,
                    scope: object.scope, isOptional: true, optionalRows: optionalRows(behind: object, row), path: path))
        }
        guard let storage = layout.toMany(slot, in: entity.number) else {
            throw QueryError.transient(path, entity: entity.name)
        }
        return .collection(
            QueryCollection(
                base: object, relationship: relationship, storage: storage, memberPath: path, path: path,
                entity: entity.name))
    }

    private func step(from collection: QueryCollection, to key: String) throws -> QueryOperand {
        let path = collection.path + "." + key
        if key == "@count" {
            guard !collection.hasKeys else {
                throw QueryError.unsupported(
                    "counts objects past a to-many relationship; count the relationship itself, or use SUBQUERY",
                    path: path,
                    entity: collection.entity)
            }
            return .count(collection)
        }
        if let function = QueryAggregate(rawValue: key) {
            guard !collection.hasKeys else {
                throw QueryError.unsupported(
                    "has a misplaced operator: the operator must follow the to-many relationship directly, as in"
                        + " `items.\(key).price`", path: path, entity: collection.entity)
            }
            return .aggregate(function, collection)
        }
        guard !key.hasPrefix("@") else {
            throw QueryError.unsupported(
                "uses '\(key)', which is not supported in a fetch", path: path, entity: collection.entity)
        }
        return .collection(collection.adding(.key(key), path: path))
    }

    // MARK: Collections

    /// A collection as a SELECT of its members: the FROM clause, the conditions, and the value at the end of its path.
    struct OpenCollection {
        var scope: QueryScope
        var conditions: [QueryCondition]
        var operand: QueryOperand
        /// The alias of the first table of the FROM clause, which also stores the order of an ordered relationship.
        var alias: String?
    }

    func open(_ collection: QueryCollection) throws -> OpenCollection {
        let scope = QueryScope()
        var conditions: [QueryCondition] = []
        var operand = try enter(collection, scope: scope, conditions: &conditions)
        while case .collection(let next) = operand {
            operand = try enter(next, scope: scope, conditions: &conditions)
        }
        return OpenCollection(scope: scope, conditions: conditions, operand: operand, alias: scope.firstAlias)
    }

    private func enter(
        _ collection: QueryCollection, scope: QueryScope, conditions: inout [QueryCondition]
    ) throws -> QueryOperand {
        let member = attach(collection, scope: scope, conditions: &conditions)
        var operand = QueryOperand.object(member)
        for part in collection.steps {
            switch (part, operand) {
            case (.key(let key), _): operand = try step(operand, to: key)
            case (.filter, .collection(let inner)): operand = .collection(inner.adding(part))
            case (.filter(let variable, let predicate, var context), .object):
                context.variables[variable] = operand
                conditions.append(try condition(predicate, in: context, exact: false))
            case (.filter, _):
                throw QueryError.unsupported("SUBQUERY needs objects", path: collection.path, entity: collection.entity)
            }
        }
        return operand
    }

    private func attach(
        _ collection: QueryCollection, scope: QueryScope, conditions: inout [QueryCondition]
    ) -> QueryObject {
        let destination = collection.relationship.destination
        let alias = nextAlias()
        let source: String
        let link: String
        var member = QueryObject(
            entity: destination, key: "\(alias).\(compiler.system.key)", alias: alias, scope: scope, isMember: true,
            path: collection.memberPath
        )
        switch collection.storage {
        case .inverse(let column, _), .oneWay(let column, _):
            source = compiler.table(of: destination)
            link = "\(alias).\(compiler.quoted(column)) = \(collection.base.key)"
        case .join(let join):
            source = compiler.source(of: join)
            link = "\(alias).\(compiler.quoted(join.ownColumn)) = \(collection.base.key)"
            member.key = "\(alias).\(compiler.quoted(join.otherColumn))"
            member.alias = nil
        }
        if scope.isEmpty {
            scope.firstAlias = alias
            scope.add("\(source) \(alias)")
            conditions.append(.atom(link))
        } else {
            scope.add("JOIN \(source) \(alias) ON \(link)")
        }
        return member
    }
}
