//! GPU adapters: which there are, and the choice among them.

use std::time::Duration;

use crate::error::Fault;
use crate::options::{Api, Options, Power};
use crate::wait::wait;

/// An adapter as a list shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AdapterName {
    /// Its name.
    pub name: String,
    /// The interface it is reached by.
    pub api: Api,
    /// Whether it is a CPU that plays a GPU.
    pub software: bool,
}

/// All adapters that are reached by any interface.
#[must_use]
pub fn adapters() -> Vec<AdapterName> {
    found(None, DRIVERS).iter().filter_map(|adapter| described(&adapter.get_info())).collect()
}

fn described(info: &wgpu::AdapterInfo) -> Option<AdapterName> {
    let api = match info.backend {
        wgpu::Backend::Vulkan => Api::Vulkan,
        wgpu::Backend::Gl => Api::Gl,
        wgpu::Backend::Metal => Api::Metal,
        wgpu::Backend::Dx12 => Api::Dx12,
        _ => return None,
    };
    let software = info.device_type == wgpu::DeviceType::Cpu || is_software(&info.name);
    Some(AdapterName { name: info.name.clone(), api, software })
}

/// Software adapters behind OpenGL do not always say what they are.
fn is_software(name: &str) -> bool {
    let name = name.to_lowercase();
    ["llvmpipe", "softpipe", "swiftshader", "basic render"].iter().any(|part| name.contains(part))
}

/// For a list, which has no options.
const DRIVERS: Duration = Duration::from_secs(60);

fn found(api: Option<Api>, patience: Duration) -> Vec<wgpu::Adapter> {
    let backends = match api {
        None => wgpu::Backends::VULKAN | wgpu::Backends::GL | wgpu::Backends::METAL | wgpu::Backends::DX12,
        Some(Api::Vulkan) => wgpu::Backends::VULKAN,
        Some(Api::Gl) => wgpu::Backends::GL,
        Some(Api::Metal) => wgpu::Backends::METAL,
        Some(Api::Dx12) => wgpu::Backends::DX12,
    };
    let descriptor =
        wgpu::InstanceDescriptor { backends, ..wgpu::InstanceDescriptor::new_without_display_handle() };
    wait(wgpu::Instance::new(descriptor).enumerate_adapters(backends), patience).unwrap_or_default()
}

/// The first adapter in the order of the options.
pub(crate) fn choose(options: &Options) -> Result<(wgpu::Adapter, AdapterName), Fault> {
    let wanted = options.name.as_ref().map(|name| name.to_lowercase());
    let rank = |info: &wgpu::AdapterInfo| {
        let kind = match (info.device_type, options.power) {
            (wgpu::DeviceType::DiscreteGpu, Power::Low) | (wgpu::DeviceType::IntegratedGpu, Power::High) => 1,
            (wgpu::DeviceType::DiscreteGpu | wgpu::DeviceType::IntegratedGpu, _) => 0,
            (wgpu::DeviceType::VirtualGpu, _) => 2,
            (wgpu::DeviceType::Other, _) => 3,
            (wgpu::DeviceType::Cpu, _) => 4,
        };
        // OpenGL last: the same adapter is better reached by its own interface.
        (kind, info.backend == wgpu::Backend::Gl)
    };
    let mut adapters: Vec<(wgpu::Adapter, AdapterName)> = found(options.api, options.patience())
        .into_iter()
        .filter_map(|adapter| described(&adapter.get_info()).map(|name| (adapter, name)))
        .filter(|(_, name)| options.software || !name.software)
        .filter(|(_, name)| wanted.as_ref().is_none_or(|part| name.name.to_lowercase().contains(part)))
        .filter(|(adapter, _)| {
            let can = adapter.get_downlevel_capabilities().flags;
            can.contains(wgpu::DownlevelFlags::COMPUTE_SHADERS)
        })
        .collect();
    adapters.sort_by_key(|(adapter, _)| rank(&adapter.get_info()));
    adapters.into_iter().next().ok_or(Fault::NoAdapter)
}
