/// A model whose names are the same in Swift if they only get the usual endings, with rules and texts that need care in
/// Swift.
enum TwinsXML {
    /// A text that is longer than a line, with brackets in it.
    static let text = String(repeating: "long ", count: 12) + "(a) " + String(repeating: "text ", count: 14) + "(b)"

    static let xml = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Data">
                <attribute name="Type" optional="YES" attributeType="Integer 32"/>
                <attribute name="Type_" optional="YES" attributeType="String"/>
                <attribute name="debt" attributeType="Integer 64" defaultValueString="-5" maxValueString="-1"/>
                <attribute name="depth" optional="YES" attributeType="Double" minValueString="-10" maxValueString="-1.5"/>
                <attribute name="floor" optional="YES" attributeType="Integer 64" minValueString="-10" maxValueString="-2"/>
                <composite name="pair" optional="YES">
                    <attribute name="Self" optional="YES" attributeType="String"/>
                    <attribute name="Self_" optional="YES" attributeType="String"/>
                </composite>
                <relationship name="Protocol" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="DataEntity" inverseName="Protocol" inverseEntity="DataEntity"/>
                <relationship name="Protocol_" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="DataEntity" inverseName="Protocol_" inverseEntity="DataEntity"/>
            </entity>
            <entity name="DataEntity">
                <attribute name="text" attributeType="String" defaultValueString="\(text)"/>
                <relationship name="Protocol" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Data" inverseName="Protocol" inverseEntity="Data"/>
                <relationship name="Protocol_" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Data" inverseName="Protocol_" inverseEntity="Data"/>
            </entity>
            <entity name="Never" versionHashModifier="a&#10;b">
                <attribute name="code" optional="YES" attributeType="String" minValueString="3" maxValueString="2"/>
                <attribute name="count" optional="YES" attributeType="Integer 16" minValueString="5" maxValueString="4"/>
                <attribute name="same" optional="YES" attributeType="String" minValueString="3" maxValueString="3"/>
            </entity>
        </model>
        """
}
