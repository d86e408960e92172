#if PostgreSQL
/// The code of five characters by which PostgreSQL identifies an error.
package struct SQLState: RawRepresentable, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    private init(_ code: String) { rawValue = code }

    /// The first two characters, which identify the class of the error.
    package var category: String { String(rawValue.prefix(2)) }
}

extension SQLState {
    package static let featureNotSupported = SQLState("0A000")
    package static let numericValueOutOfRange = SQLState("22003")
    package static let divisionByZero = SQLState("22012")
    package static let characterNotInRepertoire = SQLState("22021")
    package static let notNullViolation = SQLState("23502")
    package static let foreignKeyViolation = SQLState("23503")
    package static let uniqueViolation = SQLState("23505")
    package static let checkViolation = SQLState("23514")
    package static let exclusionViolation = SQLState("23P01")
    package static let readOnlyTransaction = SQLState("25006")
    package static let inFailedTransaction = SQLState("25P02")
    package static let idleInTransactionTimeout = SQLState("25P03")
    package static let invalidStatementName = SQLState("26000")
    package static let invalidAuthorization = SQLState("28000")
    package static let invalidPassword = SQLState("28P01")
    package static let invalidCatalogName = SQLState("3D000")
    package static let transactionResolutionUnknown = SQLState("08007")
    package static let serializationFailure = SQLState("40001")
    package static let statementCompletionUnknown = SQLState("40003")
    package static let deadlockDetected = SQLState("40P01")
    package static let insufficientPrivilege = SQLState("42501")
    package static let duplicatePreparedStatement = SQLState("42P05")
    package static let diskFull = SQLState("53100")
    package static let tooManyConnections = SQLState("53300")
    package static let lockNotAvailable = SQLState("55P03")
    package static let queryCanceled = SQLState("57014")
    package static let adminShutdown = SQLState("57P01")
    package static let crashShutdown = SQLState("57P02")
    package static let cannotConnectNow = SQLState("57P03")
    package static let databaseDropped = SQLState("57P04")
    package static let idleSessionTimeout = SQLState("57P05")
}
#endif
