// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that other libraries to be compared with never become dependencies of the root package.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Sworm", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CBenchSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "CAllocations"),
        .executableTarget(
            name: "Allocations", dependencies: ["CAllocations", .product(name: "Sworm", package: "Sworm")],
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),
        .executableTarget(
            name: "Benchmarks",
            dependencies: [
                "CBenchSQLite", .product(name: "Sworm", package: "Sworm"),
                .product(name: "SwormTools", package: "Sworm"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            // Keeps the members of one library out of the files that import the other.
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),
    ],
    swiftLanguageModes: [.v6]
)
