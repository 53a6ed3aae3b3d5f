//! Properties of a device, independent of its backend.

/// Properties of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
    /// Its maker.
    pub vendor: String,
    /// The version of its driver, or of the language it understands.
    pub driver: String,
    /// Whether it is a GPU and not a processor.
    pub is_gpu: bool,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of memory that a group shares.
    pub local_memory: u64,
}
