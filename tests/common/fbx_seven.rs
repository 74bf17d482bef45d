//! A text FBX of version 7, as exporters since 2011 write them.

/// A triangle of a square metre's half under the nodes `slide` and, below it, `wheel`. Within a second `slide` moves by 10 m along X,
/// by a curve that is flat at both ends, and `wheel` turns once about Y, by a straight line from 0 to 360 degrees.
pub const CURVES: &str = r#"; FBX 7.4.0 project file
FBXHeaderExtension:  {
    FBXHeaderVersion: 1003
    FBXVersion: 7400
}
GlobalSettings:  {
    Properties70:  {
        P: "UpAxis", "int", "Integer", "",1
        P: "UpAxisSign", "int", "Integer", "",1
        P: "FrontAxis", "int", "Integer", "",2
        P: "FrontAxisSign", "int", "Integer", "",1
        P: "CoordAxis", "int", "Integer", "",0
        P: "CoordAxisSign", "int", "Integer", "",1
        P: "UnitScaleFactor", "double", "Number", "",100
    }
}
Objects:  {
    Geometry: 1, "Geometry::leaf", "Mesh" {
        Vertices: *9 {
            a: 0,0,0,1,0,0,0,1,0
        }
        PolygonVertexIndex: *3 {
            a: 0,1,-3
        }
        GeometryVersion: 124
    }
    Model: 2, "Model::slide", "Null" {
        Version: 232
    }
    Model: 3, "Model::wheel", "Mesh" {
        Version: 232
    }
    AnimationStack: 4, "AnimStack::go", "" {
        Properties70:  {
            P: "LocalStart", "KTime", "Time", "",0
            P: "LocalStop", "KTime", "Time", "",46186158000
        }
    }
    AnimationLayer: 5, "AnimLayer::BaseLayer", "" {
    }
    AnimationCurveNode: 6, "AnimCurveNode::T", "" {
        Properties70:  {
            P: "d|X", "Number", "", "A",0
        }
    }
    AnimationCurveNode: 7, "AnimCurveNode::R", "" {
        Properties70:  {
            P: "d|Y", "Number", "", "A",0
        }
    }
    AnimationCurve: 8, "AnimCurve::", "" {
        KeyVer: 4008
        KeyTime: *2 {
            a: 0,46186158000
        }
        KeyValueFloat: *2 {
            a: 0,10
        }
        KeyAttrFlags: *1 {
            a: 1032
        }
        KeyAttrDataFloat: *4 {
            a: 0,0,0,0
        }
        KeyAttrRefCount: *1 {
            a: 2
        }
    }
    AnimationCurve: 9, "AnimCurve::", "" {
        KeyVer: 4008
        KeyTime: *2 {
            a: 0,46186158000
        }
        KeyValueFloat: *2 {
            a: 0,360
        }
        KeyAttrFlags: *1 {
            a: 4
        }
        KeyAttrDataFloat: *4 {
            a: 0,0,0,0
        }
        KeyAttrRefCount: *1 {
            a: 2
        }
    }
}
Connections:  {
    C: "OO",1,3
    C: "OO",3,2
    C: "OO",2,0
    C: "OO",5,4
    C: "OO",6,5
    C: "OO",7,5
    C: "OP",6,2, "Lcl Translation"
    C: "OP",7,3, "Lcl Rotation"
    C: "OP",8,6, "d|X"
    C: "OP",9,7, "d|Y"
}
"#;
