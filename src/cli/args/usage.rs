//! The options that say what tokens cost.

use clap::Args;

/// What a million tokens cost; else what the settings say of the run's model. No prices are built in.
#[derive(Clone, Copy, Debug, Default, Args)]
pub struct PriceArgs {
    /// The price of a million tokens of prompts; else `price_in` of the model's settings
    #[arg(long, value_name = "PRICE", value_parser = price)]
    pub price_in: Option<f64>,
    /// The price of a million tokens of answers; else `price_out` of the model's settings
    #[arg(long, value_name = "PRICE", value_parser = price)]
    pub price_out: Option<f64>,
}

fn price(text: &str) -> Result<f64, String> {
    let price: Option<f64> = text.trim().parse().ok();
    price
        .filter(|price| price.is_finite() && *price >= 0.0)
        .ok_or_else(|| "not a number of at least 0".to_owned())
}
