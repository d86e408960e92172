/// The kind of validation that a save performs.
enum SaveValidation {
    /// Changed values are validated.
    case changes
    /// Only the types of values are checked: a migration validates the objects after all of them have been created.
    case later
    /// All values are validated, whether they were changed or not.
    case everything
}
