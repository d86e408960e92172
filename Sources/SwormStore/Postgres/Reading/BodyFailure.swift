#if PostgreSQL
/// An error of a caller's closure, which must not be taken for one of the statement whose rows it receives.
struct BodyFailure: Error {
    let cause: any Error
}
#endif
