/// A model with a class for most of its entities, named in each way that Xcode has.
enum ZooXML {
    static let text = """
        <?xml version="1.0"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Animal" representedClassName=".Animal" isAbstract="YES">
                <attribute name="name" attributeType="String" defaultValueString=""/>
                <attribute name="born" optional="YES" attributeType="Date" usesScalarValueType="NO"/>
                <attribute name="legs" attributeType="Integer 16" defaultValueString="4" usesScalarValueType="YES"/>
                <attribute name="weight" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
                <attribute name="address" optional="YES" attributeType="Composite" composite="Address"/>
                <attribute name="mood" optional="YES" attributeType="Transformable" valueTransformerName="MoodTransformer" customClassName="Mood"/>
                <attribute name="nickname" optional="YES" transient="YES" attributeType="String"/>
                <relationship name="keeper" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Keeper" inverseName="animals" inverseEntity="Keeper"/>
            </entity>
            <entity name="Cat" representedClassName=".Cat" parentEntity="Animal">
                <attribute name="lives" attributeType="Integer 64" defaultValueString="9" usesScalarValueType="YES"/>
                <relationship name="prey" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Mouse" inverseName="hunter" inverseEntity="Mouse"/>
            </entity>
            <entity name="Keeper" representedClassName="SwormCommandTests.Keeper" elementID="Guard">
                <attribute name="id" attributeType="UUID" usesScalarValueType="NO"/>
                <attribute name="animalCount" optional="YES" attributeType="Integer 32" derived="YES" derivationExpression="animals.@count" usesScalarValueType="NO"/>
                <relationship name="animals" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Animal" inverseName="keeper" inverseEntity="Animal"/>
                <relationship name="rounds" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Round" inverseName="keeper" inverseEntity="Round"/>
                <fetchedProperty name="kittens" optional="YES"><fetchRequest name="fetchedPropertyFetchRequest" entity="Cat" predicateString="lives == 9"/></fetchedProperty>
            </entity>
            <entity name="Mouse" representedClassName="Mouse" parentEntity="Animal">
                <relationship name="hunter" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Cat" inverseName="prey" inverseEntity="Cat"/>
            </entity>
            <entity name="Round">
                <attribute name="hour" optional="YES" attributeType="Integer 16" usesScalarValueType="NO"/>
                <relationship name="keeper" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Keeper" inverseName="rounds" inverseEntity="Keeper"/>
            </entity>
            <composite name="Address">
                <attribute name="house" attributeType="String" defaultValueString="Main"/>
                <attribute name="cage" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
            </composite>
        </model>
        """

    /// A model whose names Swift or `NSManagedObject` keeps for itself, or which hide the types that the source uses.
    static let odd = """
        <?xml version="1.0"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Data" representedClassName="Data">
                <attribute name="bytes" optional="YES" attributeType="Binary"/>
                <attribute name="default" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES"/>
                <attribute name="className" optional="YES" attributeType="String"/>
                <attribute name="classDescription" optional="YES" attributeType="String"/>
                <attribute name="hashValue" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
                <attribute name="title" optional="YES" attributeType="String"/>
                <attribute name="_title" optional="YES" attributeType="String"/>
                <attribute name="Self" optional="YES" attributeType="String"/>
                <attribute name="Type" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
                <attribute name="size" optional="YES" attributeType="Composite" composite="Size"/>
                <relationship name="subentity" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Data" inverseName="validateForDelete" inverseEntity="Data"/>
                <relationship name="validateForDelete" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Data" inverseName="subentity" inverseEntity="Data"/>
            </entity>
            <entity name="Managed" representedClassName=".Managed"/>
            <entity name="NSFetchRequest" representedClassName=".NSFetchRequest"/>
            <entity name="Set" representedClassName=".Set">
                <attribute name="text" optional="YES" attributeType="String"/>
            </entity>
            <entity name="String" representedClassName=".String" parentEntity="Set"/>
            <entity name="Substring" representedClassName=".String" parentEntity="String">
                <attribute name="start" optional="YES" attributeType="Integer 64" usesScalarValueType="NO"/>
            </entity>
            <entity name="Character" representedClassName=".Letter" parentEntity="Substring"/>
            <entity name="where" representedClassName=".where"/>
            <entity name="Kind" representedClassName=".Type"/>
            <entity name="Other" representedClassName="A-B"/>
            <composite name="Size"><attribute name="width" optional="YES" attributeType="Double" usesScalarValueType="NO"/></composite>
        </model>
        """
}
