/// A model with names that Swift keeps for itself, and with everything that tables can say.
enum OddXML {
    static let text = """
        <?xml version="1.0" encoding="UTF-8" standalone="yes"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0" userDefinedModelVersionIdentifier="a &amp; b">
            <entity name="Data" representedClassName="AppData" elementID="Info">
                <attribute name="Type" optional="YES" attributeType="Integer 32" minValueString="-3" maxValueString="9" usesScalarValueType="YES"/>
                <attribute name="date" attributeType="Date" defaultDateTimeInterval="86400.5" minDateTimeInterval="0" usesScalarValueType="NO"/>
                <attribute name="default" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES"/>
                <attribute name="float" attributeType="Float" defaultValueString="1.5" maxValueString="2.5" usesScalarValueType="YES"/>
                <attribute name="for" optional="YES" attributeType="String" defaultValueString="a &quot;b&quot; &#10;\\ é" minValueString="1" maxValueString="40" regularExpressionString="[a-z\\\\&quot;]+"/>
                <attribute name="home" optional="YES" attributeType="URI" defaultValueString="https://example.org/a?b=c&amp;d"/>
                <attribute name="large" attributeType="Integer 64" defaultValueString="9000000000" usesScalarValueType="YES" elementID="big" versionHashModifier="2"/>
                <attribute name="old" optional="YES" attributeType="String" indexed="YES"/>
                <attribute name="photo" optional="YES" attributeType="Binary" allowsExternalBinaryDataStorage="YES" preserveAfterDeletion="YES"/>
                <attribute name="price" attributeType="Decimal" defaultValueString="12.5" minValueString="0.5"/>
                <attribute name="small" attributeType="Integer 16" defaultValueString="-4" usesScalarValueType="YES"/>
                <attribute name="switch" optional="YES" attributeType="Double" usesScalarValueType="YES"/>
                <attribute name="token" attributeType="UUID" usesScalarValueType="NO"/>
                <relationship name="case" optional="YES" toMany="YES" minCount="1" maxCount="5" deletionRule="Deny" ordered="YES" destinationEntity="thing" inverseName="self_" inverseEntity="thing"/>
                <relationship name="friends" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Data" inverseName="friends" inverseEntity="Data"/>
                <relationship name="let" optional="YES" maxCount="1" deletionRule="No Action" destinationEntity="Relations" elementID="var" versionHashModifier="b"/>
                <relationship name="parent" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Data" inverseName="parts" inverseEntity="Data"/>
                <relationship name="parts" optional="YES" toMany="YES" deletionRule="Cascade" destinationEntity="Data" inverseName="parent" inverseEntity="Data"/>
                <fetchIndex name="byDateAndType">
                    <fetchIndexElement property="date" type="Binary" order="descending"/>
                    <fetchIndexElement property="Type" type="Binary" order="ascending"/>
                </fetchIndex>
                <uniquenessConstraints>
                    <uniquenessConstraint><constraint value="token"/></uniquenessConstraint>
                    <uniquenessConstraint><constraint value="for"/><constraint value="date"/></uniquenessConstraint>
                </uniquenessConstraints>
                <userInfo><entry key="a" value="&lt;b&gt;"/></userInfo>
            </entity>
            <entity name="Relations" representedClassName="Relations">
                <attribute name="text" optional="YES" attributeType="String"/>
            </entity>
            <entity name="thing" representedClassName="thing">
                <relationship name="self_" maxCount="1" deletionRule="Nullify" destinationEntity="Data" inverseName="case" inverseEntity="Data"/>
            </entity>
            <configuration name="Some"><memberEntity name="thing"/></configuration>
        </model>
        """
}
