//! CodeBLEU: n-grams, weighted n-grams, syntax and data flow.
