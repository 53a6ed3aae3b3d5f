//! What is known of a device, whoever speaks to it.

/// What is known of a device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceInfo {
    /// Its name.
    pub name: String,
    /// Who made it.
    pub vendor: String,
    /// The version of its driver, or of what it understands.
    pub driver: String,
    /// Is it a GPU, not a processor?
    pub is_gpu: bool,
    /// Bytes of memory.
    pub memory: u64,
    /// Bytes of memory that a group shares.
    pub local_memory: u64,
}
