extension NSAttributeDescription {
    /// The type of an attribute's values, with short names.
    public struct AttributeType: RawRepresentable, Hashable, Sendable {
        /// The number of the type, a raw value of ``NSAttributeType``.
        public let rawValue: UInt

        /// Creates the type with a number.
        ///
        /// - Parameter rawValue: A raw value of ``NSAttributeType``. Setting the type of an attribute to any other
        ///   number makes it undefined.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        private init(_ type: NSAttributeType) { rawValue = type.rawValue }

        /// No type.
        public static let undefined = AttributeType(.undefinedAttributeType)
        /// A signed integer of 16 bits.
        public static let integer16 = AttributeType(.integer16AttributeType)
        /// A signed integer of 32 bits.
        public static let integer32 = AttributeType(.integer32AttributeType)
        /// A signed integer of 64 bits.
        public static let integer64 = AttributeType(.integer64AttributeType)
        /// A decimal number.
        public static let decimal = AttributeType(.decimalAttributeType)
        /// A floating-point number of 64 bits.
        public static let double = AttributeType(.doubleAttributeType)
        /// A floating-point number of 32 bits.
        public static let float = AttributeType(.floatAttributeType)
        /// A string.
        public static let string = AttributeType(.stringAttributeType)
        /// True or false.
        public static let boolean = AttributeType(.booleanAttributeType)
        /// A date.
        public static let date = AttributeType(.dateAttributeType)
        /// Binary data.
        public static let binaryData = AttributeType(.binaryDataAttributeType)
        /// A universally unique identifier.
        public static let uuid = AttributeType(.UUIDAttributeType)
        /// A URL.
        public static let uri = AttributeType(.URIAttributeType)
        /// A value that a transformer converts to bytes and back.
        public static let transformable = AttributeType(.transformableAttributeType)
        /// The identifier of a managed object.
        public static let objectID = AttributeType(.objectIDAttributeType)
        /// A composite of several attributes under one name.
        public static let composite = AttributeType(.compositeAttributeType)
    }

    /// The type of the attribute's values; an alternative to `attributeType`.
    public var type: AttributeType {
        get { AttributeType(rawValue: attributeType.rawValue) }
        set { attributeType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType }
    }
}
