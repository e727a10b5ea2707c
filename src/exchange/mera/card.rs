//! The `README.md` of a dataset on a hub: what its files hold, in the front matter that loaders read.

use super::ParquetFile;

/// A split of the dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CardSplit {
    pub name: String,
    pub written: ParquetFile,
}

const FEATURES: &str = "  features:
  - name: instruction
    dtype: string
  - name: inputs
    struct:
    - name: focal_func
      dtype: string
    - name: focal_func_context
      dtype: string
    - name: test_func_type
      dtype: string
    - name: test_func_context
      dtype: string
    - name: language
      dtype: string
    - name: focal_file_path
      dtype: string
    - name: test_file_path
      dtype: string
    - name: test_framework
      dtype: string
  - name: outputs
    dtype: string
  - name: meta
    struct:
    - name: id
      dtype: int32
    - name: repo_id
      dtype: string
    - name: focal_func_type
      dtype: string
";

/// Writes the `README.md` about these splits, in order; `subject` is front matter about their content.
#[must_use]
pub fn mera_card(subject: &str, splits: &[CardSplit]) -> String {
    let mut text = format!("---\n{subject}dataset_info:\n{FEATURES}  splits:\n");
    for CardSplit { name, written } in splits {
        text.push_str(&format!(
            "  - name: {name}\n    num_bytes: {}\n    num_examples: {}\n",
            written.n_bytes, written.n_records
        ));
    }
    let sum = |of: fn(&ParquetFile) -> u64| -> u64 {
        splits.iter().map(|split| of(&split.written)).sum()
    };
    text.push_str(&format!(
        "  download_size: {}\n  dataset_size: {}\nconfigs:\n- config_name: default\n  data_files:\n",
        sum(|parquet_file| parquet_file.n_bytes_packed),
        sum(|parquet_file| parquet_file.n_bytes)
    ));
    for CardSplit { name, .. } in splits {
        text.push_str(&format!("  - split: {name}\n    path: data/{name}-*\n"));
    }
    text.push_str(
        "---\n\nUnit tests and the functions that they test, in the format of MERA's `UnitTests`. Made by focalist; \
         `manifest.json`\ntells what it was made from and how, `ids.jsonl` the origin and the licence of each record.\n",
    );
    text
}
