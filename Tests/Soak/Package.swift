// swift-tools-version: 6.2
import PackageDescription

// A package of its own, as GRDB is compared with. Its program puts stores under load for minutes, compares what happens with
// what is promised, and ends with 0 or 1:
//
//     swift run -c release --package-path Tests/Soak Soak run --minutes 10
//     swift run -c release --package-path Tests/Soak Soak compare --runs 5
//     swift run -c release --package-path Tests/Soak Soak suspend --stops 10000
//     swift run -c release --package-path Tests/Soak Soak external
//
// `Soak help` lists the options. Linux alone: it looks into /proc.
let package = Package(
    name: "Soak",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(name: "Sworm", path: "../.."),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    ],
    targets: [
        .systemLibrary(name: "CSoakSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "Soak",
            dependencies: [
                "CSoakSQLite", .product(name: "Sworm", package: "Sworm"),
                .product(name: "SwormTools", package: "Sworm"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            // Keeps the members of one library out of the files that import the other.
            swiftSettings: [.enableUpcomingFeature("MemberImportVisibility")]),
    ],
    swiftLanguageModes: [.v6]
)
