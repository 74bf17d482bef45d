//! A text FBX of version 6, as exporters before 2011 write them.

/// Two triangles of a square metre under a node, each of a material of its own, with textures on the model: the first triangle is of
/// wood with a mask, the second of stone with a tint. A morph target bends them, and within a second they rise from one metre to three.
pub const QUAD: &str = r#"; FBX 6.1.0 project file
FBXHeaderExtension:  {
    FBXHeaderVersion: 1003
    FBXVersion: 6100
}
Objects:  {
    Model: "Model::quad", "Mesh" {
        Version: 232
        Properties60:  {
            Property: "Lcl Translation", "Lcl Translation", "A+",0,100,0
            Property: "Visibility", "Visibility", "A+",1
            Property: "bent", "Number", "A+",0
        }
        Shading: T
        Vertices: 0,0,0,100,0,0,
            100,100,0,0,100,0
        PolygonVertexIndex: 0,1,-3,0,2,-4
        LayerElementUV: 0 {
            Version: 101
            Name: "map1"
            MappingInformationType: "ByPolygonVertex"
            ReferenceInformationType: "IndexToDirect"
            UV: 0,0,1,0,1,1,0,1
            UVIndex: 0,1,2,0,2,3
        }
        LayerElementMaterial: 0 {
            Version: 101
            Name: ""
            MappingInformationType: "ByPolygon"
            ReferenceInformationType: "IndexToDirect"
            Materials: 0,1
        }
        LayerElementTexture: 0 {
            Version: 101
            MappingInformationType: "ByPolygon"
            TextureId: 1,0
        }
        LayerElementTransparentTextures: 0 {
            Version: 101
            MappingInformationType: "ByPolygon"
            TextureId: 2,-1
        }
        Layer: 0 {
            Version: 100
            LayerElement:  {
                Type: "LayerElementUV"
                TypedIndex: 0
            }
            LayerElement:  {
                Type: "LayerElementMaterial"
                TypedIndex: 0
            }
        }
        Shape: "bent" {
            Indexes: 1
            Vertices: 0,0,50
        }
    }
    Model: "Model::pole", "Null" {
        Version: 232
    }
    Material: "Material::wood", "" {
        ShadingModel: "lambert"
        Properties60:  {
            Property: "DiffuseColor", "ColorRGB", "",0.588,0.588,0.588
        }
    }
    Material: "Material::stone", "" {
        ShadingModel: "lambert"
        Properties60:  {
            Property: "DiffuseColor", "ColorRGB", "",1,0.5,0.25
        }
    }
    Texture: "Texture::stone", "TextureVideoClip" {
        FileName: "C:\art\fbx6_stone.png"
        RelativeFilename: "fbx6_stone.png"
        ModelUVTranslation: 0,0
        ModelUVScaling: 1,1
    }
    Texture: "Texture::wood", "TextureVideoClip" {
        FileName: "C:\art\fbx6_wood.png"
        RelativeFilename: "fbx6_wood.png"
    }
    Texture: "Texture::mask", "TextureVideoClip" {
        FileName: "C:\art\fbx6_mask.png"
        RelativeFilename: "fbx6_mask.png"
    }
}
Connections:  {
    Connect: "OO", "Model::quad", "Model::pole"
    Connect: "OO", "Model::pole", "Model::Scene"
    Connect: "OO", "Material::wood", "Model::quad"
    Connect: "OO", "Material::stone", "Model::quad"
    Connect: "OO", "Texture::stone", "Model::quad"
    Connect: "OO", "Texture::wood", "Model::quad"
    Connect: "OO", "Texture::mask", "Model::quad"
}
Takes:  {
    Current: "rise"
    Take: "rise" {
        LocalTime: 0,46186158000
        Model: "Model::quad" {
            Version: 1.1
            Channel: "Transform" {
                Channel: "T" {
                    Channel: "X" {
                        Default: 0
                    }
                    Channel: "Y" {
                        Default: 100
                        KeyVer: 4005
                        KeyCount: 2
                        Key:
                            0,100,L,
                            46186158000,300,U,s,0,0,n
                    }
                    LayerType: 1
                }
            }
            Channel: "bent" {
                Default: 0
                KeyVer: 4005
                KeyCount: 2
                Key: 0,0,L,46186158000,100,L
            }
        }
    }
    Take: "empty" {
    }
}
"#;
