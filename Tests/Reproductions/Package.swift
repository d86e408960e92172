// swift-tools-version: 6.2
import PackageDescription

// Programs that reproduce issues which attacks on the library found. Each compares every case with what is wanted, lists
// the differences, and ends with 0 or 1:
//
//     swift build --package-path Tests/Reproductions
//     for name in undone lostupdate external; do Tests/Reproductions/.build/debug/$name; done
let package = Package(
    name: "Reproductions",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Sworm", path: "../..")],
    targets: [.target(name: "Comparison")]
        + ["undone", "lostupdate", "external"].map { name in
            .executableTarget(
                name: name, dependencies: ["Comparison", .product(name: "Sworm", package: "Sworm")])
        },
    swiftLanguageModes: [.v6]
)
