//! A device with its buffers and pipelines, and the way commands reach it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use infill::kernel::Op;

use crate::adapter::{AdapterName, choose};
use crate::counters::Counters;
use crate::error::Fault;
use crate::options::Options;
use crate::stage::{Slot, Stage};
use crate::wait::wait;

/// What a dispatch is told: the `Params` of `shaders/common.wgsl`, in its order.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Job {
    pub(crate) rows: u32,
    pub(crate) points: u32,
    pub(crate) dims: u32,
    pub(crate) columns: u32,
    pub(crate) nodes: u32,
    pub(crate) lists: u32,
    pub(crate) theta: u32,
    pub(crate) thetas: u32,
    pub(crate) step: u32,
    pub(crate) keep: u32,
    pub(crate) rule: u32,
    pub(crate) first: u32,
    pub(crate) parameter: f32,
    pub(crate) best: f32,
    pub(crate) most: u32,
    pub(crate) batch: u32,
}

impl Job {
    const WORDS: usize = 16;

    fn words(self) -> [u32; Self::WORDS] {
        [
            self.rows,
            self.points,
            self.dims,
            self.columns,
            self.nodes,
            self.lists,
            self.theta,
            self.thetas,
            self.step,
            self.keep,
            self.rule,
            self.first,
            self.parameter.to_bits(),
            self.best.to_bits(),
            self.most,
            self.batch,
        ]
    }
}

/// A dispatch in the making.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Command {
    pub(crate) stage: Stage,
    pub(crate) single: Option<Op>,
    pub(crate) job: Job,
    /// Workgroups in x, y, z.
    pub(crate) groups: [u32; 3],
    /// What it computes, by the convention of [`Counters::flops`].
    pub(crate) flops: u64,
}

/// A pipeline with the buffers it works on.
#[derive(Debug)]
struct Ready {
    pipeline: wgpu::ComputePipeline,
    group: wgpu::BindGroup,
}

/// Dispatches of one submission whose parameters have a place.
const COMMANDS: usize = 1024;
/// Distance of two sets of parameters: the largest alignment that an adapter may ask for.
const APART: usize = 256;

/// A device with its buffers and pipelines.
#[derive(Debug)]
pub(crate) struct Device {
    device: wgpu::Device,
    queue: wgpu::Queue,
    name: AdapterName,
    buffers: HashMap<Slot, wgpu::Buffer>,
    jobs: wgpu::Buffer,
    staging: wgpu::Buffer,
    ready: HashMap<(Stage, Option<Op>), Ready>,
    /// The first thing that went wrong outside of a call.
    trouble: Arc<Mutex<Option<Fault>>>,
    patience: Duration,
    /// It did not answer in time, and may never.
    silent: bool,
    pub(crate) counters: Counters,
}

impl Device {
    /// A device of the adapter that the options choose, with buffers of so many bytes.
    pub(crate) fn new(
        options: &Options,
        sizes: impl FnOnce(&wgpu::Limits) -> Vec<(Slot, u64)>,
    ) -> Result<Self, Fault> {
        let (adapter, name) = choose(options)?;
        let offered = adapter.limits();
        let mut limits = wgpu::Limits::downlevel_defaults();
        // As large as the adapter's own, otherwise the least that is common.
        limits.max_storage_buffer_binding_size = offered.max_storage_buffer_binding_size;
        limits.max_buffer_size = offered.max_buffer_size;
        if u64::from(offered.max_compute_invocations_per_workgroup) < 256 {
            let most = u64::from(offered.max_compute_invocations_per_workgroup);
            return Err(Fault::TooLarge { needed: 256, most });
        }
        let sizes = sizes(&limits);
        let most = limits.max_buffer_size.min(limits.max_storage_buffer_binding_size);
        for &(_, needed) in &sizes {
            if needed > most {
                return Err(Fault::TooLarge { needed, most });
            }
        }
        let descriptor = wgpu::DeviceDescriptor {
            label: Some("infill"),
            required_features: wgpu::Features::empty(),
            required_limits: limits,
            ..Default::default()
        };
        let patience = options.patience();
        let (device, queue) = wait(adapter.request_device(&descriptor), patience)
            .ok_or_else(|| silence(patience))?
            .map_err(|error| Fault::Lost(error.to_string()))?;
        let trouble = Arc::new(Mutex::new(None));
        let note = Arc::clone(&trouble);
        device.set_device_lost_callback(move |_, reason| remember(&note, Fault::Lost(reason)));
        let note = Arc::clone(&trouble);
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| remember(&note, fault(&error))));
        let scope = device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let largest = sizes.iter().map(|&(_, size)| size).max().unwrap_or(0);
        let buffers = sizes.iter().map(|&(slot, size)| (slot, make(&device, size, STORAGE))).collect();
        let jobs = make(
            &device,
            (COMMANDS * APART) as u64,
            wgpu::BufferUsages::UNIFORM | wgpu::BufferUsages::COPY_DST,
        );
        let staging = make(&device, largest, wgpu::BufferUsages::MAP_READ | wgpu::BufferUsages::COPY_DST);
        if wait(scope.pop(), patience).ok_or_else(|| silence(patience))?.is_some() {
            return Err(Fault::OutOfMemory);
        }
        let made = Self {
            device,
            queue,
            name,
            buffers,
            jobs,
            staging,
            ready: HashMap::new(),
            trouble,
            patience,
            silent: false,
            counters: Counters::default(),
        };
        made.check()?;
        Ok(made)
    }

    pub(crate) fn name(&self) -> &AdapterName {
        &self.name
    }

    /// Gives the device back to the driver: what comes after is [`Fault::Lost`].
    pub(crate) fn destroy(&self) {
        self.device.destroy();
    }

    /// The first trouble there was.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        match self.trouble.lock() {
            Ok(trouble) => trouble.clone().map_or(Ok(()), Err),
            Err(_) => Err(Fault::Lost("another thread panicked".into())),
        }
    }

    fn buffer(&self, slot: Slot) -> Result<&wgpu::Buffer, Fault> {
        self.buffers.get(&slot).ok_or_else(|| Fault::Validation(format!("no buffer {slot:?}")))
    }

    /// Makes a buffer as large as is needed, if the adapter allows: what it held is lost then, and so it is when it was too small.
    pub(crate) fn reserve(&mut self, slot: Slot, needed: u64) -> Result<bool, Fault> {
        self.check()?;
        if needed <= self.buffer(slot)?.size() {
            return Ok(true);
        }
        let limits = self.device.limits();
        if needed > limits.max_buffer_size.min(limits.max_storage_buffer_binding_size) {
            return Ok(false);
        }
        let scope = self.device.push_error_scope(wgpu::ErrorFilter::OutOfMemory);
        let buffer = make(&self.device, needed, STORAGE);
        if wait(scope.pop(), self.patience).ok_or_else(|| silence(self.patience))?.is_some() {
            return Err(Fault::OutOfMemory);
        }
        self.buffers.insert(slot, buffer);
        // They are bound to the old one.
        self.ready.retain(|(stage, _), _| stage.buffers().iter().all(|(used, _)| *used != slot));
        Ok(true)
    }

    /// Copies words to the front of a buffer.
    pub(crate) fn upload<T: bytemuck::NoUninit>(&mut self, slot: Slot, data: &[T]) -> Result<(), Fault> {
        self.check()?;
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let buffer = self.buffer(slot)?;
        if bytes.len() as u64 > buffer.size() {
            return Err(Fault::TooLarge { needed: bytes.len() as u64, most: buffer.size() });
        }
        self.queue.write_buffer(buffer, 0, bytes);
        self.counters.bytes_up += bytes.len() as u64;
        Ok(())
    }

    /// Runs commands one after the other, then copies the front of a buffer back.
    pub(crate) fn run<T: bytemuck::AnyBitPattern + bytemuck::NoUninit>(
        &mut self,
        commands: &[Command],
        slot: Slot,
        from: usize,
        out: &mut [T],
    ) -> Result<(), Fault> {
        // Counted from here: some drivers do the work inside of the submission.
        let begun = Instant::now();
        self.submit(commands)?;
        if out.is_empty() {
            return Ok(());
        }
        let (start, bytes) = ((from * size_of::<T>()) as u64, size_of_val(out) as u64);
        let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
        encoder.copy_buffer_to_buffer(self.buffer(slot)?, start, &self.staging, 0, bytes);
        self.queue.submit([encoder.finish()]);
        let (send, receive) = std::sync::mpsc::channel();
        self.staging.map_async(wgpu::MapMode::Read, 0..bytes, move |mapped| {
            // Nobody waits any more if the call has failed.
            let _ = send.send(mapped);
        });
        let Some(left) = self.patience.checked_sub(begun.elapsed()) else { return Err(self.fall_silent()) };
        let wait = wgpu::PollType::Wait { submission_index: None, timeout: Some(left) };
        match self.device.poll(wait) {
            Ok(_) => {}
            Err(wgpu::PollError::Timeout) => return Err(self.fall_silent()),
            Err(error) => return Err(Fault::Lost(error.to_string())),
        }
        // The callback has been called by now, or never will be.
        let mapped = receive.try_recv().map_err(|_| Fault::Lost("no answer".into()))?;
        self.check()?;
        mapped.map_err(|error| Fault::Lost(error.to_string()))?;
        let view =
            self.staging.get_mapped_range(0..bytes).map_err(|error| Fault::Validation(error.to_string()))?;
        bytemuck::cast_slice_mut::<T, u8>(out).copy_from_slice(&view);
        drop(view);
        self.staging.unmap();
        self.counters.bytes_down += bytes;
        self.check()
    }

    /// What is mapped may come at any time from now on: nothing is asked of the device any more.
    fn fall_silent(&mut self) -> Fault {
        self.silent = true;
        let fault = silence(self.patience);
        remember(&self.trouble, fault.clone());
        fault
    }

    /// Queues commands, as many in one submission as have their parameters in one buffer.
    pub(crate) fn submit(&mut self, commands: &[Command]) -> Result<(), Fault> {
        self.check()?;
        for command in commands {
            self.prepare(command.stage, command.single)?;
        }
        for chunk in commands.chunks(COMMANDS) {
            let mut words = vec![0u32; chunk.len() * APART / 4];
            for (command, place) in chunk.iter().zip(words.chunks_exact_mut(APART / 4)) {
                place[..Job::WORDS].copy_from_slice(&command.job.words());
                place[Job::WORDS..2 * Job::WORDS].copy_from_slice(&command.job.words());
            }
            self.queue.write_buffer(&self.jobs, 0, bytemuck::cast_slice(&words));
            let mut encoder = self.device.create_command_encoder(&wgpu::CommandEncoderDescriptor::default());
            {
                let mut pass = encoder.begin_compute_pass(&wgpu::ComputePassDescriptor::default());
                for (i, command) in chunk.iter().enumerate() {
                    let Some(ready) = self.ready.get(&(command.stage, command.single)) else { continue };
                    pass.set_pipeline(&ready.pipeline);
                    pass.set_bind_group(0, &ready.group, &[(i * APART) as u32]);
                    let [x, y, z] = command.groups;
                    pass.dispatch_workgroups(x, y, z);
                }
            }
            self.queue.submit([encoder.finish()]);
            self.counters.dispatches += chunk.len() as u64;
            self.counters.flops += chunk.iter().map(|command| command.flops).sum::<u64>();
        }
        self.check()
    }

    /// The pipeline of a stage, made when it is first used.
    fn prepare(&mut self, stage: Stage, single: Option<Op>) -> Result<(), Fault> {
        if self.ready.contains_key(&(stage, single)) {
            return Ok(());
        }
        let module = self.device.create_shader_module(wgpu::ShaderModuleDescriptor {
            label: Some(stage.entry()),
            source: wgpu::ShaderSource::Wgsl(stage.source(single).into()),
        });
        let entry = |binding: u32, ty, dynamic| wgpu::BindGroupLayoutEntry {
            binding,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer { ty, has_dynamic_offset: dynamic, min_binding_size: None },
            count: None,
        };
        let mut entries = vec![entry(0, wgpu::BufferBindingType::Uniform, true)];
        for (binding, &(_, read_only)) in (1..).zip(stage.buffers()) {
            entries.push(entry(binding, wgpu::BufferBindingType::Storage { read_only }, false));
        }
        let layout = self
            .device
            .create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor { label: None, entries: &entries });
        let pipeline_layout = self.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&layout)],
            immediate_size: 0,
        });
        let pipeline = self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(stage.entry()),
            layout: Some(&pipeline_layout),
            module: &module,
            entry_point: Some(stage.entry()),
            // Every shader writes what it reads there; zeros, written one by one in GLSL, take minutes to compile.
            compilation_options: wgpu::PipelineCompilationOptions {
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: None,
        });
        let job = wgpu::BufferBinding {
            buffer: &self.jobs,
            offset: 0,
            size: std::num::NonZeroU64::new((2 * Job::WORDS * 4) as u64),
        };
        let mut bound =
            vec![wgpu::BindGroupEntry { binding: 0, resource: wgpu::BindingResource::Buffer(job) }];
        for (binding, &(slot, _)) in (1..).zip(stage.buffers()) {
            bound.push(wgpu::BindGroupEntry { binding, resource: self.buffer(slot)?.as_entire_binding() });
        }
        let group = self.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: None,
            layout: &layout,
            entries: &bound,
        });
        self.check()?;
        self.ready.insert((stage, single), Ready { pipeline, group });
        Ok(())
    }
}

/// What a buffer of shaders is for.
const STORAGE: wgpu::BufferUsages =
    wgpu::BufferUsages::STORAGE.union(wgpu::BufferUsages::COPY_DST).union(wgpu::BufferUsages::COPY_SRC);

/// A buffer of so many bytes.
fn make(device: &wgpu::Device, size: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
    // A binding has at least one element.
    let size = size.next_multiple_of(16).max(256);
    device.create_buffer(&wgpu::BufferDescriptor { label: None, size, usage, mapped_at_creation: false })
}

impl Drop for Device {
    /// To give a device back its driver waits until it has done its work, without limit: one that is silent is kept.
    fn drop(&mut self) {
        if self.silent {
            std::mem::forget((self.device.clone(), self.queue.clone()));
        }
    }
}

fn silence(patience: Duration) -> Fault {
    Fault::Lost(format!("no answer for {} s", patience.as_secs()))
}

fn remember(note: &Mutex<Option<Fault>>, fault: Fault) {
    if let Ok(mut trouble) = note.lock() {
        trouble.get_or_insert(fault);
    }
}

fn fault(error: &wgpu::Error) -> Fault {
    match error {
        wgpu::Error::OutOfMemory { .. } => Fault::OutOfMemory,
        other => Fault::Validation(other.to_string()),
    }
}
