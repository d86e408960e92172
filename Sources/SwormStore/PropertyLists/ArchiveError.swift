/// A description of the problem with a property list or an archive.
package struct ArchiveError: Error, CustomStringConvertible, Sendable {
    package let description: String

    package init(_ description: String) { self.description = description }
}
