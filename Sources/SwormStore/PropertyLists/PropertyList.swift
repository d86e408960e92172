package import Foundation

/// Reads property lists of files, which may be anybody's.
///
/// Foundation's reader on Linux crashes on some damaged lists. This one has bounds for size, depth and number of objects, and
/// answers everything else with an error.
package enum PropertyList {
    /// Returns the list in data, binary or XML, as Foundation's objects.
    ///
    /// - Throws: An error that says what is wrong with the list.
    package static func objects(_ data: Data) throws -> Any {
        guard data.starts(with: BinaryPropertyList.magic) else { return try XMLPropertyList.objects(data) }
        return try BinaryPropertyList(data).objects()
    }

    /// Returns the dictionary in data; nil if the list is not a dictionary.
    ///
    /// - Throws: An error that says what is wrong with the list.
    package static func dictionary(_ data: Data) throws -> [String: Any]? { try objects(data) as? [String: Any] }

    /// Returns a date that Foundation can describe: it traps for dates outside of every calendar.
    static func date(_ seconds: Double) throws(ArchiveError) -> Date {
        guard abs(seconds) < 1e13 else { throw ArchiveError("the property list has a date outside of every calendar") }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}
