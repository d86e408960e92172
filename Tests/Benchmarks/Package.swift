// swift-tools-version: 6.2
import PackageDescription

/// With `--traits PostgreSQL`, the program also measures the store over PostgreSQL. Without it nothing needs libpq: the loops
/// by hand are empty, and nothing is linked.
let postgres: TargetDependencyCondition? = .when(traits: ["PostgreSQL"])

// A package of its own, so that other libraries to be compared with never become dependencies of the root package.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    traits: [.trait(name: "PostgreSQL", description: "The benches of the store over PostgreSQL, on libpq.")],
    dependencies: [
        .package(
            name: "Sworm", path: "../..",
            traits: [.trait(name: "PostgreSQL", condition: .when(traits: ["PostgreSQL"]))]),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CBenchSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CBenchPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(name: "CAllocations"),
        // Whether libpq is used is said here too, because C knows no traits.
        .target(
            name: "CByHand", dependencies: [.target(name: "CBenchPQ", condition: postgres)],
            cSettings: [.define("BY_HAND_POSTGRES", .when(traits: ["PostgreSQL"]))]),
        .executableTarget(
            name: "Allocations", dependencies: ["CAllocations", .product(name: "Sworm", package: "Sworm")],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CBenchSQLite", "CByHand", .product(name: "Sworm", package: "Sworm"),
                .product(name: "SwormTools", package: "Sworm"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            swiftSettings: [
                // Keeps the members of one library out of the files that import the other.
                .enableUpcomingFeature("MemberImportVisibility"),
                // The files of the server are links to those of the tests.
                .enableUpcomingFeature("InternalImportsByDefault"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
