#if !PostgreSQL
extension StoreLocation {
    /// Unavailable: stores on PostgreSQL servers need the trait `PostgreSQL` of the package.
    @available(
        *, unavailable,
        message:
            "Sworm is built without its trait PostgreSQL. Write traits: [\"PostgreSQL\"] in the package dependency."
    )
    public static func postgres(_ address: String) -> StoreLocation { .memory }
}
#elseif canImport(CoreData)
extension StoreLocation {
    /// Unavailable: Core Data has no stores on servers.
    @available(*, unavailable, message: "Core Data, which Sworm uses on this platform, has no stores on servers.")
    public static func postgres(_ address: String) -> StoreLocation { .memory }

    /// Unavailable: Core Data has no stores on servers.
    @available(*, unavailable, message: "Core Data, which Sworm uses on this platform, has no stores on servers.")
    public static func postgres(_ configuration: PostgresConfiguration) -> StoreLocation { .memory }
}

/// Unavailable: Core Data has no stores on servers.
@available(*, unavailable, message: "Core Data, which Sworm uses on this platform, has no stores on servers.")
public struct PostgresConfiguration: Sendable {}
#endif
