/// A model with hierarchies of entities: three levels, abstract and concrete super-entities, shared composites, relationships
/// from and to super-entities, constraints and indexes at each level.
enum PressXML {
    static let text = """
        <?xml version="1.0"?>
        <model type="com.apple.IDECoreDataModeler.DataModel" documentVersion="1.0">
            <entity name="Publication" isAbstract="YES">
                <attribute name="title" attributeType="String" defaultValueString="untitled"/>
                <attribute name="code" optional="YES" attributeType="Integer 32" usesScalarValueType="NO"/>
                <attribute name="place" optional="YES" attributeType="Composite" composite="Place"/>
                <attribute name="sheet" optional="YES" attributeType="Double"/>
                <relationship name="publisher" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Publisher" inverseName="publications" inverseEntity="Publisher"/>
                <relationship name="previous" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="Publication" inverseName="next" inverseEntity="Publication"/>
                <relationship name="next" optional="YES" toMany="YES" deletionRule="Nullify" destinationEntity="Publication" inverseName="previous" inverseEntity="Publication"/>
                <fetchIndex name="byTitle"><fetchIndexElement property="title" type="Binary" order="ascending"/></fetchIndex>
                <uniquenessConstraints><uniquenessConstraint><constraint value="code"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <entity name="Sheet" parentEntity="Publication">
                <attribute name="isDaily" attributeType="Boolean" defaultValueString="YES" usesScalarValueType="YES"/>
                <attribute name="size" optional="YES" attributeType="Composite" composite="Size"/>
            </entity>
            <entity name="EveningSheet" parentEntity="Sheet">
                <attribute name="hour" attributeType="Integer 16" defaultValueString="18" usesScalarValueType="YES"/>
                <relationship name="reviews" optional="YES" toMany="YES" deletionRule="Cascade" ordered="YES" destinationEntity="Review" inverseName="sheet" inverseEntity="Review"/>
                <fetchIndex name="byHour"><fetchIndexElement property="hour" type="Binary" order="ascending"/><fetchIndexElement property="title" type="Binary" order="descending"/></fetchIndex>
            </entity>
            <entity name="Volume" parentEntity="Publication">
                <attribute name="pages" optional="YES" attributeType="Integer 64" minValueString="1" usesScalarValueType="NO"/>
                <attribute name="isbn" optional="YES" attributeType="String" renamingIdentifier="number"/>
                <uniquenessConstraints><uniquenessConstraint><constraint value="isbn"/></uniquenessConstraint></uniquenessConstraints>
            </entity>
            <entity name="Publisher">
                <attribute name="name" optional="YES" attributeType="String"/>
                <relationship name="publications" optional="YES" toMany="YES" deletionRule="Deny" destinationEntity="Publication" inverseName="publisher" inverseEntity="Publication"/>
            </entity>
            <entity name="Review">
                <attribute name="mark" optional="YES" attributeType="Float" usesScalarValueType="YES"/>
                <relationship name="sheet" optional="YES" maxCount="1" deletionRule="Nullify" destinationEntity="EveningSheet" inverseName="reviews" inverseEntity="EveningSheet"/>
            </entity>
            <composite name="Place">
                <attribute name="city" attributeType="String" defaultValueString="Rome"/>
                <attribute name="size" optional="YES" attributeType="Composite" composite="Size"/>
            </composite>
            <composite name="Size">
                <attribute name="width" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
                <attribute name="height" optional="YES" attributeType="Double" usesScalarValueType="NO"/>
            </composite>
        </model>
        """
}
