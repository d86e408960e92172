extension NSManagedObject {
    /// The value of a property, as of ``value(forKey:)`` and ``setValue(_:forKey:)``.
    public final subscript(_ key: String) -> Any? {
        get { value(forKey: key) }
        set { setValue(newValue, forKey: key) }
    }
}
