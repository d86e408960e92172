// swift-tools-version: 6.2
import Foundation
import PackageDescription

/// Builds `Sworm` against a stand-in named `CoreData`, which re-exports OpenCoreData. It shows that the code for Apple
/// platforms type-checks and behaves through the public Core Data API alone.
let appleBranch = ProcessInfo.processInfo.environment["SWORM_APPLE_BRANCH"] == "1"

/// Leaves out the engine, its tests and the command line tool. On Apple platforms, `SWORM_ENGINE=0 swift test` then builds
/// and tests only what runs over Core Data there.
let hasEngine = appleBranch || ProcessInfo.processInfo.environment["SWORM_ENGINE"] != "0"

/// The targets of tests that are built, if not all of them are.
let chosenTests = ProcessInfo.processInfo.environment["SWORM_TESTS"].map { $0.split(separator: ",").map(String.init) }

/// Builds without debug information, which takes about half of the time that a debug build takes with it.
let hasDebugInfo = ProcessInfo.processInfo.environment["SWORM_DEBUG_INFO"] != "none"

let settings: [SwiftSetting] =
    [
        .enableUpcomingFeature("ExistentialAny"),
        .enableUpcomingFeature("InternalImportsByDefault"),
        .enableUpcomingFeature("MemberImportVisibility"),
    ] + (hasDebugInfo ? [] : [.unsafeFlags(["-Xfrontend", "-gnone"])])

/// The store over PostgreSQL. Without this trait nothing needs libpq: the target of the driver is empty, and nothing is
/// linked.
let postgresTrait: Trait = .trait(name: "PostgreSQL", description: "A store over PostgreSQL, on libpq.")
let postgres: TargetDependencyCondition? = .when(traits: ["PostgreSQL"])

/// The engine under `OpenCoreData`, from the lowest target to the highest.
let engineTargets: [Target] = [
    .systemLibrary(name: "CSwormSQLite", providers: [.apt(["libsqlite3-dev"])]),
    .systemLibrary(name: "CSwormZlib", providers: [.apt(["zlib1g-dev"])]),
    .systemLibrary(name: "CSwormSystem"),
    .systemLibrary(name: "CSwormPQ", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(name: "SwormRows", dependencies: ["CSwormSystem"], swiftSettings: settings),
    .target(name: "SwormSQLite", dependencies: ["SwormRows", "CSwormSQLite", "CSwormSystem"], swiftSettings: settings),
    .target(
        name: "SwormPostgres",
        dependencies: ["SwormRows", "CSwormSystem", .target(name: "CSwormPQ", condition: postgres)],
        swiftSettings: settings),
    .target(
        name: "SwormStore",
        dependencies: [
            "SwormPredicates", "SwormSQLite", .target(name: "SwormPostgres", condition: postgres), "SwormRows",
            "CSwormZlib",
        ],
        swiftSettings: settings),
    .target(
        name: "OpenCoreData",
        dependencies: ["SwormStore", "SwormPredicates", "SwormSQLite", "SwormRows", "CSwormSystem"],
        swiftSettings: settings),
    .target(
        name: "SwormCommand",
        dependencies: ["OpenCoreData", "SwormStore", "SwormPredicates", "SwormSQLite", "SwormRows"],
        swiftSettings: settings),
    .executableTarget(name: "sworm-tool", dependencies: ["SwormCommand"], swiftSettings: settings),
]

/// What `Sworm` stands on: Core Data where the platform has it, our engine elsewhere.
let engine: [Target.Dependency] =
    if appleBranch {
        ["SwormPredicates", "CoreData"]
    } else if hasEngine {
        ["SwormPredicates"]
            + ["OpenCoreData", "SwormStore", "SwormSQLite", "SwormRows"].map {
                .target(name: $0, condition: .when(platforms: [.linux, .android, .windows, .wasi]))
            }
    } else {
        ["SwormPredicates"]
    }

/// The modules with the views that `SwormUI` serves.
let viewModules = ["SwiftUI", "UIKit", "AppKit"]
let views: [Target.Dependency] = appleBranch ? viewModules.map { .target(name: $0) } : []

/// The stand-ins for Apple's frameworks, and the tests that run on them. Where `SwormUI` finds no such frameworks, it is
/// empty.
let standIns: [Target] =
    [
        .target(
            name: "CoreData", dependencies: ["OpenCoreData"], path: "Tests/AppleBranch/CoreData",
            swiftSettings: settings)
    ] + viewModules.map { .target(name: $0, path: "Tests/AppleBranch/\($0)", swiftSettings: settings) }

let predicateTests: [Target] = [
    .testTarget(
        name: "SwormPredicatesTests", dependencies: ["SwormPredicates", "TestSupport"], swiftSettings: settings)
]

let engineTests: [Target] = [
    .testTarget(
        name: "SwormSQLiteTests", dependencies: ["SwormSQLite", "SwormRows", "CSwormSQLite", "TestSupport"],
        swiftSettings: settings),
    .testTarget(
        name: "SwormPostgresTests",
        dependencies: ["SwormPostgres", "SwormRows", .target(name: "CSwormPQ", condition: postgres), "TestSupport"],
        swiftSettings: settings),
    .testTarget(
        name: "OpenCoreDataTests",
        dependencies: [
            "Sworm", "OpenCoreData", "SwormStore", "SwormPredicates", "SwormSQLite", "CSwormSQLite", "SwormRows",
            .target(name: "SwormPostgres", condition: postgres), .target(name: "CSwormPQ", condition: postgres),
            "TestSupport",
        ],
        swiftSettings: settings),
    .target(name: "CrashDisk", dependencies: ["CSwormSQLite"], path: "Tests/CrashDisk"),
    .testTarget(
        name: "CrashTests",
        dependencies: ["CrashDisk", "Sworm", "OpenCoreData", "SwormStore", "SwormSQLite", "SwormRows", "TestSupport"],
        swiftSettings: settings),
    .testTarget(
        name: "SwormCommandTests",
        dependencies: [
            "SwormCommand", "SwormTools", "Sworm", "OpenCoreData", "SwormStore", "SwormPredicates", "SwormSQLite",
            "SwormRows", .target(name: "SwormPostgres", condition: postgres), "TestSupport",
        ],
        swiftSettings: settings),
]

let products: [Product] = [
    .library(name: "Sworm", targets: ["Sworm"]),
    .library(name: "SwormUI", targets: ["SwormUI"]),
    .library(name: "SwormMigrations", targets: ["SwormMigrations"]),
    .library(name: "SwormTools", targets: ["SwormTools"]),
    .library(name: "SwormLegacy", targets: ["SwormLegacy"]),
]

let engineProducts: [Product] = [
    .library(name: "OpenCoreData", targets: ["OpenCoreData"]),
    .executable(name: "sworm-tool", targets: ["sworm-tool"]),
]

let targets: [Target] = [
    .target(name: "SwormPredicates", swiftSettings: settings),
    .target(name: "Sworm", dependencies: engine, swiftSettings: settings),
    .target(name: "SwormUI", dependencies: ["Sworm"] + views, swiftSettings: settings),
    .target(name: "SwormMigrations", dependencies: ["Sworm"] + engine, swiftSettings: settings),
    .target(name: "SwormTools", dependencies: ["Sworm", "SwormMigrations"] + engine, swiftSettings: settings),
    .target(name: "SwormLegacy", dependencies: ["Sworm", "SwormMigrations"] + engine, swiftSettings: settings),
    .executableTarget(name: "Tour", dependencies: ["Sworm"], swiftSettings: settings),
    .executableTarget(
        name: "Bookshelf", dependencies: ["Sworm"], path: "Tests/Examples/Bookshelf", swiftSettings: settings),
    .target(name: "TestSupport", path: "Tests/TestSupport", swiftSettings: settings),
    .testTarget(
        name: "SwormTests",
        dependencies: ["Sworm", "SwormTools", "SwormPredicates", "TestSupport", "Bookshelf"]
            + (hasEngine ? ["SwormSQLite", "SwormRows"] : []),
        swiftSettings: settings),
    .testTarget(
        name: "SwormToolsTests", dependencies: ["SwormTools", "SwormLegacy", "Sworm"], swiftSettings: settings),
    .testTarget(
        name: "SwormUITests", dependencies: ["SwormUI", "Sworm", "SwormTools", "TestSupport"] + views,
        // The tests of views need the stand-ins, which are not on Apple's platforms.
        swiftSettings: settings + (appleBranch ? [.define("STAND_INS")] : [])),
]

let package = Package(
    name: "Sworm",
    platforms: [.macOS(.v14), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: products + (hasEngine ? engineProducts : []),
    traits: hasEngine ? [postgresTrait] : [],
    targets: (targets + (hasEngine ? engineTargets : [])
        + (appleBranch ? standIns : predicateTests + (hasEngine ? engineTests : [])))
        .filter { $0.type != .test || chosenTests?.contains($0.name) != false },
    swiftLanguageModes: [.v6]
)
