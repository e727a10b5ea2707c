//! The command `serve`: a model behind HTTP.

use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, TcpListener};
use std::path::PathBuf;

use burn::tensor::backend::Backend;
use clap::Args;

use super::predict::How;
use super::tell;
use crate::failure::{Failure, Result};
use crate::{serve, trained};

/// Answer prompts over HTTP, as other models do
#[derive(Debug, Args)]
pub struct Serve {
    /// The folder of a training
    model: PathBuf,
    #[arg(long, default_value_t = 8765)]
    port: u16,
    /// The address to listen on; by default, only this machine can connect
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    address: IpAddr,
    #[command(flatten)]
    pub how: How,
}

pub fn run<B: Backend>(asked: &Serve, err: &mut dyn Write) -> Result<()> {
    let device = B::Device::default();
    let trained = trained::open::<B>(&asked.model, &device)?;
    let busy = |error: std::io::Error| {
        Failure::Busy(format!(
            "cannot listen on {}:{}: {error}",
            asked.address, asked.port
        ))
    };
    let listener = TcpListener::bind((asked.address, asked.port)).map_err(busy)?;
    let place = listener.local_addr().map_err(busy)?;
    tell(err, &format!("http://{place}/v1"));
    let name = asked.model.file_name().map_or_else(
        || "baseline".to_owned(),
        |file_name| file_name.to_string_lossy().into_owned(),
    );
    let config = &trained.head.config;
    let options = asked.how.options((config.source_max, config.target_max));
    serve::serve(&listener, (&name, &trained), &options, &device, None).map_err(busy)
}
