extension DerivationSQL {
    /// Returns the error for a sum of integers that does not fit into 64 bits.
    func overflow(of key: Int64, _ cause: any Error) -> CoreDataError {
        let (entity, attribute) = (derived.entity.name, derived.entity.attributes[derived.slot])
        return CoreDataError(
            NSValidationNumberTooLargeError,
            "The value of '\(entity).\(attribute.name)' (\(attribute.derivation ?? "")) of the row \(key) is a sum that overflows a 64-bit integer. Nothing was saved. Use smaller values, or give the derived attribute the type Decimal or Double, which can hold such a sum.",
            entity: entity, key: attribute.name, cause: cause)
    }
}
