// swift-tools-version: 6.2
import PackageDescription

// Live results and change feeds over processes that write, checkpoint, and are killed; ends with 0 or 1:
//
//     swift run -c release --package-path Tests/Processes Processes watch 10000
//     swift run -c release --package-path Tests/Processes Processes watch 10000 --synchronous FULL
//     swift run -c release --package-path Tests/Processes Processes feed 1000
//     swift run -c release --package-path Tests/Processes Processes trees 1000
//     swift run -c release --package-path Tests/Processes Processes idle 1000
//
// `watch` has three processes that commit so many times each. `feed` kills readers and writers so many times. `trees` kills
// so many processes that save trees. `idle` keeps so many live requests for ten seconds.
let package = Package(
    name: "Processes",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Sworm", path: "../..")],
    targets: [.executableTarget(name: "Processes", dependencies: [.product(name: "Sworm", package: "Sworm")])],
    swiftLanguageModes: [.v6]
)
