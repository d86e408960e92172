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
    targets: [
        .systemLibrary(name: "CSwormSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .target(name: "SwormSQLite", dependencies: ["CSwormSQLite"], swiftSettings: settings),
        .target(name: "SwormPredicates", swiftSettings: settings),
        .testTarget(name: "SwormSQLiteTests", dependencies: ["SwormSQLite", "CSwormSQLite"], swiftSettings: settings),
        .testTarget(name: "SwormPredicatesTests", dependencies: ["SwormPredicates"], swiftSettings: settings),
    ],
    swiftLanguageModes: [.v6]
)
