// swift-tools-version: 6.2
import PackageDescription

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "Sworm",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "OpenCoreData", targets: ["OpenCoreData"])
    ],
    targets: [
        .systemLibrary(name: "CSwormSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSwormZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "SwormSQLite", dependencies: ["CSwormSQLite"], swiftSettings: settings),
        .target(name: "SwormPredicates", swiftSettings: settings),
        .target(
            name: "OpenCoreData", dependencies: ["SwormPredicates", "SwormSQLite", "CSwormZlib"],
            swiftSettings: settings),
        .testTarget(name: "SwormSQLiteTests", dependencies: ["SwormSQLite", "CSwormSQLite"], swiftSettings: settings),
        .testTarget(name: "SwormPredicatesTests", dependencies: ["SwormPredicates"], swiftSettings: settings),
        .testTarget(
            name: "OpenCoreDataTests", dependencies: ["OpenCoreData", "SwormPredicates", "SwormSQLite"],
            swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
