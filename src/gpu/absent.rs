//! The faces of this folder in a build without wgpu: nothing can be opened, so nothing can be called.

use std::convert::Infallible;

use super::{Bind, Limits, Pass, Request};
use crate::device::{Adapter, Card, Counters};
use crate::{Error, Result};

#[derive(Clone)]
pub(crate) struct Gpu(Infallible);

pub(crate) struct Buffer(Infallible);

pub(crate) fn adapters() -> Vec<Adapter> {
    Vec::new()
}

impl Buffer {
    pub(crate) fn whole(&self) -> Bind<'_> {
        match self.0 {}
    }

    pub(crate) fn part(&self, _offset: u64, _bytes: u64) -> Bind<'_> {
        match self.0 {}
    }
}

impl Gpu {
    pub(crate) fn open(_: &Request) -> Result<Self> {
        Err(Error::NoGpu("this build has no GPU support; enable the feature `gpu`".into()))
    }

    pub(crate) fn adapter(&self) -> &Adapter {
        match self.0 {}
    }

    pub(crate) fn threshold(&self) -> f64 {
        match self.0 {}
    }

    pub(crate) fn budget(&self) -> f64 {
        match self.0 {}
    }

    pub(crate) fn card(&self) -> Option<&Card> {
        match self.0 {}
    }

    pub(crate) fn pretends(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn direct(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn shaders(&self) -> Vec<(String, String)> {
        match self.0 {}
    }

    pub(crate) fn limits(&self) -> Limits {
        match self.0 {}
    }

    pub(crate) fn counters(&self) -> Counters {
        match self.0 {}
    }

    pub(crate) fn same(&self, _: &Gpu) -> bool {
        match self.0 {}
    }

    pub(crate) fn destroy(&self) {
        match self.0 {}
    }

    pub(crate) fn guard<T>(&self, _: &'static str, _: impl FnOnce() -> Result<T>) -> Result<T> {
        match self.0 {}
    }

    pub(crate) fn alloc(&self, _: &'static str, _: u64) -> Result<Buffer> {
        match self.0 {}
    }

    pub(crate) fn upload(&self, _: &'static str, _: &[u8]) -> Result<Buffer> {
        match self.0 {}
    }

    pub(crate) fn run(&self, _: &Pass) -> Result<()> {
        match self.0 {}
    }

    pub(crate) fn copy(&self, _: &Buffer, _: u64, _: &Buffer, _: u64, _: u64) {
        match self.0 {}
    }

    pub(crate) fn download(&self, _: &Buffer, _: u64, _: u64) -> Result<Vec<u8>> {
        match self.0 {}
    }

    pub(crate) fn sync(&self) -> Result<()> {
        match self.0 {}
    }
}
