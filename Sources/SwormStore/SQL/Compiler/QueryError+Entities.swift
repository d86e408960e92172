import SwormPredicates

/// The errors of requests that cannot be compiled to SQL. Each error names the path and the entity.
extension QueryError {
    static func unknownKey(_ key: String, path: String, entity: CompiledEntity) -> QueryError {
        .unknownKey(
            key, message: "keypath \(path) not found in entity \(entity.name): it has no property '\(key)'",
            names: key.contains(".") ? entity.attributes.map(\.name) : entity.propertyNames)
    }

    static func quantifierWithoutToMany(path: String, entity: String) -> QueryError {
        QueryError(
            .unsupported, "ANY, ALL and NONE need a to-many relationship, and \(path) of \(entity) contains none")
    }

    static func transient(_ path: String, entity: String) -> QueryError {
        QueryError(
            .unsupported,
            "\(path) of \(entity) is transient: it is not stored, so a fetch cannot use it. Filter the objects after"
                + " the fetch instead")
    }

    static func typeMismatch(_ reason: String, path: String, entity: String) -> QueryError {
        .mismatch(reason, path: path, entity: entity)
    }

    static func unsupported(_ reason: String, path: String, entity: String) -> QueryError {
        QueryError(.unsupported, "\(path) of \(entity) \(reason)")
    }

    static func unsupported(_ message: String) -> QueryError { QueryError(.unsupported, message) }
}
