/// What is wrong with a property list or an archive.
struct ArchiveError: Error, CustomStringConvertible, Sendable {
    let description: String

    init(_ description: String) { self.description = description }
}
