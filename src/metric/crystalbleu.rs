//! CrystalBLEU: BLEU without the n-grams that all code shares.
