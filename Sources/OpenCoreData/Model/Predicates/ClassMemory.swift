import CSwormSystem

/// Objects of subclasses of classes whose initializers trap on this platform.
///
/// Foundation declares `NSExpression` and `NSComparisonPredicate` on Linux, so that another module cannot declare classes of
/// these names without making the names ambiguous, but each of their initializers ends the program. An object is therefore
/// created without one: the runtime allocates its memory, and its properties are zeros.
enum ClassMemory {
    /// Returns an object of a class.
    ///
    /// - Parameters:
    ///   - type: The class. Each property that it and its superclasses below that of `model` declare must be an optional
    ///     reference to an object, for which zeros mean nil.
    ///   - model: An object of a superclass, whose properties the object gets. Their bytes are copied, so that none may refer
    ///     to an object.
    static func makeObject<Object: AnyObject>(of type: Object.Type, like model: AnyObject? = nil) -> Object {
        let size = size(of: type)
        let memory = swift_allocObject(metadata(of: type), size, 15)
        (memory + header).initializeMemory(as: UInt8.self, repeating: 0, count: size - header)
        if let model {
            // The pointer does not keep the object alive.
            withExtendedLifetime(model) {
                let values = UnsafeRawPointer(Unmanaged.passUnretained(model).toOpaque()) + header
                (memory + header).copyMemory(from: values, byteCount: Self.size(of: Swift.type(of: model)) - header)
            }
        }
        return Unmanaged<Object>.fromOpaque(memory).takeRetainedValue()
    }

    /// The size of the class and the reference count at the beginning of each object.
    static let header = 2 * MemoryLayout<UnsafeRawPointer>.size

    static func size(of type: AnyClass) -> Int {
        Int(instanceExtents(of: type).behind)
    }

    private static func metadata(of type: AnyClass) -> UnsafeRawPointer {
        unsafeBitCast(type, to: UnsafeRawPointer.self)
    }
}

// Declared in Swift because it has Swift's calling convention, which differs from C's on some platforms.
/// Returns the size of the objects of a class, before and behind their addresses, as the standard library does.
@_silgen_name("_swift_getSwiftClassInstanceExtents")
private func instanceExtents(of type: AnyClass) -> (before: UInt, behind: UInt)
