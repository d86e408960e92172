package import Foundation

/// A reader of property lists from files of any origin.
///
/// Foundation's reader on Linux crashes on some damaged lists. This one limits size, depth and number of objects, and
/// throws an error for every other problem.
package enum PropertyList {
    /// Returns the list in data, binary or XML, as Foundation objects.
    ///
    /// - Throws: An error that describes the problem with the list.
    static func objects(_ data: Data) throws -> Any {
        guard data.starts(with: BinaryPropertyList.magic) else { return try XMLPropertyList.objects(data) }
        return try BinaryPropertyList(data).objects()
    }

    /// Returns the dictionary in data, or nil if the list is not a dictionary.
    ///
    /// - Throws: An error that describes the problem with the list.
    package static func dictionary(_ data: Data) throws -> [String: Any]? { try objects(data) as? [String: Any] }

    /// Returns a date that Foundation can describe: it traps for dates beyond every calendar.
    static func date(_ seconds: Double) throws(ArchiveError) -> Date {
        guard abs(seconds) < 1e13 else { throw ArchiveError("the property list has a date that is out of range") }
        return Date(timeIntervalSinceReferenceDate: seconds)
    }
}
