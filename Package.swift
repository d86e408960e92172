// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Builds `Sworm` against a stand-in named `CoreData`, which re-exports OpenCoreData. It shows that the code for Apple
/// platforms type-checks and behaves through the public Core Data API alone.
let appleBranch = ProcessInfo.processInfo.environment["SWORM_APPLE_BRANCH"] == "1"

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// What `Sworm` stands on: Core Data where the platform has it, our engine elsewhere.
let engine: [Target.Dependency] =
    appleBranch
    ? ["SwormPredicates", "CoreData"]
    : ["SwormPredicates"]
        + ["OpenCoreData", "SwormStore", "SwormSQLite", "SwormRows"].map {
            .target(name: $0, condition: .when(platforms: [.linux, .android, .windows, .wasi]))
        }

/// What is below the branch is the same in it, and is tested without it.
let standIn: [Target] = [
    .target(
        name: "CoreData", dependencies: ["OpenCoreData"], path: "Tests/AppleBranch/CoreData", swiftSettings: settings)
]

let engineTests: [Target] = [
    .testTarget(
        name: "SwormSQLiteTests", dependencies: ["SwormSQLite", "SwormRows", "CSwormSQLite", "TestSupport"],
        swiftSettings: settings),
    .testTarget(
        name: "SwormPredicatesTests", dependencies: ["SwormPredicates", "TestSupport"], swiftSettings: settings),
    .testTarget(
        name: "OpenCoreDataTests",
        dependencies: ["OpenCoreData", "SwormStore", "SwormPredicates", "SwormSQLite", "SwormRows", "TestSupport"],
        swiftSettings: settings),
    .target(name: "CrashDisk", dependencies: ["CSwormSQLite"], path: "Tests/CrashDisk"),
    .testTarget(
        name: "CrashTests",
        dependencies: ["CrashDisk", "Sworm", "OpenCoreData", "SwormStore", "SwormSQLite", "SwormRows", "TestSupport"],
        swiftSettings: settings),
    .testTarget(
        name: "SwormCommandTests",
        dependencies: [
            "SwormCommand", "Sworm", "OpenCoreData", "SwormStore", "SwormPredicates", "SwormSQLite", "SwormRows",
            "TestSupport",
        ],
        swiftSettings: settings),
]

let package = Package(
    name: "Sworm",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "Sworm", targets: ["Sworm"]),
        .library(name: "SwormMigrations", targets: ["SwormMigrations"]),
        .library(name: "SwormTools", targets: ["SwormTools"]),
        .library(name: "OpenCoreData", targets: ["OpenCoreData"]),
        .executable(name: "sworm-tool", targets: ["sworm-tool"]),
    ],
    targets: [
        .systemLibrary(name: "CSwormSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CSwormZlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(name: "CSwormSystem"),
        .target(name: "SwormRows", dependencies: ["CSwormSystem"], swiftSettings: settings),
        .target(
            name: "SwormSQLite", dependencies: ["SwormRows", "CSwormSQLite", "CSwormSystem"], swiftSettings: settings),
        .target(name: "SwormPredicates", swiftSettings: settings),
        .target(
            name: "SwormStore", dependencies: ["SwormPredicates", "SwormSQLite", "SwormRows", "CSwormZlib"],
            swiftSettings: settings),
        .target(
            name: "OpenCoreData", dependencies: ["SwormStore", "SwormPredicates", "SwormSQLite", "SwormRows"],
            swiftSettings: settings),
        .target(name: "Sworm", dependencies: engine, swiftSettings: settings),
        .target(name: "SwormMigrations", dependencies: ["Sworm"] + engine, swiftSettings: settings),
        .target(name: "SwormTools", dependencies: ["Sworm", "SwormMigrations"] + engine, swiftSettings: settings),
        .target(
            name: "SwormCommand",
            dependencies: ["OpenCoreData", "SwormStore", "SwormPredicates", "SwormSQLite", "SwormRows"],
            swiftSettings: settings),
        .executableTarget(name: "sworm-tool", dependencies: ["SwormCommand"], swiftSettings: settings),
        .executableTarget(name: "Tour", dependencies: ["Sworm"], swiftSettings: settings),
        .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
        .testTarget(
            name: "SwormTests",
            dependencies: ["Sworm", "SwormTools", "SwormPredicates", "SwormSQLite", "SwormRows", "TestSupport"],
            swiftSettings: settings),
        .testTarget(name: "SwormToolsTests", dependencies: ["SwormTools", "Sworm"], swiftSettings: settings),
    ] + (appleBranch ? standIn : engineTests),
    swiftLanguageModes: [.v6]
)
