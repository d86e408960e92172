/// Runs the work of a public call, and throws the framework's errors as `CocoaError`s.
///
/// A public method that throws consists of one call of this function, and is listed in `PublicErrorTests`. Inside a
/// context and inside an object, the methods of the same name are called instead, which also find the objects that an
/// error is about. Errors of the application, and errors that a call inside the work has already converted, are thrown
/// as they are.
@inline(__always)
func throwingCocoaErrors<Result>(_ work: () throws -> Result) throws -> Result {
    do {
        return try work()
    } catch {
        throw error.converted(findingObjectsIn: nil)
    }
}
