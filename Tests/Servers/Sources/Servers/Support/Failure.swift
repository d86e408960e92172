/// The error of a run: something that must not happen.
struct Failure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}
