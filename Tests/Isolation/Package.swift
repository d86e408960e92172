// swift-tools-version: 6.2
import PackageDescription

// Transactions over lists by four threads in each of two containers in each of three processes, whose history is checked for
// anomalies as in SwormTests; ends with 0 or 1:
//
//     swift run -c release --package-path Tests/Isolation Isolation 100000
//     swift run -c release --package-path Tests/Isolation Isolation 10000 --journal delete
//
// --seed NUMBER gives the seed of the choices that the sessions make. Their order in time is up to the system.
let package = Package(
    name: "Isolation",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Sworm", path: "../..")],
    targets: [
        // All files but main.swift and Arguments.swift are links to those of the tests.
        .executableTarget(name: "Isolation", dependencies: [.product(name: "Sworm", package: "Sworm")])
    ],
    swiftLanguageModes: [.v6]
)
