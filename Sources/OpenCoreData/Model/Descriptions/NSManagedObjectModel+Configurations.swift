extension NSManagedObjectModel {
    /// The names of the model's configurations, sorted; the default configuration, which has all entities, has no name.
    public var configurations: [String] { configurationMembers.keys.sorted() }

    /// Returns the entities of a configuration.
    ///
    /// - Parameter configuration: The configuration's name; nil for the default configuration, which has all entities.
    /// - Returns: The entities, or nil if the model has no such configuration.
    public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
        guard let configuration else { return entities }
        return configurationMembers[configuration]
    }

    /// Adds or replaces a configuration.
    ///
    /// - Parameters:
    ///   - entities: Entities of this model.
    ///   - configuration: The configuration's name.
    public func setEntities(_ entities: [NSEntityDescription], forConfigurationName configuration: String) {
        configurationMembers[configuration] = entities
        changed()
    }
}
