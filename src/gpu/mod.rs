//! The GPU kit: device, buffers, textures, shaders, readback.
