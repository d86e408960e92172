// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Shelf",
    platforms: [.macOS(.v14)],
    dependencies: [.package(path: "../Sworm")],
    targets: [
        .executableTarget(name: "Shelf", dependencies: [.product(name: "Sworm", package: "Sworm")])
    ]
)
