// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that other libraries to be compared with never become dependencies of the root package.
let package = Package(
    name: "Benchmarks",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Sworm", path: "../..")],
    targets: [
        .systemLibrary(name: "CBenchSQLite", providers: [.apt(["libsqlite3-dev"])]),
        .executableTarget(
            name: "Benchmarks", dependencies: ["CBenchSQLite", .product(name: "Sworm", package: "Sworm")]),
    ],
    swiftLanguageModes: [.v6]
)
