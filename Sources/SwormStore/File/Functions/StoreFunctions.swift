import Foundation
import SwormPredicates
package import SwormSQLite
import SwormRows

/// The functions that the SQL of a store and its triggers call.
package enum StoreFunctions {
    /// The functions that Core Data's triggers for derived attributes call at their end to report their changes.
    private static let notifications = [
        "NSCoreDataDATriggerUpdatedAffectedObjectValue", "NSCoreDataDATriggerInsertUpdatedAffectedObjectValue",
        "NSCoreDataTriggerUpdateAffectedObjectValue",
    ]

    /// Registers all functions on a connection whose trigger changes are not observed.
    package static func register(on connection: Connection) throws { try register(on: connection, changes: nil) }

    /// Registers all functions.
    ///
    /// - Parameter changes: Records the changes that triggers report, or nil if nothing is written.
    static func register(on connection: Connection, changes: TriggerChanges?) throws {
        for name in notifications {
            try connection.addFunction(name, argumentCount: 5, deterministic: false, allowedInSchema: true) { call in
                changes?.note(call)
                return .null
            }
        }
        try connection.addFunction("SwormNoteRow", argumentCount: 2, deterministic: false) { call in
            changes?.noteRow(call.int64(1), rule: Int(truncatingIfNeeded: call.int64(0)))
            return .null
        }
        try connection.addFunction("SwormNow", argumentCount: 0, deterministic: false) { _ in
            .real(Date().timeIntervalSinceReferenceDate)
        }
        try connection.addFunction("SwormPower", argumentCount: 2, deterministic: true) { call in
            guard !call.isNull(0), !call.isNull(1) else { return .null }
            return .real(pow(call.double(0), call.double(1)))
        }
        try connection.addFunction("SwormXor", argumentCount: 2, deterministic: true) { call in
            guard !call.isNull(0), !call.isNull(1) else { return .null }
            return .integer(call.int64(0) ^ call.int64(1))
        }
        try DecimalAggregates.register(on: connection)
        try registerNumbers(on: connection)
        try registerTexts(on: connection)
    }

    /// Registers the functions of one number, each under its own name.
    private static func registerNumbers(on connection: Connection) throws {
        for function in PredicateFunction.allCases {
            guard let compute = function.ofReal else { continue }
            let name = SQLDialect.name(of: function)
            try connection.addFunction(name, argumentCount: 1, deterministic: true) { call in
                if call.isNull(0) { return .null }
                if call.type(0) == .integer {
                    let integer = call.int64(0)
                    if function.keepsIntegers { return .integer(integer) }
                    if function == .abs, integer != .min { return .integer(abs(integer)) }
                }
                return .real(compute(call.double(0)))
            }
        }
    }

    private static func registerTexts(on connection: Connection) throws {
        try connection.addFunction("SwormUpper", argumentCount: 1, deterministic: true) { call in
            call.text(0).map { .text($0.uppercased()) } ?? .null
        }
        try connection.addFunction("SwormLower", argumentCount: 1, deterministic: true) { call in
            call.text(0).map { .text($0.lowercased()) } ?? .null
        }
        try connection.addFunction("SwormCanonical", argumentCount: 1, deterministic: true) { call in
            call.text(0).map { .text(canonicalForm(of: $0)) } ?? .null
        }
        let collations: [(String, ComparisonOptions)] = [
            ("SwormLocale", .localeSensitive), ("SwormStandard", [.localeSensitive, .numeric]),
        ]
        for (name, options) in collations {
            try connection.addCollation(name) { left, right in
                let (left, right) = (String(decoding: left, as: UTF8.self), String(decoding: right, as: UTF8.self))
                return compareTexts(left, right, options: options).rawValue
            }
        }
        try connection.addFunction("SwormOrder", argumentCount: 2, deterministic: true) { call in
            guard let left = call.text(0), let right = call.text(1) else { return .null }
            return .integer(Int64(compareTexts(left, right, options: .localeSensitive).rawValue))
        }
        try connection.addFunction("SwormFold", argumentCount: 2, deterministic: true) { call in
            guard let text = call.text(0), !call.isNull(1) else { return .null }
            return .text(folded(text, options: options(call.int64(1))))
        }
        try connection.addFunction("SwormSearch", argumentCount: 4, deterministic: true) { call in
            let positions: [TextPattern.Position] = [.beginning, .end, .anywhere]
            guard let position = positions[safely: call.int64(2)] else { return .null }
            return try match(call, flags: 3) { part, options in
                let pattern = TextPattern(part, at: position, options: options)
                return { pattern.matches($0) }
            }
        }
        try connection.addFunction("SwormLike", argumentCount: 3, deterministic: true) { call in
            try match(call) { pattern, options in
                let like = LikePattern(pattern, options: options)
                return { like.matches($0) }
            }
        }
        try connection.addFunction("SwormMatches", argumentCount: 3, deterministic: true) { call in
            try match(call) { pattern, options in
                let expression = try RegularExpressionPattern(pattern, options: options)
                return { expression.matches($0) }
            }
        }
    }

    /// A prepared pattern for matching many strings, with the options that it was prepared for.
    private final class Matcher {
        let flags: Int64
        let matches: (String) -> Bool

        init(flags: Int64, matches: @escaping (String) -> Bool) {
            self.flags = flags
            self.matches = matches
        }
    }

    /// Matches the string in the second argument against the pattern in the first, which is usually prepared once per
    /// statement.
    ///
    /// - Parameter index: The index of the argument with the options.
    private static func match(
        _ call: borrowing FunctionContext, flags index: Int = 2,
        _ prepare: (String, ComparisonOptions) throws -> (String) -> Bool
    ) throws -> FunctionResult {
        guard !call.isNull(0), let text = call.text(1), !call.isNull(index) else { return .null }
        let flags = call.int64(index)
        func make() throws -> Matcher {
            Matcher(flags: flags, matches: try prepare(call.text(0) ?? "", options(flags)))
        }
        var matcher = try call.cached(forArgument: 0, make: make)
        if matcher.flags != flags { matcher = try make() }
        let matches = matcher.matches(text)
        // A search that was stopped has no result yet.
        if LongWork.stops { throw SQLiteError.searchWasStopped }
        return .bool(matches)
    }

    private static func options(_ flags: Int64) -> ComparisonOptions {
        ComparisonOptions(rawValue: UInt8(truncatingIfNeeded: flags))
    }
}

extension SQLiteError {
    /// The error that SQLite throws when it interrupts a statement, so that the reason is found in the same way.
    fileprivate static var searchWasStopped: SQLiteError {
        SQLiteError(code: interrupt, message: "the search in a string was interrupted")
    }
}

extension Array {
    fileprivate subscript(safely index: Int64) -> Element? {
        Int(exactly: index).flatMap { indices.contains($0) ? self[$0] : nil }
    }
}
