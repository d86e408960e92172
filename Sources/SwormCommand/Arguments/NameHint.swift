import SwormPredicates

/// Returns a hint for an unknown name: the nearest name, or else a list of all names.
///
/// - Parameter what: The words before the list of names.
func nameHint(_ name: String, among names: [String], what: String) -> String? {
    if let nearest = nearestName(to: name, in: names) { return "did you mean '\(nearest)'?" }
    guard !names.isEmpty else { return nil }
    let shown = names.prefix(20).joined(separator: ", ")
    return "\(what): \(shown)\(names.count > 20 ? ", …" : "")"
}
